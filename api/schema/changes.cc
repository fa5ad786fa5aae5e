#include "api/schema/changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace capstan::api::detail {
namespace {

namespace json = boost::json;

std::string in_words(const json::value& value);

std::string_view member_text(const json::object& object, std::string_view name) {
  const json::value* member = object.if_contains(name);
  return member != nullptr && member->is_string() ? std::string_view(member->get_string())
                                                  : std::string_view();
}

// "controller MachineSet a", "Ready=False(NotReady)".
std::optional<std::string> called(const json::object& object) {
  const auto kind = member_text(object, "kind");
  const auto name = member_text(object, "name");
  if (!kind.empty() && !name.empty()) {
    const json::value* controller = object.if_contains("controller");
    const bool controls = controller != nullptr && *controller == json::value(true);
    return fmt::format("{}{} {}", controls ? "controller " : "", kind, name);
  }
  const auto type = member_text(object, "type");
  const auto status = member_text(object, "status");
  if (type.empty() || status.empty()) return std::nullopt;
  const auto reason = member_text(object, "reason");
  return reason.empty() ? fmt::format("{}={}", type, status) : fmt::format("{}={}({})", type, status, reason);
}

std::string list_in_words(const json::array& list) {
  std::vector<std::string> words;
  for (const json::value& each : list) words.push_back(in_words(each));
  return fmt::format("[{}]", fmt::join(words, ", "));
}

bool is_one_word(std::string_view text) {
  return !text.empty() && text.find_first_of(" ,[]\"\n") == std::string_view::npos;
}

std::string in_words(const json::value& value) {
  if (const auto* list = value.if_array()) return list_in_words(*list);
  if (const auto* text = value.if_string(); text != nullptr && is_one_word(*text)) return std::string(*text);
  if (const auto* object = value.if_object()) {
    if (auto name = called(*object)) return *name;
  }
  return json::serialize(value);
}

// A pool's list of instances may have thousands.
std::string shortened(std::string words) {
  constexpr std::size_t kMostBytes = 400;
  if (words.size() <= kMostBytes) return words;
  const std::size_t left_out = words.size() - kMostBytes;
  words.resize(kMostBytes);
  return fmt::format("{}... and {} bytes more", words, left_out);
}

// Both states of one member; null where a state does not have it.
struct Pair {
  const json::value* from = nullptr;
  const json::value* to = nullptr;

  // Neither is anything but a bundle of members.
  bool is_bundle() const {
    return std::ranges::all_of(std::array{from, to}, [](const json::value* each) {
      return each == nullptr || (each->is_object() && !called(each->get_object()));
    });
  }
};

class Differences {
 public:
  explicit Differences(LeftOut left_out) : left_out_(left_out) {}

  void look_into(const std::string& path, const json::object& from, const json::object& to);
  std::string words() const { return fmt::format("{}", fmt::join(words_, ", ")); }

 private:
  void compare(const std::string& path, const Pair& states);
  void add(const std::string& path, const Pair& states);

  const LeftOut left_out_;
  std::vector<std::string> words_ = {};
};

std::string below(const std::string& path, std::string_view member) {
  if (member.find_first_of("./") != std::string_view::npos) return fmt::format("{}[{}]", path, member);
  return path.empty() ? std::string(member) : fmt::format("{}.{}", path, member);
}

void Differences::look_into(const std::string& path, const json::object& from, const json::object& to) {
  for (const auto& [name, value] : from) compare(below(path, name), {&value, to.if_contains(name)});
  for (const auto& [name, value] : to) {
    if (!from.contains(name)) compare(below(path, name), {nullptr, &value});
  }
}

void Differences::compare(const std::string& path, const Pair& states) {
  const auto& [from, to] = states;
  if (to == nullptr && left_out_ == LeftOut::Stays) return;
  if (from != nullptr && to != nullptr && *from == *to) return;
  if (!states.is_bundle()) return add(path, states);
  static const json::object kNothing;
  look_into(path, from == nullptr ? kNothing : from->get_object(),
            to == nullptr ? kNothing : to->get_object());
}

void Differences::add(const std::string& path, const Pair& states) {
  const auto words_of = [](const json::value* state) { return state == nullptr ? "none" : in_words(*state); };
  std::string from = words_of(states.from);
  std::string to = words_of(states.to);
  if (from == to) {  // the difference is in what the words leave out
    from = json::serialize(*states.from);
    to = json::serialize(*states.to);
  }
  words_.push_back(fmt::format("{}: {} -> {}", path, shortened(from), shortened(to)));
}

}  // namespace

std::string changes(const TypeInfo& type, const void* from, const void* to, LeftOut left_out) {
  Differences differences(left_out);
  differences.look_into({}, to_json(type, from).as_object(), to_json(type, to).as_object());
  return differences.words();
}

}  // namespace capstan::api::detail
