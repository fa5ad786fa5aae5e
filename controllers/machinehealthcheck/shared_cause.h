// Whether so many targets of one Cluster, failure domain or pool turned unhealthy together that what they
// share broke, and not they. Asked for by a MachineLifecyclePolicy, never without one. Pure, and without a
// memory: everything follows from when conditions of objects last changed.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/policy/machine_lifecycle_policy.h"
#include "base/instant.h"
#include "base/time.h"

namespace capstan::controllers::machinehealthcheck {

// One target, as far as it is evidence.
struct Symptom {
  const api::MachineLifecyclePolicy* policy = nullptr;  // the one that governs it; null: it is left out
  std::string_view failure_domain = {};                 // empty: in none
  std::string_view pool = {};                           // empty: of none
  Time ill_since = {};                                  // unset: not ill
  Time well_since = {};  // of one that came back while remediation was on hold; unset otherwise
};

// The wider ones first.
enum class Scope { Cluster, FailureDomain, Pool };

// Why the targets of one domain are left alone.
struct Evidence {
  Scope scope = Scope::Cluster;
  std::string domain = {};  // of a Cluster: empty
  std::string policy = {};
  std::int32_t targets = 0;
  std::int32_t ill = 0;        // together, in one window
  std::int32_t recovered = 0;  // a window ago or later
  Time first = {};             // of the ill ones
  Time last = {};
  Time last_recovery = {};
  Seconds window = {};
  std::int32_t threshold_percent = 0;
  bool operator==(const Evidence&) const = default;
};

struct SharedCauseVerdict {
  std::vector<bool> held = {};           // per symptom
  std::vector<Evidence> evidence = {};   // the strongest first; without what it explains already
  std::optional<Nanoseconds> next = {};  // when time alone may change the verdict
  bool holds() const { return !evidence.empty(); }
  bool operator==(const SharedCauseVerdict&) const = default;
};

SharedCauseVerdict shared_cause(std::span<const Symptom> symptoms, WallTime now);

// For the condition: what was seen, what it means, what ends it.
std::string describe(const SharedCauseVerdict& verdict, std::string_view cluster);

}  // namespace capstan::controllers::machinehealthcheck
