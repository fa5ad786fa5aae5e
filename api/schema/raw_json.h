// JSON that is carried, not understood, in 8 bytes each: RawJson is any subtree, UnknownFields the members of
// a struct that we do not know. Kept as compact text; copies share it. Values: copy, compare and destroy on
// any thread.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace capstan::api {

// Any JSON value. Empty means absent.
class RawJson {
 public:
  RawJson() = default;
  explicit RawJson(const boost::json::value& value);
  // `compact` must be valid JSON without white space.
  static RawJson from_compact(std::string_view compact);

  bool empty() const { return text_.empty(); }
  std::string_view text() const { return text_.view(); }
  boost::json::value to_json() const;  // null when empty
  friend bool operator==(const RawJson& left, const RawJson& right) { return left.text_ == right.text_; }

 private:
  FreeText text_ = {};
};

// Members that a struct does not name, in the order they came: they ride along untouched.
class UnknownFields {
 public:
  UnknownFields() = default;
  explicit UnknownFields(const boost::json::object& members);
  // `compact` is a JSON object without white space.
  static UnknownFields from_compact(std::string_view compact);

  bool empty() const { return text_.empty(); }
  std::string_view text() const { return text_.view(); }  // "" or "{...}"
  boost::json::object to_json() const;
  std::optional<RawJson> find(std::string_view name) const;
  friend bool operator==(const UnknownFields& left, const UnknownFields& right) {
    return left.text_ == right.text_;
  }

 private:
  FreeText text_ = {};
};

}  // namespace capstan::api
