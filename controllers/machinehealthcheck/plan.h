// What a turn of a MachineHealthCheck is going to do, and why. Made by decide.h, carried out by act.h, shown
// by report.h. A plain value.
#pragma once

#include <optional>
#include <vector>

#include "controllers/machinehealthcheck/allowance.h"
#include "controllers/machinehealthcheck/checks.h"
#include "controllers/machinehealthcheck/shared_cause.h"
#include "runtime/paused.h"

namespace capstan::controllers::machinehealthcheck {

struct Plan {
  runtime::Paused pause = {};
  bool cluster_missing = false;  // then nothing else is known
  bool own = false;              // the check lacks its label or its owner reference
  bool judged = false;           // everything below is known

  std::vector<Verdict> verdicts = {};  // one per target, in the same order
  Counts counts = {};
  bool selects_none = false;  // the Cluster is up and has Machines, but none that it selects
  Allowance allowance = {};
  SharedCauseVerdict shared_cause = {};
  // The sick ones are handed to whoever remediates, but for those that are held.
  bool remediate = false;
  bool held(std::size_t target) const {
    return target < shared_cause.held.size() && shared_cause.held[target];
  }
  // Per target: another check that selects it too finds it sick, and what that says of it stays.
  std::vector<bool> told_by_another = {};
  bool is_told_by_another(std::size_t target) const {
    return target < told_by_another.size() && told_by_another[target];
  }
  std::optional<Nanoseconds> recheck = {};
};

}  // namespace capstan::controllers::machinehealthcheck
