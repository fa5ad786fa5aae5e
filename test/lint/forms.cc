#include <fmt/format.h>

#include <array>
#include <string>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

// Written in two parts, or this file would be a finding.
constexpr std::array<std::string_view, 2> kMachinePaths = {
    "/ro"
    "ot/",
    "/wo"
    "rk/"};

bool guards_itself(std::string_view text) {
  while (text.starts_with("//") || text.starts_with('\n'))
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  return text.starts_with("#pragma once\n");
}

// The header that this source proves: "base/log.h" for base/log.cc, or for base/log_test.cc when there is no
// source.
std::string own_header(const Tree& tree, std::string_view path) {
  const auto stem = [&](std::string_view ending) {
    return std::string(path.substr(0, path.size() - ending.size()));
  };
  if (path.ends_with("_test.cc") && tree.find(stem("_test.cc") + ".cc") == nullptr)
    return stem("_test.cc") + ".h";
  return path.ends_with(".cc") ? stem(".cc") + ".h" : "";
}

// Behind the parenthesis that closes the one at `open`.
std::size_t end_of_parenthesis(std::string_view code, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (code[at] == '(') ++depth;
    if (code[at] == ')' && --depth == 0) return at + 1;
  }
  return code.size();
}

// "const auto& one : *all(of, them)": what the call returned is gone before the first turn.
bool loops_over_what_a_call_pointed_at(std::string_view head) {
  const auto colon = head.find(" : *");
  return colon != std::string_view::npos && head.ends_with(')');
}

}  // namespace

Findings check_header_form(const Tree& tree) {
  Findings findings;
  for (const SourceFile& file : tree.files) {
    if (!file.is_header()) continue;
    const auto report = [&](std::size_t line, std::string message) {
      findings.push_back(
          {.file = file.path, .line = line, .rule = "header-form", .message = std::move(message)});
    };
    if (!file.text.starts_with("//"))
      report(1, "begins with a comment: what it is, who uses it, which threads");
    if (!guards_itself(file.text)) report(1, "#pragma once comes right behind the first comment");
    const auto opened = file.code.find("using namespace ");
    if (opened != std::string::npos)
      report(file.line_at(opened), "using namespace in a header decides for its users");
  }
  return findings;
}

Findings check_own_header_first(const Tree& tree) {
  Findings findings;
  for (const SourceFile& file : tree.files) {
    const std::string header = own_header(tree, file.path);
    if (header.empty() || tree.find(header) == nullptr) continue;
    if (!file.includes.empty() && file.includes.front().name == header) continue;
    findings.push_back({.file = file.path,
                        .line = file.includes.empty() ? 1 : file.includes.front().line,
                        .rule = "own-header-first",
                        .message = fmt::format("the first include is \"{}\"", header)});
  }
  return findings;
}

Findings check_loops(const Tree& tree) {
  constexpr std::string_view kFor = "for (";
  Findings findings;
  for (const SourceFile& file : tree.files) {
    const std::string_view code = file.code;
    for (auto at = code.find(kFor); at != std::string_view::npos; at = code.find(kFor, at + 1)) {
      const std::size_t begin = at + kFor.size();
      const std::size_t end = end_of_parenthesis(code, begin - 1) - 1;
      if (end <= begin || !loops_over_what_a_call_pointed_at(code.substr(begin, end - begin))) continue;
      findings.push_back(
          {.file = file.path,
           .line = file.line_at(at),
           .rule = "dangling-loop",
           .message = "the result of a call, dereferenced, ends before the loop begins: name it"});
    }
  }
  return findings;
}

Findings check_removals(const Tree& tree) {
  constexpr std::array<std::string_view, 5> kRemovals = {".remove(", "->remove(", ".evict(", "->evict(",
                                                         "kube::remove<"};
  Findings findings;
  for (const SourceFile& file : tree.files) {
    const bool meant = file.path.starts_with("controllers/") && !file.is_test() &&
                       file.path != "controllers/claims/removal.cc";
    if (!meant) continue;
    for (const std::string_view removal : kRemovals) {
      for (auto at = file.code.find(removal); at != std::string::npos; at = file.code.find(removal, at + 1)) {
        findings.push_back(
            {.file = file.path,
             .line = file.line_at(at),
             .rule = "removals",
             .message = "delete and evict through controllers/claims/removal.h, which asks whose it is"});
      }
    }
  }
  return findings;
}

Findings check_machine_paths(const Tree& tree) {
  Findings findings;
  for (const SourceFile& file : tree.files) {
    for (const std::string_view path : kMachinePaths) {
      for (auto at = file.text.find(path); at != std::string::npos; at = file.text.find(path, at + 1)) {
        findings.push_back({.file = file.path,
                            .line = file.line_at(at),
                            .rule = "machine-paths",
                            .message = fmt::format("{} exists on one machine only", path)});
      }
    }
  }
  return findings;
}

}  // namespace capstan::lint
