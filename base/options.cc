#include "base/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/duration.h"
#include "base/try.h"

namespace capstan {
namespace {

constexpr std::size_t kHelpColumns = 80;
constexpr std::array kBuiltIn = {
    flag("help", &Arguments::help, "print this text and exit"),
    flag("completion", &Arguments::completion, "print a completion script and exit", {.choices = "bash"}),
};

std::string identifier(std::string_view program);
std::string by_command(std::string_view program);

Failure invalid(std::string message) { return fail(Code::Invalid, std::move(message)); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// How many letters must be inserted, left out, replaced or swapped with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        steps[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = steps[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      steps[i][j] = std::min({replaced, steps[i - 1][j] + 1, steps[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
    }
  }
  return steps[a.size()][b.size()];
}

std::string_view closest(std::string_view name, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t steps = distance(name, candidate);
    if (steps >= best_distance) continue;
    best = candidate;
    best_distance = steps;
  }
  return best;
}

std::optional<bool> parse_bool(std::string_view text) {  // the words Go accepts
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return {};
}

template <typename Number>
Result<void> read_number(Number& target, std::string_view text, const FlagRules& rules) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return invalid(fmt::format("\"{}\" is not a number in range", text));
  }
  if (static_cast<std::int64_t>(value) < rules.minimum)
    return invalid(fmt::format("{} is below {}", text, rules.minimum));
  if (static_cast<std::int64_t>(value) > rules.maximum)
    return invalid(fmt::format("{} is above {}", text, rules.maximum));
  target = value;
  return {};
}

// Writes one given value into its option. `first` says whether lists still hold their defaults.
struct Reader {
  std::string_view text;
  const FlagRules& rules;
  bool first;

  Result<void> operator()(bool* target) const {
    const auto value = parse_bool(text);
    if (!value) return invalid(fmt::format("\"{}\" is neither true nor false", text));
    *target = *value;
    return {};
  }
  Result<void> operator()(int* target) const { return read_number(*target, text, rules); }
  Result<void> operator()(std::int64_t* target) const { return read_number(*target, text, rules); }
  Result<void> operator()(double* target) const {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      return invalid(fmt::format("\"{}\" is not a number", text));
    }
    *target = value;
    return {};
  }
  Result<void> operator()(std::string* target) const {
    const auto choices = split(rules.choices, '|');
    if (!rules.choices.empty() && std::ranges::find(choices, text) == choices.end()) {
      return invalid(fmt::format("\"{}\" is not one of {}", text, fmt::join(choices, ", ")));
    }
    *target = text;
    return {};
  }
  Result<void> operator()(Nanoseconds* target) const {
    const auto span = parse_duration(text);
    if (!span) return invalid(span.error().message);
    *target = *span;
    return {};
  }
  Result<void> operator()(StringList* target) const {
    if (first) target->clear();
    if (text.empty()) return {};
    for (const std::string_view part : split(text, ',')) target->emplace_back(part);
    return {};
  }
  Result<void> operator()(StringMap* target) const {
    if (first) target->clear();
    if (text.empty()) return {};
    for (const std::string_view part : split(text, ',')) {
      const auto equals = part.find('=');
      if (equals == std::string_view::npos || equals == 0) {
        return invalid(fmt::format("\"{}\" is not of the form key=value", part));
      }
      target->insert_or_assign(std::string(part.substr(0, equals)), std::string(part.substr(equals + 1)));
    }
    return {};
  }
  Result<void> operator()(Switches* target) const {
    for (const std::string_view part : split(text, ',')) {
      const auto equals = std::min(part.find('='), part.size());
      const auto known = target->find(part.substr(0, equals));
      if (known == target->end()) return unknown_switch(*target, part.substr(0, equals));
      const auto value = parse_bool(part.substr(std::min(equals + 1, part.size())));
      if (!value) return invalid(fmt::format("\"{}\" is not of the form key=true or key=false", part));
      known->second = *value;
    }
    return {};
  }

  static Failure unknown_switch(const Switches& known, std::string_view name) {
    std::vector<std::string_view> names;
    for (const auto& [key, value] : known) names.push_back(key);
    return invalid(fmt::format("\"{}\" is not one of {}", name, fmt::join(names, ", ")));
  }
};

