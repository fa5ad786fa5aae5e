// All that a turn of a MachineDeployment looks at: its MachineSets, their Machines, the templates it names,
// its Cluster and the time. Gathered by observe.h, judged by decide.h and report.h. A plain value.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_deployment.h"
#include "controllers/inplace/observation.h"
#include "controllers/lifecycle/contact.h"
#include "controllers/safety/census.h"
#include "controllers/safety/deletion_rules.h"
#include "kube/resource.h"
#include "runtime/brake.h"
#include "runtime/observed.h"

namespace capstan::controllers::machinedeployment {

template <typename T>
using Snapshot = std::shared_ptr<const T>;

// A provider's template that the deployment refers to.
struct TemplateSeen {
  enum class State {
    NotNamed,  // there is no such reference
    Exists,
    Missing,
    Unlisted,  // will be known in a moment
    Unknown,   // can't be found out; `problem` says why
  };
  State state = State::NotNamed;
  std::string field = {};  // "spec.template.spec.infrastructureRef"
  std::string kind = {};
  std::string name = {};
  std::string problem = {};
  kube::Resource resource = {};  // the rest only while it exists
  api::OwnerReferences owners = {};
  api::ResourceVersion version = {};
  bool operator==(const TemplateSeen&) const = default;
};

// What the annotation capstan.dev/rollback-to asks for, and whether what that needs is there.
struct RollbackSeen {
  std::string wanted = {};                // its value
  Snapshot<api::MachineSet> target = {};  // the set that has the template; null: there is none
  TemplateSeen infrastructure = {};       // what that template refers to
  TemplateSeen bootstrap = {};
};

// A MachineSet that it selects, that has no controller and that it could not adopt.
struct Unadopted {
  std::string set = {};
  std::string why = {};
  api::Uid uid = {};
  bool refused = false;  // by a definite answer
};

// A MachineSet whose status is from before the last change of its spec, since when it is so.
struct Waiting {
  api::Uid set = {};
  Time since = {};
};

struct Observation {
  Time now = {};
  Snapshot<api::MachineDeployment> stored = {};  // never null: as the API server has it
  api::MachineDeployment deployment = {};        // the same with its defaults, whether or not a webhook ran
  std::string no_defaults = {};                  // why they could not be found
  Snapshot<api::Cluster> cluster = {};  // it belongs to; null: there is none, the API server itself says so
  std::string misnamed = {};  // its spec.clusterName names another one: what is wrong, and the remedy
  TemplateSeen infrastructure = {};
  TemplateSeen bootstrap = {};
  std::vector<Snapshot<api::MachineSet>> sets = {};  // it controls them, but for the next
  // It controls them, they are on their way out, and only finalizers of others keep them: they have no
  // Machines, get none, and are no part of a rollout.
  std::vector<Snapshot<api::MachineSet>> departed = {};
  std::vector<std::string> unreadable = {};  // what is wrong with MachineSets of it that can't be decoded
  std::vector<Snapshot<api::MachineSet>> orphans = {};  // it selects them, they have no controller
  std::vector<Unadopted> unadopted =
      {};  // known once it was tried; whom it was refused is no orphan any more
  std::vector<Snapshot<api::MachineSet>> unmanaged =
      {};                                             // of `sets`: field managers have to be repaired first
  std::vector<Snapshot<api::Machine>> machines = {};  // of its sets, as far as it selects them, by name
  std::vector<Snapshot<api::Machine>> owned = {};     // of its sets, selected or not
  std::vector<runtime::Unreadable> unreadable_machines = {};  // they may be of its sets
  std::vector<Waiting> waiting = {};                          // of its sets
  Snapshot<api::MachineLifecyclePolicy> policy = {};  // of the life of its Machines; null: none governs that
  Snapshot<api::MachineLifecyclePolicy> governed_by = {};  // whatever it asks for; null: none selects it
  std::optional<api::PolicyRollout> rollout = {};          // of the policy that selects it, where it has one
  inplace::Observation updates = {};                       // of Machines in place
  std::optional<RollbackSeen> rollback = {};
  safety::DeploymentCensus census = {};  // whether there are too many Machines; MachineSets it has lost
  bool has_ceiling = false;              // lost MachineSets are to be noted
  runtime::Verdict may_roll = {};        // otherwise its sets stay as large as they are
  runtime::Verdict may_remediate = {};
  safety::DeletionRules deletion_rules = {};  // of whichever policy selects it
  lifecycle::Contact contact = {};            // with the workload cluster
  std::string suffix = {};                    // five letters for the name of a new set
  bool complete = true;  // false: caches lag behind what we wrote; nothing may be made or taken away
};

}  // namespace capstan::controllers::machinedeployment
