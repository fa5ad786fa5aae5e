// Whether one target is well: the rules of a MachineHealthCheck applied to one Machine and its Node, and when
// they have to be applied again because time alone may change the answer. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controllers/machinehealthcheck/observation.h"

namespace capstan::controllers::machinehealthcheck {

enum class Health {
  Healthy,
  Unhealthy,
  Pending,    // something is wrong, but not for long enough
  Undecided,  // nothing is wrong, but there is no Node yet, or it is being deleted
};

struct Verdict {
  Health health = Health::Undecided;
  // Of an unhealthy one; `old_` in the form of v1beta1.
  std::string_view reason = {};
  std::string message = {};
  std::string_view old_reason = {};
  std::string old_message = {};
  std::optional<Nanoseconds> next_check = {};  // from now; of a pending one
  // When the trouble of an unhealthy or pending one began; unset: by hand, or there is none.
  Time ill_since = {};
  // When the last of the checked conditions of a healthy one turned good; unset: it never was bad.
  Time well_since = {};
  bool operator==(const Verdict&) const = default;
};

// What holds for all targets of one turn.
struct Circumstances {
  WallTime now = {};
  bool control_plane_initialized = false;
  bool infrastructure_ready = false;
  Time since = {};  // both of them were so at the latest; unset: never
  // When the workload cluster was reached again; unset: it is not.
  Time contact = {};
};
Circumstances circumstances_of(const api::Cluster& cluster, WallTime now);

Verdict judge(const Target& target, const api::HealthChecks& checks, const Circumstances& when);

}  // namespace capstan::controllers::machinehealthcheck
