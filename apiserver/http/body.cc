#include "apiserver/http/body.h"

#include <boost/json/basic_parser_impl.hpp>
#include <set>

#include "api/schema/yaml.h"
#include "apiserver/http/protobuf.h"
#include "apiserver/status_error.h"

namespace capstan::apiserver {
namespace {

constexpr std::size_t kDepth = 256;  // schemas of large CRDs nest deeper than a hundred levels

using Refused = std::unexpected<Response>;

// Walks a JSON text and notes members that stand twice in one object.
class DuplicateFinder {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);
  using Failed = json::error_code;

  std::vector<std::string> found = {};

  bool on_document_begin(Failed&) { return true; }
  bool on_document_end(Failed&) { return true; }
  bool on_object_begin(Failed&) { return enter(false); }
  bool on_object_end(std::size_t, Failed&) { return leave(); }
  bool on_array_begin(Failed&) { return enter(true); }
  bool on_array_end(std::size_t, Failed&) { return leave(); }
  bool on_key_part(json::string_view part, std::size_t, Failed&) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, Failed&) {
    key_.append(part.data(), part.size());
    Level& level = levels_.back();
    level.at = std::exchange(key_, {});
    if (!level.keys.insert(level.at).second) found.push_back("duplicate field \"" + path() + "\"");
    return true;
  }
  bool on_string_part(json::string_view, std::size_t, Failed&) { return true; }
  bool on_string(json::string_view, std::size_t, Failed&) { return value(); }
  bool on_number_part(json::string_view, Failed&) { return true; }
  bool on_int64(std::int64_t, json::string_view, Failed&) { return value(); }
  bool on_uint64(std::uint64_t, json::string_view, Failed&) { return value(); }
  bool on_double(double, json::string_view, Failed&) { return value(); }
  bool on_bool(bool, Failed&) { return value(); }
  bool on_null(Failed&) { return value(); }
  bool on_comment_part(json::string_view, Failed&) { return true; }
  bool on_comment(json::string_view, Failed&) { return true; }

 private:
  struct Level {
    bool array = false;
    std::size_t index = 0;
    std::string at = {};
    std::set<std::string> keys = {};
  };

  bool enter(bool array) {
    levels_.push_back({.array = array});
    return true;
  }
  bool leave() {
    levels_.pop_back();
    return value();
  }
  bool value() {
    if (!levels_.empty() && levels_.back().array) ++levels_.back().index;
    return true;
  }
  std::string path() const {
    std::string text;
    for (const Level& level : levels_) {
      if (level.array) {
        text += "[" + std::to_string(level.index) + "]";
      } else {
        text += (text.empty() ? "" : ".") + level.at;
      }
    }
    return text;
  }

  std::string key_ = {};
  std::vector<Level> levels_ = {};
};

std::vector<std::string> duplicates_in(std::string_view bytes) {
  json::parse_options options;
  options.max_depth = kDepth;
  json::basic_parser<DuplicateFinder> parser(options);
  json::error_code failed;
  parser.write_some(false, bytes.data(), bytes.size(), failed);
  return parser.handler().found;
}

std::expected<Body, Response> decode_json(std::string_view bytes) {
  json::parse_options options;
  options.max_depth = kDepth;
  json::error_code failed;
  json::value value = json::parse(json::string_view(bytes.data(), bytes.size()), failed, {}, options);
  if (failed) {
    return Refused(
        bad_request("the object provided is unrecognized (must be of type JSON): couldn't parse it: " +
                    failed.message()));
  }
  return Body{.value = std::move(value), .duplicate_fields = duplicates_in(bytes)};
}

std::expected<Body, Response> decode_yaml(std::string_view bytes) {
  auto value = api::parse_yaml(bytes);
  if (!value) return Refused(bad_request("error decoding YAML: " + value.error().message));
  return Body{.value = std::move(*value)};
}

Response unknown_format() {
  return unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types "
      "include: application/json, application/yaml");
}

std::expected<Body, Response> decode_envelope(std::string_view bytes) {
  auto document = decode_protobuf(bytes);
  if (document) return Body{.value = std::move(*document)};
  if (document.error() == ProtobufFault::UnknownKind) return Refused(unknown_format());
  return Refused(bad_request("the object provided is unrecognized (must be of type protobuf)"));
}

}  // namespace

std::expected<Body, Response> decode_body(std::string_view content_type, std::string_view bytes) {
  if (content_type.find("yaml") != std::string_view::npos) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && bytes[first] == '{') return decode_json(bytes);
    return decode_yaml(bytes);
  }
  if (content_type.empty() || content_type.find("json") != std::string_view::npos) return decode_json(bytes);
  if (content_type == kProtobufType) return decode_envelope(bytes);
  return Refused(unknown_format());
}

}  // namespace capstan::apiserver
