#include "test/mutants/mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ranges>
#include <set>

namespace capstan::mutants {

bool is_about(std::string_view breach, std::string_view promise) {
  return std::ranges::any_of(std::views::split(promise, '|'), [&](const auto& words) {
    return !words.empty() && breach.contains(std::string_view(words.begin(), words.end()));
  });
}

std::vector<std::string> faults_of(std::span<const Mutant> listed, std::span<const std::string> known) {
  std::vector<std::string> faults;
  std::set<std::string_view> seen;
  for (const Mutant& mutant : listed) {
    if (std::ranges::find(known, mutant.name) == known.end())
      faults.push_back(fmt::format("there is no mutant {}", mutant.name));
    if (!seen.insert(mutant.name).second) faults.push_back(fmt::format("{} is listed twice", mutant.name));
    if (mutant.promise.empty()) faults.push_back(fmt::format("{} names no promise", mutant.name));
  }
  for (const std::string& name : known) {
    if (!seen.contains(name))
      faults.push_back(fmt::format("{} is not listed beside the promise that must notice it", name));
  }
  return faults;
}

Result<std::vector<Mutant>> chosen(std::span<const Mutant> listed, std::string_view filter) {
  std::vector<Mutant> found;
  for (const Mutant& mutant : listed) {
    if (mutant.name.contains(filter) || mutant.promise.contains(filter)) found.push_back(mutant);
  }
  if (found.empty()) return fail(Code::NotFound, fmt::format("no mutant and no promise holds `{}`", filter));
  return found;
}

int count_unnoticed(std::span<const Mutant> mutants, const std::function<Verdict(const Mutant&)>& run) {
  int unnoticed = 0;
  for (const Mutant& mutant : mutants) {
    const Verdict verdict = run(mutant);
    unnoticed += verdict.noticed ? 0 : 1;
    fmt::print("without {}: {}{}, by \"{}\"\n", mutant.name,
               verdict.noticed ? "" : "NOT CAUGHT: ", verdict.how, mutant.promise);
    std::fflush(stdout);
  }
  return unnoticed;
}

}  // namespace capstan::mutants
