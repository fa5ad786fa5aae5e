#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

bool is_pure(const SourceFile& file) {
  if (file.is_test()) return false;
  const std::string_view name = file.name();
  const bool rules = file.folder() == "api" && name.contains("_rules.");
  return rules || name.starts_with("decide.") || name.starts_with("report.") || name.contains("_protocol.") ||
         file.path.starts_with("api/conditions/");
}

// By file name, so that kube/client.h, kube/remote_client.h and net/http_client.h are all clients.
constexpr std::array<std::string_view, 8> kImpure = {"clock.h",      "client.h",  "log.h",      "metrics.h",
                                                     "randomness.h", "threads.h", "deadline.h", "guarded.h"};
constexpr std::array<std::string_view, 5> kImpureStandard = {"random", "thread", "mutex", "fstream",
                                                             "iostream"};

bool is_impure(const Include& include) {
  if (include.angled) return std::ranges::find(kImpureStandard, include.name) != kImpureStandard.end();
  if (include.name == "base/names.h") return true;  // the name generator; api/names.h are constants
  return std::ranges::any_of(kImpure, [&](std::string_view name) {
    return include.name.ends_with("/" + std::string(name)) || include.name.ends_with("_" + std::string(name));
  });
}

}  // namespace

Findings check_purity(const Tree& tree) {
  Findings findings;
  for (const SourceFile& file : tree.files) {
    if (!is_pure(file)) continue;
    for (const Include& include : file.includes) {
      if (!is_impure(include)) continue;
      findings.push_back({.file = file.path,
                          .line = include.line,
                          .rule = "purity",
                          .message = fmt::format("a pure file includes {}: what it needs to know arrives as "
                                                 "an argument (times: base/instant.h)",
                                                 include.name)});
    }
  }
  return findings;
}

}  // namespace capstan::lint