struct Printer {
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const int* value) const { return std::to_string(*value); }
  std::string operator()(const std::int64_t* value) const { return std::to_string(*value); }
  std::string operator()(const double* value) const { return fmt::format("{}", *value); }
  std::string operator()(const std::string* value) const { return *value; }
  std::string operator()(const Nanoseconds* value) const { return format_duration(*value); }
  std::string operator()(const StringList* value) const { return fmt::format("{}", fmt::join(*value, ",")); }
  std::string operator()(const StringMap* value) const {
    std::string text;
    for (const auto& [key, own] : *value) text += (text.empty() ? "" : ",") + key + "=" + own;
    return text;
  }
  std::string operator()(const Switches* value) const {
    std::string text;
    for (const auto& [key, on] : *value) text += (text.empty() ? "" : ",") + key + (on ? "=true" : "=false");
    return text;
  }
};

struct TypeName {
  std::string_view operator()(const bool*) const { return ""; }
  std::string_view operator()(const int*) const { return "int"; }
  std::string_view operator()(const std::int64_t*) const { return "int"; }
  std::string_view operator()(const double*) const { return "float"; }
  std::string_view operator()(const std::string*) const { return "string"; }
  std::string_view operator()(const Nanoseconds*) const { return "duration"; }
  std::string_view operator()(const StringList*) const { return "string,..."; }
  std::string_view operator()(const StringMap*) const { return "key=value,..."; }
  std::string_view operator()(const Switches*) const { return "key=true|false,..."; }
};

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out(indent, ' ');
  std::size_t column = indent;
  bool first = true;
  for (const std::string_view word : split(text, ' ')) {
    if (!first && column + 1 + word.size() > kHelpColumns) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
      first = true;
    }
    if (!first) out += ' ';
    out += word;
    column += word.size() + (first ? 0 : 1);
    first = false;
  }
  return out + "\n";
}

std::string dashed(std::string_view name) { return (name.size() == 1 ? "-" : "--") + std::string(name); }

}  // namespace

Flags::Flags() { add("Other", arguments_, kBuiltIn); }

void Flags::add(std::string_view group, std::string_view name, std::string_view help, FlagRules rules,
                Target target) {
  assert(find(name) == nullptr && "two flags of one name");
  flags_.push_back({.group = group,
                    .name = name,
                    .help = help,
                    .rules = rules,
                    .target = target,
                    .default_value = std::visit(Printer(), target)});
}

// One word of the command line, taken apart: "--name=value".
struct Flags::Word {
  std::string name;
  std::optional<std::string> value = {};

  static std::optional<Word> of(std::string_view text) {
    if (!text.starts_with('-') || text == "-") return {};
    const bool one_dash = !text.starts_with("--");
    text.remove_prefix(one_dash ? 1 : 2);
    const auto equals = text.find('=');
    Word word{.name = std::string(text.substr(0, equals))};
    std::ranges::replace(word.name, '_', '-');
    if (word.name == "h") word.name = "help";
    if (one_dash && word.name.size() != 1 && text != "h")
      word.name = "-" + word.name;  // there is no such flag
    if (equals != std::string_view::npos) word.value = std::string(text.substr(equals + 1));
    return word;
  }
};

Result<Arguments> Flags::parse(Words words, Positional positional) {
  bool flags_ended = false;
  while (!words.empty()) {
    const std::string_view text = words.front();
    words = words.subspan(1);
    auto word = flags_ended ? std::nullopt : Word::of(text);
    if (word && text == "--") {
      flags_ended = true;
    } else if (word) {
      TRY(take_flag(*std::move(word), words));
    } else if (positional == Positional::Allowed) {
      arguments_.positional.emplace_back(text);
    } else {
      return invalid(fmt::format("unexpected argument \"{}\"", text));
    }
  }
  return arguments_;
}

Result<void> Flags::take_flag(Word word, Words& following) {
  Bound* flag = find(word.name);
  if (flag == nullptr)
    return invalid(fmt::format("unknown flag {}{}", dashed(word.name), nearest(word.name)));
  if (!word.value && std::holds_alternative<bool*>(flag->target)) word.value = "true";
  if (!word.value && !following.empty()) {
    word.value = following.front();
    following = following.subspan(1);
  }
  if (!word.value) return invalid(fmt::format("{} needs a value", dashed(word.name)));
  const auto read =
      std::visit(Reader{.text = *word.value, .rules = flag->rules, .first = !flag->given}, flag->target);
  if (!read) return fail(read.error().context(dashed(flag->name)));
  flag->given = true;
  return {};
}

