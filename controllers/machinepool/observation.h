// What the MachinePool controller looks at before it decides: the pool, its Cluster, the provider's objects
// behind it, the Nodes of its instances and, where the provider has them, its Machines. Gathered by
// observe.h, judged by decide.h and report.h. A plain value.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/core/node.h"
#include "api/policy/lifecycle.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_pool.h"
#include "base/error.h"
#include "base/time.h"
#include "controllers/lifecycle/contact.h"
#include "controllers/machinepool/providers.h"
#include "controllers/safety/deletion_rules.h"
#include "controllers/safety/fleet_request.h"
#include "controllers/safety/freeze.h"
#include "controllers/shared/policies.h"
#include "kubeconfig/reach.h"
#include "runtime/brake.h"

namespace capstan::controllers::machinepool {

// One providerID of the list as it will be, and the Node that has it.
struct Instance {
  Text provider_id = {};
  Snapshot<api::Node> node = {};   // null: none, or several
  std::vector<Text> doubles = {};  // names, when there are several
  bool behind = false;             // `node` is older than the pool's last write to it
  bool has_machine = false;        // whose controller looks after the Node
  // Another claimant has it (controllers/claims), or another pool lists it, too, and the Node says it is that
  // one's; of a pool that goes: whatever it says.
  bool shared = false;
};

// Machines of the pool, where its provider has an object for each instance.
struct MachinesSeen {
  enum class State {
    Unsupported,  // the provider has none
    Unknown,      // `problem` says why they can't be listed; empty: not yet
    Known,
  };
  State state = State::Unsupported;
  kube::Resource resource = {};  // of the provider's objects
  std::string problem = {};
  std::vector<Snapshot<api::contract::ContractObject>> objects = {};
  std::vector<Snapshot<api::Machine>> machines = {};   // controlled by the pool, or without a controller yet
  std::vector<Snapshot<api::Machine>> unmanaged = {};  // of `machines`: field managers have to be repaired
  std::vector<runtime::Unreadable> unreadable_objects = {};  // those that Machines refer to
  std::vector<runtime::Unreadable> unreadable = {};          // Machines of the namespace
};

enum class Provider { Infrastructure, Bootstrap };

struct Observation {
  Time now = {};
  bool fresh = true;                     // otherwise nothing may be created or deleted
  Snapshot<api::MachinePool> pool = {};  // never null; spec.clusterName is the Cluster it belongs to
  std::string misnamed = {};             // why that is not what the user wrote
  Snapshot<api::Cluster> cluster = {};   // null: not in the cache
  ExternalSeen bootstrap = {};
  ExternalSeen infra = {};
  InfraFinding infra_says = {};
  std::vector<std::string> anothers = {};  // why instances are not the pool's: Machines claim them, too
  std::vector<Text> taken = {};            // providerIDs that another pool had first: "pool: id"
  std::vector<Text> late = {};       // named_late() of a pool that goes, less those that another pool lists
  bool emptied_for_sure = false;     // an empty list was seen for the second time, by a live read
  bool comes_back = false;           // it was empty a moment ago, and lacks some of what it had
  safety::Frozen frozen = {};        // by a person or by the number of its instances
  runtime::Verdict may_delete = {};  // what stands for an instance that has left
  bool drains = false;  // a policy wants Nodes emptied before they go; never of a pool with Machines
  // What its policy gives Nodes, where one governs it.
  std::optional<api::PolicyNodeTemplate> node_template = {};
  bool policy_known = true;
  PolicySnapshot policy = {};  // of the life of its Machines, or of what its Nodes show; null: none
  lifecycle::Contact contact = {};
  runtime::Verdict may_replace = {};          // what stands for a Machine that has failed
  safety::DeletionRules deletion_rules = {};  // their guard counts of named Machines alone
  runtime::Verdict may_scale_down = {};       // what stands for a Machine that the pool names to go
  safety::FleetSeen fleet = {};               // what the FleetPolicy says of deletions
  bool connected = false;                     // to the workload cluster
  kubeconfig::Reach reach = {};
  std::vector<Instance> instances = {};  // empty while not connected
  // Those of status.nodeRefs that still exist, are of none of these instances and of no other pool's.
  std::vector<Snapshot<api::Node>> former = {};
  MachinesSeen machines = {};
  // Live reads that failed: what they would have shown is as the caches have it, and the turn fails.
  std::vector<Error> errors = {};

  bool deleting() const { return pool->metadata.deleting(); }
  const ExternalSeen& provider(Provider which) const {
    return which == Provider::Infrastructure ? infra : bootstrap;
  }
};

}  // namespace capstan::controllers::machinepool
