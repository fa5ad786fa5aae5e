// All that a turn of a MachineSet looks at: its Machines, the Machines of its Cluster that nothing controls,
// and a handful of single objects. Gathered by observe.h, judged by decide.h and report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/contract/contract_object.h"
#include "api/core/node.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_set.h"
#include "controllers/lifecycle/contact.h"
#include "controllers/machineset/deletion_order.h"
#include "controllers/machineset/known_machines.h"
#include "controllers/machineset/preflight.h"
#include "controllers/safety/census.h"
#include "controllers/safety/deletion_rules.h"
#include "controllers/safety/fleet_request.h"
#include "runtime/brake.h"
#include "runtime/observed.h"

namespace capstan::controllers::machineset {

// A template the set refers to.
struct TemplateSeen {
  enum class State {
    Unused,    // there is no such reference
    Unlisted,  // its kind is not listed yet: come back soon
    Unknown,   // its kind can't be listed: `problem` says why
    Missing,   // listed, and not there
    Found,
  };
  State state = State::Unused;
  api::ContractRef ref = {};
  kube::Resource resource = {};
  Snapshot<api::contract::ContractObject> object = {};  // null unless Found
  const runtime::Observed* cache = nullptr;             // for the consistency gate
  std::string problem = {};

  bool missing() const { return state == State::Missing; }
  bool operator==(const TemplateSeen&) const = default;
};

// A bootstrap or infrastructure object: one of a Machine, or one that belongs to the set itself because it
// was made before its Machine, and no Machine has taken it over.
struct CloneSeen {
  kube::Resource resource = {};
  const runtime::Observed* cache = nullptr;
  Snapshot<api::contract::ContractObject> object = {};
  bool operator==(const CloneSeen&) const = default;
};

// A Machine that may not be as the set wants it.
struct UnsettledMachine {
  Snapshot<api::Machine> machine = {};
  std::vector<CloneSeen> clones = {};  // its own: bootstrap, then infrastructure, as far as they are there
  // Not there although it would have the Machine's name, and as far as the Machine knows nothing has come of
  // it.
  bool lacks_bootstrap = false;
  bool lacks_infrastructure = false;
  bool as_made_now =
      true;              // named and referring as the set would make it: what it lacks is the set's to make
  bool complete = true;  // otherwise their kinds are not listed yet
  bool listed_soon = true;  // false: something is wrong with them

  bool unfinished() const { return lacks_bootstrap || lacks_infrastructure; }
  bool operator==(const UnsettledMachine&) const = default;
};

struct Observation {
  Time now = {};
  KnownMachines settled = {};  // they are not looked at
  bool fresh = true;           // otherwise nothing may be created, deleted or cleaned up
  std::string stale = {};      // why not

  Snapshot<api::MachineSet> stored = {};  // as it was read; never null
  api::MachineSet set = {};               // the same with its defaults
  std::string problem = {};      // what is wrong with its spec, field and remedy named; empty: nothing
  std::string unconfirmed = {};  // part of the problem: whom a changed selector would release, unconfirmed
  Snapshot<api::Cluster> cluster = {};               // null: not there
  Snapshot<api::MachineDeployment> deployment = {};  // null: none, or not there
  bool deployment_missing = false;                   // a label names one that is not there
  bool exchanges = false;  // Machines may come from its siblings, or go there, updated in place

  Machines machines = {};                        // controlled by the set and matched by its selector
  std::vector<Snapshot<api::Node>> nodes = {};   // one per Machine, null where there is none
  bool sees_nodes = false;                       // otherwise all are null, and their health is not known
  std::vector<UnsettledMachine> unsettled = {};  // those of them to look at
  Machines strays = {};                          // controlled by the set, but no longer matched
  Machines orphans = {};                         // matched, and controlled by nothing
  // Those that are there, can't be decoded and may be the set's.
  std::vector<runtime::Unreadable> unreadable = {};

  TemplateSeen bootstrap = {};
  TemplateSeen infrastructure = {};
  std::vector<CloneSeen> clones = {};
  Snapshot<api::MachineLifecyclePolicy> policy = {};  // of the life of its Machines; null: none governs that
  lifecycle::Contact contact = {};                    // with the workload cluster
  safety::FleetSeen fleet = {};                       // what the FleetPolicy says of deletions
  // Machines of the other sets of the deployment, and how many of theirs lack: only where a policy counts
  // them beside a Machine of this set that is to be remediated.
  Machines siblings = {};
  std::int32_t siblings_missing = 0;
  safety::SetCensus census = {};  // how many Machines there are, its siblings' and released ones included
  std::vector<api::Uid> about_to_be_preserved = {};  // Machines that the policy's own turn is to mark now
  safety::DeletionRules deletion_rules = {};         // of whichever policy governs them
  ControlPlaneSeen control_plane = {};
  std::optional<std::string> topology_version = {};
  std::vector<std::string> preflight_checks = {};  // of the flag

  runtime::Verdict may_create = {};
  runtime::Verdict may_scale_down = {};
  runtime::Verdict may_remediate = {};

  bool deleting() const { return stored->metadata.deleting(); }
  // The garbage collector is taking the set out of its Machines, as --cascade=orphan wants it.
  bool orphaning() const;
  std::int32_t desired() const { return deleting() ? 0 : set.spec.replicas.value_or(0); }
  // Machines of the set but for those that lack an object.
  std::int32_t finished() const;
  // Of an old template: the deployment has moved on.
  bool outdated() const;
  // The same, or about to be: the deployment has another template, and has not said so by its revision yet.
  bool is_rolled_away() const;
};

}  // namespace capstan::controllers::machineset
