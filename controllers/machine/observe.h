// What the Machine controller looks at before it decides: the Machine, its Cluster and owners, the provider's
// objects behind it and its Node. Visits one object of each kind per turn. A plain value; observe() reads
// caches and never blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/contract/contract_object.h"
#include "api/contract/version.h"
#include "api/core/node.h"
#include "controllers/claims/claims.h"
#include "controllers/shared/belonging.h"
#include "controllers/shared/deps.h"
#include "controllers/shared/external_seen.h"

namespace capstan::controllers::machine {

struct NodeSeen {
  enum class Lookup {
    NotAsked,      // no providerID yet
    NotConnected,  // nobody to ask
    None,
    One,
    Many,
  };
  Lookup lookup = Lookup::NotAsked;
  Snapshot<api::Node> node = {};        // null unless One
  std::vector<std::string> names = {};  // of Many
  kubeconfig::Reach reach = {};
  claims::Verdict whose = {};  // by the providerID; that of a Node which is not the Machine's is left alone

  // The Machine's own.
  bool found() const { return lookup == Lookup::One && whose.ours(); }
};

struct Observation {
  Time now = {};
  bool fresh = true;  // otherwise nothing may be deleted
  // Never null. Its spec.clusterName is the Cluster it belongs to, whatever the Machine itself says.
  Snapshot<api::Machine> machine = {};
  std::string contradiction = {};       // spec.clusterName names another Cluster than the one it belongs to
  Snapshot<api::Cluster> cluster = {};  // null: not in the cache
  Snapshot<api::MachineSet> machine_set = {};        // any owner of that kind; null: none, or not seen
  Snapshot<api::MachineDeployment> deployment = {};  // of the MachineSet
  ExternalSeen bootstrap = {};
  ExternalSeen infra = {};
  NodeSeen node = {};
  std::shared_ptr<kubeconfig::WorkloadCluster> workload =
      {};  // null while not connected; act's, not decide's

  bool deleting() const { return machine->metadata.deleting(); }
  bool cluster_deleting() const { return cluster && cluster->metadata.deleting(); }
  bool is_control_plane() const { return machine->metadata.labels.contains(api::label::kControlPlane); }
};

Observation observe(const Deps& deps, const Host& host, bool fresh, Snapshot<api::Machine> machine);

// A Node under the Machine's providerID, or under the Node's own where the Machine has none.
claims::Instance instance_of(const api::Machine& machine, const api::Node& node);

// `machine` as if it named the Cluster it belongs to: then nothing is made, labelled or deleted for another
// one. The same snapshot where it does.
Snapshot<api::Machine> of_its_cluster(Snapshot<api::Machine> machine, const Belonging& belonging);

}  // namespace capstan::controllers::machine
