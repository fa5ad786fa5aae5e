// Machines that a health check found unhealthy and handed to their set: which of them go now, which wait, and
// why. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/v1beta2/machine_deployment.h"
#include "controllers/machineset/deletion_order.h"

namespace capstan::controllers::machineset {

struct RemediationQuestion {
  const Machines& machines;
  Time now = {};
  const api::MachineDeployment* deployment = nullptr;  // null: no limit
  bool outdated = false;                               // the set is being rolled away anyway
  bool fresh = true;                                   // otherwise no further Machine is judged
  std::vector<std::string> held = {};                  // preflight or a brake stand against it; one line each
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
  std::string problem = {};       // maxInFlight makes no sense
  bool held = false;              // something would have been remediated now
};

// Found unhealthy and handed over, whether being deleted or not.
bool awaits_remediation(const api::Machine& machine);

Remediation remediate(const RemediationQuestion& question);

}  // namespace capstan::controllers::machineset
