// Who is sick, who is well, and whether the sick ones may be remediated. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/machinehealthcheck/allowance.h"
#include "controllers/machinehealthcheck/checks.h"
#include "runtime/paused.h"

namespace capstan::controllers::machinehealthcheck {

struct Plan {
  runtime::Paused pause = {};
  bool own = false;     // the check lacks its label or its owner reference
  bool judged = false;  // everything below is known

  std::vector<Verdict> verdicts = {};  // one per target, in the same order
  Counts counts = {};
  Allowance allowance = {};
  // The sick ones are handed to whoever remediates.
  bool remediate = false;
  std::optional<Nanoseconds> recheck = {};
};

Plan decide(const Observation& seen);

// The label and the owner reference a check carries.
api::ObjectMeta owned_metadata(const api::MachineHealthCheck& check, const api::Cluster& cluster);

}  // namespace capstan::controllers::machinehealthcheck
