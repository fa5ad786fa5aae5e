#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

// Beginnings of labels whose suites scripts/test runs, whatever else runs them again.
constexpr std::array<std::string_view, 3> kEverywhere = {"sanitize", "unsanitized", "lint"};
constexpr std::string_view kTests = "scripts/test";

bool is_cmake(const SourceFile& file) {
  return file.path.ends_with(".cmake") || file.name() == "CMakeLists.txt";
}

struct Label {
  std::string_view name;
  std::size_t offset = 0;
};

// The word behind each `LABELS` of a CMake file; a variable or a quoted list is none.
std::vector<Label> labels_of(std::string_view text) {
  constexpr std::string_view kKeyword = "LABELS ";
  std::vector<Label> labels;
  for (auto at = text.find(kKeyword); at != std::string_view::npos; at = text.find(kKeyword, at)) {
    at += kKeyword.size();
    const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
    if (end != at) labels.push_back({.name = text.substr(at, end - at), .offset = at});
  }
  return labels;
}

bool runs_everywhere(std::string_view label) {
  return std::ranges::any_of(kEverywhere, [&](auto begin) { return label.starts_with(begin); });
}

// What stands between the bars of -LE '^(a|b)$'.
bool leaves_out(const SourceFile* tests, std::string_view label) {
  if (tests == nullptr) return false;
  const std::string_view text = tests->text;
  const auto begin = text.find("-LE '^(");
  if (begin == std::string_view::npos) return false;
  const auto list = text.substr(begin + 7, text.find(')', begin) - begin - 7);
  return fmt::format("|{}|", list).find(fmt::format("|{}|", label)) != std::string::npos;
}

bool has_stage(const Tree& tree, std::string_view label) {
  const auto runs = [&](std::string_view path) {
    const SourceFile* script = tree.find(path);
    return script != nullptr &&
           (script->text.find(fmt::format("-L '^{}$'", label)) != std::string::npos ||
            script->text.find(fmt::format("run_suites {} ", label)) != std::string::npos);
  };
  return runs(".ci/run") || runs("scripts/envtest") || runs("scripts/kind");
}

}  // namespace

Findings check_stages(const Tree& tree) {
  Findings findings;
  const SourceFile* tests = tree.find(kTests);
  for (const SourceFile& file : tree.files) {
    if (!is_cmake(file)) continue;
    for (const Label& label : labels_of(file.text)) {
      if (runs_everywhere(label.name)) continue;
      const auto report = [&](std::string message) {
        findings.push_back({.file = file.path,
                            .line = file.line_at(label.offset),
                            .rule = "stages",
                            .message = std::move(message)});
      };
      if (!leaves_out(tests, label.name))
        report(fmt::format("{} runs suites of {}, which need more than it has: name it in its -LE", kTests,
                           label.name));
      if (!has_stage(tree, label.name))
        report(fmt::format("none of .ci/run, scripts/envtest and scripts/kind runs the suites of {}",
                           label.name));
    }
  }
  return findings;
}

}  // namespace capstan::lint
