// JSON as a stream of events: what the reader (json_reader.h) says and the builders (struct_builder.h,
// raw_writer.h, managed_fields_reader.h) listen to. Internal to api/schema. One thread at a time.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace capstan::api::detail {

struct Number {
  enum class Kind : std::uint8_t { Integer, Unsigned, Real };
  Kind kind = Kind::Integer;
  std::int64_t integer = 0;
  std::uint64_t unsigned_integer = 0;
  double real = 0;
  std::string_view text = {};  // as it was written
};

// False for 1e999, which JSON can spell and a double can't hold.
inline bool is_representable(const Number& number) {
  return number.kind != Number::Kind::Real || std::isfinite(number.real);
}

// The shortest text that reads back as the same number of the same kind: 1e2 is "100.0".
std::string plain_text(const Number& number);

class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual void on_null() = 0;
  virtual void on_boolean(bool value) = 0;
  virtual void on_number(const Number& number) = 0;
  virtual void on_string(std::string_view text) = 0;
  virtual void on_key(std::string_view name) = 0;
  virtual void begin_object() = 0;
  virtual void end_object() = 0;
  virtual void begin_list() = 0;
  virtual void end_list() = 0;
  // True when what came so far makes the rest of the text pointless; the reader then stops.
  bool hopeless() const { return hopeless_; }

 protected:
  bool hopeless_ = false;
};

// `text` as a JSON string with its quotes.
void append_quoted(std::string& out, std::string_view text);

}  // namespace capstan::api::detail