Flags::Bound* Flags::find(std::string_view name) {
  const auto found = std::ranges::find(flags_, name, &Bound::name);
  return found == flags_.end() ? nullptr : &*found;
}

std::string Flags::nearest(std::string_view name) const {
  std::vector<std::string_view> known;
  for (const Bound& flag : flags_) known.push_back(flag.name);
  const std::string_view best = closest(name, known);
  return best.empty() ? "" : fmt::format(" (did you mean {}?)", dashed(best));
}

std::string Flags::help(std::string_view usage) const {
  std::string text = fmt::format("{}\n", usage);
  std::string_view group;
  auto shown = flags_;
  std::ranges::rotate(shown, shown.begin() + kBuiltIn.size());  // what every program has comes last
  for (const Bound& flag : shown) {
    if (flag.group != group) text += fmt::format("\n{}:\n", flag.group);
    group = flag.group;
    const std::string_view type =
        flag.rules.choices.empty() ? std::visit(TypeName(), flag.target) : flag.rules.choices;
    text += fmt::format("  {}{}{}\n", dashed(flag.name), type.empty() ? "" : " ", type);
    const bool has_default = !flag.default_value.empty() && flag.default_value != "false";
    text += wrapped(
        fmt::format("{}{}", flag.help, has_default ? " (default " + flag.default_value + ")" : ""), 6);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> Flags::effective() const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const Bound& flag : std::span(flags_).subspan(kBuiltIn.size())) {
    values.emplace_back(flag.name, std::visit(Printer(), flag.target));
  }
  return values;
}

std::string Flags::completion(std::string_view program) const {
  const auto answer = [](std::string_view before, std::string_view compgen) {
    return fmt::format("    {}) COMPREPLY=($(compgen {} -- \"$word\")); return ;;\n", before, compgen);
  };
  std::vector<std::string> names;
  std::vector<std::string> with_value;
  std::string values;
  for (const Bound& flag : flags_) {
    names.push_back(dashed(flag.name));
    if (std::holds_alternative<bool*>(flag.target)) continue;
    if (flag.rules.choices.empty()) {
      with_value.push_back(dashed(flag.name));
    } else {
      values +=
          answer(dashed(flag.name), fmt::format("-W \"{}\"", fmt::join(split(flag.rules.choices, '|'), " ")));
    }
  }
  if (!with_value.empty()) values += answer(fmt::format("{}", fmt::join(with_value, "|")), "-f");
  const std::string function = identifier(program) + "_flags";
  const std::size_t end_of_name = program.find(' ');
  const std::string registration = end_of_name == program.npos
                                       ? fmt::format("complete -o default -F _{} {}\n", function, program)
                                       : by_command(program.substr(0, end_of_name));
  return fmt::format(
      "_{0}() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  case \"$before\" in\n"
      "{1}"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"{2}\" -- \"$word\"))\n"
      "}}\n"
      "{3}",
      function, values, fmt::join(names, " "), registration);
}

namespace {

std::string identifier(std::string_view program) {
  std::string name(program);
  std::ranges::replace(name, '-', '_');
  std::ranges::replace(name, ' ', '_');
  return name;
}

// One program, a script a command: the first word is completed to the commands whose scripts were read, the
// others by the script of the command.
std::string by_command(std::string_view program) {
  return fmt::format(
      "_{0}_commands() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" flags=\"_{0}_${{COMP_WORDS[1]}}_flags\"\n"
      "  if [[ $COMP_CWORD -gt 1 ]]; then\n"
      "    if declare -F \"$flags\" >/dev/null; then \"$flags\"; fi\n"
      "    return\n"
      "  fi\n"
      "  COMPREPLY=($(compgen -A function \"_{0}_$word\" | sed -n \"s/^_{0}_\\(.*\\)_flags$/\\1/p\"))\n"
      "}}\n"
      "complete -o default -F _{0}_commands {1}\n",
      identifier(program), program);
}

}  // namespace

}  // namespace capstan
