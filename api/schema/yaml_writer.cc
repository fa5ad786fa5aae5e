#include <algorithm>
#include <boost/json.hpp>
#include <vector>

#include <fmt/format.h>
#include "api/schema/json_events.h"
#include "api/schema/yaml.h"

namespace capstan::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kWidth = 110;

void write(std::string& out, const json::value& value, std::size_t indent);

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Might some reader, of YAML 1.1 or 1.2, take it for a number, a date or a time?
bool looks_numeric(std::string_view text) {
  const bool starts = text.front() == '+' || text.front() == '-' || text.front() == '.' ||
                      (text.front() >= '0' && text.front() <= '9');
  return starts && text.find_first_not_of("0123456789abcdefABCDEFxXoO+-._:TZ ") == std::string_view::npos;
}

bool is_word_of_yaml(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  constexpr std::string_view kWords[] = {"null", "~", "true", "false", "yes", "no", "on", "off",
                                         "y",    "n", ".inf", ".nan",  "=",   "<<", "..."};
  return std::ranges::find(kWords, std::string_view(lower)) != std::end(kWords);
}

bool is_plain(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // swallowed at the start of a file
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (text.starts_with(kByteOrderMark)) return false;
  if (std::string_view("-?:,[]{}#&*!|>'\"%@`").find(text.front()) != std::string_view::npos) return false;
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos) return false;
  return std::ranges::none_of(text, is_control) && !looks_numeric(text) && !is_word_of_yaml(text);
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string scalar_text(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  if (std::ranges::none_of(text, is_control)) return single_quoted(text);
  std::string out;
  detail::append_quoted(out, text);
  return out;
}

// Lines of a literal block keep every blank, so they must not end with one, which a reader would not see, nor
// begin with one.
bool fits_literal(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.ends_with('\n') || text.front() == ' ' ||
      text.front() == '\n') {
    return false;
  }
  return text.find(" \n") == std::string_view::npos &&
         std::ranges::all_of(text, [](char c) { return c == '\n' || !is_control(c); });
}

bool fits_folded(std::string_view text, std::size_t indent) {
  return text.size() + indent > kWidth && text.front() != ' ' && text.back() != ' ' &&
         text.find("  ") == std::string_view::npos && std::ranges::none_of(text, is_control);
}

void write_literal(std::string& out, std::string_view text, std::size_t indent) {
  out += " |-";
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    out += '\n';
    if (end > start) out.append(indent, ' ').append(text.substr(start, end - start));
    start = end + 1;
  }
  out += '\n';
}

void write_folded(std::string& out, std::string_view text, std::size_t indent) {
  out += " >-\n";
  const std::size_t width = std::max<std::size_t>(kWidth - std::min(indent, kWidth), 40);
  while (!text.empty()) {
    std::size_t end = text.size();
    if (text.size() > width) {
      end = text.rfind(' ', width);
      if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    }
    out.append(indent, ' ').append(text.substr(0, end)) += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// `text` stands after a key; blocks stand below it, indented by `indent`.
void write_text(std::string& out, std::string_view text, std::size_t indent) {
  if (fits_literal(text)) return write_literal(out, text, indent);
  if (!text.empty() && fits_folded(text, indent)) return write_folded(out, text, indent);
  out += ' ';
  out += scalar_text(text);
  out += '\n';
}

// Everything but objects, lists and strings.
std::string simple_text(const json::value& value) {
  if (value.is_double())
    return detail::plain_text({.kind = detail::Number::Kind::Real, .real = value.get_double()});
  return json::serialize(value);
}

void write_members(std::string& out, const json::object& object, std::size_t indent, bool first_in_place) {
  std::vector<const json::key_value_pair*> members;
  for (const auto& member : object) members.push_back(&member);
  std::ranges::sort(members, {}, [](const auto* member) { return std::string_view(member->key()); });
  for (const auto* member : members) {
    if (!first_in_place) out.append(indent, ' ');
    first_in_place = false;
    out += scalar_text(std::string_view(member->key()));
    out += ':';
    write(out, member->value(), indent);
  }
}

void write_elements(std::string& out, const json::array& list, std::size_t indent) {
  for (const json::value& element : list) {
    out.append(indent, ' ') += '-';
    if (element.is_object() && !element.get_object().empty()) {
      out += ' ';
      write_members(out, element.get_object(), indent + 2, true);
    } else {
      write(out, element, indent + (element.is_array() ? 2 : 0));
    }
  }
}

// After "key:" or "-": what follows on the line and below it. `indent` is that of the key or the dash.
void write(std::string& out, const json::value& value, std::size_t indent) {
  if (const auto* object = value.if_object(); object != nullptr && !object->empty()) {
    out += '\n';
    write_members(out, *object, indent + 2, false);
  } else if (const auto* list = value.if_array(); list != nullptr && !list->empty()) {
    out += '\n';
    write_elements(out, *list, indent);
  } else if (const auto* string = value.if_string(); string != nullptr) {
    write_text(out, std::string_view(*string), indent + 2);
  } else {
    out += ' ';
    out += simple_text(value);
    out += '\n';
  }
}

}  // namespace

std::string write_yaml(const json::value& value) {
  std::string out;
  if (const auto* object = value.if_object(); object != nullptr && !object->empty()) {
    write_members(out, *object, 0, false);
  } else if (const auto* list = value.if_array(); list != nullptr && !list->empty()) {
    write_elements(out, *list, 0);
  } else {
    write(out, value, 0);
    out.erase(0, 1);
  }
  return out;
}

}  // namespace capstan::api
