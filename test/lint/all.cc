#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "test/lint/exceptions.h"
#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

using Allowed = std::pair<std::string_view, std::string_view>;  // rule and file or folder

bool allows(const Exception& exception, const Finding& finding) {
  if (exception.rule != finding.rule) return false;
  return exception.file.ends_with('/') ? finding.file.starts_with(exception.file)
                                       : finding.file == exception.file;
}

Findings unneeded_exceptions(const std::set<Allowed>& needed) {
  Findings findings;
  for (const Exception& exception : kExceptions) {
    if (needed.contains({exception.rule, exception.file})) continue;
    findings.push_back(
        {.file = "test/lint/exceptions.h",
         .line = 0,
         .rule = "exceptions",
         .message = fmt::format("{} no longer needs its exception from {}", exception.file, exception.rule)});
  }
  return findings;
}

}  // namespace

Findings check_all(const Tree& tree) {
  Findings findings;
  std::set<Allowed> needed;
  for (const auto check :
       {&check_floors, &check_homes, &check_light_headers, &check_banned_words, &check_purity,
        &check_header_form, &check_own_header_first, &check_loops, &check_removals, &check_machine_paths,
        &check_docs, &check_citations, &check_subjects, &check_stages, &check_fixture_names, &check_own_keys,
        &check_metric_names, &check_safety_page, &check_mutants}) {
    for (Finding& finding : check(tree)) {
      const auto* exception = std::ranges::find_if(
          kExceptions, [&](const Exception& allowed) { return allows(allowed, finding); });
      if (exception == kExceptions.end()) {
        findings.push_back(std::move(finding));
      } else {
        needed.emplace(exception->rule, exception->file);
      }
    }
  }
  for (Finding& finding : unneeded_exceptions(needed)) findings.push_back(std::move(finding));
  std::ranges::sort(findings);
  return findings;
}

}  // namespace capstan::lint
