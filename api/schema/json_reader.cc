#include "api/schema/json_reader.h"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace capstan::api::detail {
namespace {

namespace json = boost::json;

// The structs refuse what is nested deeper than kMaxDepth and say where; this limit only protects the reader
// itself.
constexpr std::size_t kReaderDepth = 512;

// Joins strings and numbers that were cut by a chunk, and passes everything on.
class Handler {
 public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  explicit Handler(JsonEvents& events) : events_(events) {}
  void reset() { parts_.clear(); }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code& error) { return events_.begin_object(), go_on(error); }
  bool on_object_end(std::size_t, json::error_code& error) { return events_.end_object(), go_on(error); }
  bool on_array_begin(json::error_code& error) { return events_.begin_list(), go_on(error); }
  bool on_array_end(std::size_t, json::error_code& error) { return events_.end_list(), go_on(error); }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) { return keep(part); }
  bool on_key(json::string_view part, std::size_t, json::error_code& error) {
    events_.on_key(joined(part));
    return parts_.clear(), go_on(error);
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) { return keep(part); }
  // Values do not ask whether it goes on: the next key, bracket or chunk does.
  bool on_string(json::string_view part, std::size_t, json::error_code&) {
    events_.on_string(joined(part));
    return parts_.clear(), true;
  }
  bool on_number_part(json::string_view part, json::error_code&) { return keep(part); }
  bool on_int64(std::int64_t value, json::string_view part, json::error_code&) {
    return number({.kind = Number::Kind::Integer, .integer = value, .text = joined(part)});
  }
  bool on_uint64(std::uint64_t value, json::string_view part, json::error_code&) {
    return number({.kind = Number::Kind::Unsigned, .unsigned_integer = value, .text = joined(part)});
  }
  bool on_double(double value, json::string_view part, json::error_code&) {
    return number({.kind = Number::Kind::Real, .real = value, .text = joined(part)});
  }
  bool on_bool(bool value, json::error_code&) { return events_.on_boolean(value), true; }
  bool on_null(json::error_code&) { return events_.on_null(), true; }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  bool keep(json::string_view part) {
    parts_.append(part.data(), part.size());
    return true;
  }
  std::string_view joined(json::string_view last) {
    if (parts_.empty()) return {last.data(), last.size()};
    keep(last);
    return parts_;
  }
  bool number(const Number& value) {
    events_.on_number(value);
    return parts_.clear(), true;
  }
  bool go_on(json::error_code& error) {
    if (events_.hopeless()) error = json::error::incomplete;
    return !error;
  }

  JsonEvents& events_;
  std::string parts_ = {};
};

json::parse_options reader_options() {
  json::parse_options options;
  options.max_depth = kReaderDepth;
  return options;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

struct JsonReader::State {
  explicit State(JsonEvents& target) : events(target), parser(reader_options(), target) {}
  JsonEvents& events;
  json::basic_parser<Handler> parser;
  std::size_t consumed = 0;
  std::optional<Error> fault = {};  // stays until reset()

  // What the listener made of it is the better explanation, so a hopeless listener is no error here.
  Result<void> write(std::string_view chunk, bool more) {
    if (events.hopeless()) return {};
    if (!fault && !parser.done()) parse(chunk, more);
    if (!fault && !is_blank(chunk)) refuse("more text after the document");
    if (fault) return Failure(*fault);
    return {};
  }

  // Leaves in `chunk` what stands behind the document.
  void parse(std::string_view& chunk, bool more) {
    json::error_code error;
    const std::size_t used = parser.write_some(more, chunk.data(), chunk.size(), error);
    consumed += used;
    chunk.remove_prefix(used);
    if (!error || events.hopeless()) return;
    if (error == json::error::incomplete) {
      fault = {.code = Code::Invalid, .message = fmt::format("json ends early, after {} bytes", consumed)};
    } else {
      refuse(error.message());
    }
  }

  void refuse(std::string_view why) {
    fault = {.code = Code::Invalid, .message = fmt::format("malformed json at byte {}: {}", consumed, why)};
  }
};

JsonReader::JsonReader(JsonEvents& events) : state_(std::make_unique<State>(events)) {}
JsonReader::~JsonReader() = default;

Result<void> JsonReader::feed(std::string_view chunk) { return state_->write(chunk, true); }

Result<void> JsonReader::finish() { return state_->write({}, false); }

void JsonReader::reset() {
  state_->parser.reset();
  state_->parser.handler().reset();
  state_->consumed = 0;
  state_->fault.reset();
}

namespace {

void replay_number(Number number, JsonEvents& events) {
  const std::string text = plain_text(number);
  number.text = text;
  events.on_number(number);
}

}  // namespace

void replay(const json::value& document, JsonEvents& events) {
  switch (document.kind()) {
    case json::kind::null: events.on_null(); break;
    case json::kind::bool_: events.on_boolean(document.get_bool()); break;
    case json::kind::int64:
      replay_number({.kind = Number::Kind::Integer, .integer = document.get_int64()}, events);
      break;
    case json::kind::uint64:
      replay_number({.kind = Number::Kind::Unsigned, .unsigned_integer = document.get_uint64()}, events);
      break;
    case json::kind::double_:
      replay_number({.kind = Number::Kind::Real, .real = document.get_double()}, events);
      break;
    case json::kind::string: events.on_string(std::string_view(document.get_string())); break;
    case json::kind::array:
      events.begin_list();
      for (const auto& element : document.get_array()) replay(element, events);
      events.end_list();
      break;
    case json::kind::object:
      events.begin_object();
      for (const auto& [name, value] : document.get_object()) {
        events.on_key(std::string_view(name));
        replay(value, events);
      }
      events.end_object();
      break;
  }
}

}  // namespace capstan::api::detail
