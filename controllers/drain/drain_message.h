// What a drain that is not finished says in the Machine's condition, line by line as upstream words it, for
// the hints about delays are made by looking for these words; lines that upstream does not have come after
// them. Pure.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace capstan::controllers::drain {

// Names are "namespace/name", sorted.
struct DrainProgress {
  Time started = {};
  std::vector<std::string> terminating = {};
  std::vector<std::string> overdue = {};
  // By what is wrong: a budget that allows nothing, a Namespace that goes, an error.
  std::map<std::string, std::vector<std::string>> failed = {};
  std::vector<std::string> wait_completed = {};
  std::vector<std::string> evict_later = {};
  std::vector<std::string> wait_later = {};
  std::vector<std::string> in_turn = {};         // with volumes, each after the one before
  std::string next_waits_for = {};               // the first of them
  std::vector<std::string> contradictions = {};  // between drain rules, a line each
  std::set<std::string> hopeless = {};           // budgets that never allow an eviction, a line each
};
std::string drain_message(const DrainProgress& progress);

// "a, b, c, ... (2 more)"
std::string some_of(std::span<const std::string> names, std::size_t shown);

// What eviction errors are called as keys of `failed`.
inline constexpr std::string_view kRoundIsOver = "eviction timeout of 10s reached, eviction will be retried";
inline constexpr std::string_view kReplaced = "another Pod of that name has come, it will be looked at anew";
inline constexpr std::string_view kNamespaceGoes =
    "Cannot evict pod from terminating namespace: unable to create eviction (kube-controller-manager should "
    "set "
    "deletionTimestamp)";

}  // namespace capstan::controllers::drain
