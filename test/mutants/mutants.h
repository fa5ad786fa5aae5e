// Mutants: a program without one of its rules. A suite runs them to prove that it would notice. Beside each
// mutant stands the promise that must be broken; nothing else counts, neither another promise nor a process
// that died. `sim --mutants` and `conformance --defects` are made of this.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capstan::mutants {

struct Mutant {
  std::string name = {};     // of the rule it lacks
  std::string promise = {};  // by words of its breach; '|' separates alternatives
};

// Whether what was broken is that promise.
bool is_about(std::string_view breach, std::string_view promise);

// What is wrong with a list, a sentence each: a mutant that the program does not know, one that stands there
// twice or names no promise, one that the program knows and the list lacks.
std::vector<std::string> faults_of(std::span<const Mutant> listed, std::span<const std::string> known);

// Those whose name or promise holds `filter`; it is an error when there are none.
Result<std::vector<Mutant>> chosen(std::span<const Mutant> listed, std::string_view filter);

struct Verdict {
  bool noticed = false;
  std::string how = {};  // "caught by seed 17"
};

// Runs each and prints a line for each. How many went unnoticed.
int count_unnoticed(std::span<const Mutant> mutants, const std::function<Verdict(const Mutant&)>& run);

}  // namespace capstan::mutants
