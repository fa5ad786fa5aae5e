#include "api/schema/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <boost/json.hpp>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include "base/try.h"

namespace capstan::api {
namespace {

namespace json = boost::json;

// Values that aliases may copy in one stream: far more than a manifest needs, far less than a bomb makes.
constexpr std::size_t kMaxCopies = 100'000;

// Leaves the parser of yaml-cpp, which knows no other way out; never leaves this file.
struct Refused : std::runtime_error {
  Refused(const YAML::Mark& mark, std::string_view why)
      : std::runtime_error(fmt::format("yaml line {}: {}", mark.line + 1, why)) {}
};

bool all_digits(std::string_view text, std::string_view digits) {
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

// Nothing when 64 bits do not hold it: then it is read as a float.
std::optional<json::value> integer(std::string_view digits, int base, bool negative) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  constexpr std::uint64_t kSmallest = std::uint64_t{1} << 63U;
  if (negative && number > kSmallest) return std::nullopt;
  if (negative) return static_cast<std::int64_t>(~number + 1);
  if (number < kSmallest) return static_cast<std::int64_t>(number);
  return number;
}

std::optional<json::value> as_integer(std::string_view text) {
  if (text.starts_with("0x") && all_digits(text.substr(2), "0123456789abcdefABCDEF"))
    return integer(text.substr(2), 16, false);
  if (text.starts_with("0o") && all_digits(text.substr(2), "01234567"))
    return integer(text.substr(2), 8, false);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (!all_digits(text, "0123456789")) return std::nullopt;
  return integer(text, 10, negative);
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
std::optional<json::value> as_float(std::string_view text) {
  std::string_view rest = text;
  const auto digits = [&] {
    const std::size_t count = std::min(rest.find_first_not_of("0123456789"), rest.size());
    rest.remove_prefix(count);
    return count;
  };
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  const std::size_t before = digits();
  std::size_t after = 0;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    after = digits();
  }
  if (before + after == 0) return std::nullopt;
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
    if (digits() == 0) return std::nullopt;
  }
  if (!rest.empty()) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

bool is_not_finite(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text == ".inf" || text == ".Inf" || text == ".INF" || text == ".nan" || text == ".NaN" ||
         text == ".NAN";
}

// YAML 1.2 core schema.
json::value plain(const YAML::Mark& mark, std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  if (is_not_finite(text)) throw Refused(mark, fmt::format("{} has no place in JSON", text));
  if (auto number = as_integer(text)) return *number;
  if (auto number = as_float(text)) return *number;
  return json::string(text);
}

json::value tagged(const YAML::Mark& mark, std::string_view tag, std::string_view text) {
  constexpr std::string_view kCore = "tag:yaml.org,2002:";
  const std::string_view name = tag.starts_with(kCore) ? tag.substr(kCore.size()) : std::string_view();
  if (name == "str") return json::string(text);
  if (name == "null" || name == "bool" || name == "int" || name == "float") return plain(mark, text);
  throw Refused(mark, fmt::format("unknown tag {}", tag));
}

// How many bytes the character at the front of `text` has; 0 when it is no UTF-8.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xed && byte(1) >= 0xa0;
  const bool beyond = lead == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t count(const json::value& value) {
  std::size_t total = 1;
  if (const auto* list = value.if_array()) {
    for (const auto& element : *list) total += count(element);
  } else if (const auto* object = value.if_object()) {
    for (const auto& member : *object) total += count(member.value());
  }
  return total;
}

class Builder final : public YAML::EventHandler {
 public:
  // yaml-cpp takes a stray comma or bracket for an empty document, and never moves past it.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos == last_start_) throw Refused(mark, "a comma or bracket that belongs to nothing");
    last_start_ = mark.pos;
    root_ = nullptr;
    anchors_.clear();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) return take_key(mark, "null");
    place(mark, nullptr, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Refused(mark, "an alias inside of what it stands for");
    copies_ += count(found->second);
    if (copies_ > kMaxCopies) throw Refused(mark, "too many copies made by aliases");
    place(mark, found->second, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (!is_utf8(text)) throw Refused(mark, "an escape that is no character");
    if (expects_key()) return take_key(mark, text);
    if (tag == "?") return place(mark, plain(mark, text), anchor);
    if (tag == "!" || tag.empty()) return place(mark, json::string(text), anchor);
    place(mark, tagged(mark, tag, text), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, json::array(), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, json::object(), anchor);
  }
  void OnMapEnd() override { close(); }

  json::value take() { return std::move(root_); }

 private:
  struct Open {
    json::value value = {};
    YAML::anchor_t anchor = 0;
    YAML::Mark mark = {};
    std::optional<std::string> key = {};
  };

  bool expects_key() const { return !open_.empty() && open_.back().value.is_object() && !open_.back().key; }

  void take_key(const YAML::Mark& mark, const std::string& key) {
    if (key == "<<") throw Refused(mark, "merge keys (<<) are not understood");
    if (open_.back().value.get_object().contains(key))
      throw Refused(mark, fmt::format("the key {:.64} stands there twice", key));
    open_.back().key = key;
  }

  void open(const YAML::Mark& mark, json::value empty, YAML::anchor_t anchor) {
    if (expects_key()) throw Refused(mark, "a key must be a scalar");
    if (open_.size() == static_cast<std::size_t>(kMaxYamlDepth)) {
      throw Refused(mark, fmt::format("nested deeper than {} levels", kMaxYamlDepth));
    }
    open_.push_back({.value = std::move(empty), .anchor = anchor, .mark = mark});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    place(done.mark, std::move(done.value), done.anchor);
  }

  void place(const YAML::Mark& mark, json::value value, YAML::anchor_t anchor) {
    if (expects_key()) throw Refused(mark, "a key must be a scalar");
    if (anchor != 0) anchors_[anchor] = value;
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (auto* list = open_.back().value.if_array()) {
      list->push_back(std::move(value));
    } else {
      open_.back().value.get_object()[*open_.back().key] = std::move(value);
      open_.back().key.reset();
    }
  }

  json::value root_ = {};
  std::vector<Open> open_ = {};
  std::map<YAML::anchor_t, json::value> anchors_ = {};
  std::size_t copies_ = 0;
  int last_start_ = -1;
};

bool is_forbidden(char c) {
  const auto code = static_cast<unsigned char>(c);
  return (code < 0x20 && c != '\t' && c != '\n' && c != '\r') || code == 0x7f;
}

// YAML forbids control characters, and yaml-cpp can loop over them for ever.
Result<void> check_characters(std::string_view text) {
  std::size_t line = 1;
  while (!text.empty()) {
    if (text.front() == '\n') ++line;
    const std::size_t length = utf8_length(text);
    if (length == 0) return fail(Code::Invalid, fmt::format("yaml line {}: no utf-8", line));
    if (is_forbidden(text.front()))
      return fail(Code::Invalid, fmt::format("yaml line {}: a control character", line));
    text.remove_prefix(length);
  }
  return {};
}

}  // namespace

Result<std::vector<json::value>> parse_yaml_documents(std::string_view text) {
  TRY(check_characters(text));
  std::vector<json::value> documents;
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    for (Builder builder; parser.HandleNextDocument(builder);) {
      json::value document = builder.take();
      if (!document.is_null()) documents.push_back(std::move(document));
    }
  } catch (const Refused& refused) {
    return fail(Code::Invalid, refused.what());
  } catch (const YAML::Exception& malformed) {
    return fail(Code::Invalid, fmt::format("yaml line {}: {}", malformed.mark.line + 1, malformed.msg));
  }
  return documents;
}

Result<json::value> parse_yaml(std::string_view text) {
  auto documents = TRY(parse_yaml_documents(text));
  if (documents.size() != 1) {
    return fail(Code::Invalid, fmt::format("expected one yaml document, found {}", documents.size()));
  }
  return std::move(documents.front());
}

}  // namespace capstan::api
