// Machines that a health check found unhealthy and handed to their set, and those that have failed by the
// policy of their life: which of them go now, which wait, and why. Pure.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/machine_deployment.h"
#include "controllers/lifecycle/contact.h"
#include "controllers/machineset/deletion_order.h"

namespace capstan::controllers::machineset {

struct RemediationQuestion {
  const Machines& machines;
  Time now = {};
  const api::MachineDeployment* deployment = nullptr;  // null: no limit
  bool outdated = false;                               // the set is being rolled away anyway
  bool fresh = true;                                   // otherwise no further Machine is judged
  std::vector<std::string> held = {};                  // preflight or a brake stand against it; one line each
  // Of the life of the Machines; null: none governs that, and none fails by it.
  const api::MachineLifecyclePolicySpec* policy = nullptr;
  lifecycle::Contact contact = {};
  std::int32_t desired = 0;
  // Of the other sets of the deployment, which share the policy's count; and how many of theirs lack.
  std::span<const Snapshot<api::Machine>> siblings = {};
  std::int32_t siblings_missing = 0;
  // Those that stay although they have failed; null: none.
  std::function<bool(const api::Machine&)> kept = {};
};

// The condition OwnerRemediated of one Machine has to change.
struct Mark {
  Snapshot<api::Machine> before = {};
  api::Machine after = {};
  bool operator==(const Mark&) const = default;
};

struct Remediation {
  std::vector<Mark> marks = {};   // written, nothing else
  std::vector<Mark> remove = {};  // written, then the Machine is deleted
  Machines replace = {};          // have failed: deleted as they were seen
  std::string problem = {};       // maxInFlight makes no sense
  bool held = false;              // something would have been remediated now, or waits for other sets
};

// Found unhealthy and handed over, whether being deleted or not.
bool awaits_remediation(const api::Machine& machine);

// Says that it has failed, and is not being deleted yet. Whether that still holds is asked before it goes.
bool awaits_replacement(const api::Machine& machine);

Remediation remediate(const RemediationQuestion& question);

// What a Machine says whose deletion waits for a window, a person or the FleetPolicy. Nothing: it says no
// other reason of ours, or this one already.
std::optional<Mark> mark_of_held(const Snapshot<api::Machine>& machine, std::string_view set, Time now);

}  // namespace capstan::controllers::machineset
