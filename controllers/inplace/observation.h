// What updates in place look at beside the MachineDeployment and its MachineSets: the Machines with their
// Nodes, and what the policy says. Gathered by see_updates.h, judged by decide.h. A plain value.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/core/node.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/machine.h"
#include "controllers/inplace/update_mark.h"
#include "controllers/lifecycle/contact.h"
#include "controllers/safety/windows.h"

namespace capstan::controllers::inplace {

struct MachineSeen {
  std::shared_ptr<const api::Machine> machine = {};  // never null
  std::string set = {};                              // the MachineSet that controls it
  std::optional<UpdateMark> mark = {};
  std::shared_ptr<const api::Node> node = {};  // null: there is none, or it can't be seen
  bool behind = false;     // null for a moment: the cache shows it as it was before our last write
  bool contested = false;  // the Node is claimed by something else, too
};

struct Observation {
  std::optional<api::PolicyInPlace> wanted = {};  // nothing: no Machine is updated in place
  std::vector<MachineSeen> machines = {};         // by name; empty where nothing asks for updates in place
  bool sees_nodes = false;                        // otherwise none of them is known
  lifecycle::Contact contact = {};                // with the workload cluster
  safety::WindowVerdict window = {};              // whether a rollout may begin to take a Node out of use
};

}  // namespace capstan::controllers::inplace
