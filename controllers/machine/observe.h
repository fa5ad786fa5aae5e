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

namespace capstan::controllers::machine {

// A provider's object the Machine refers to.
struct ExternalSeen {
  enum class State {
    Unused,       // there is no such reference
    CacheBehind,  // its kind is not listed yet: nothing is known
    Undefined,    // its definition does not exist: nor can the object, once a live read has found the same
    Unreadable,   // it is there, or may be, and can't be read: `problem` says why
    Missing,      // listed, and not there
    Found,
  };
  State state = State::Unused;
  kube::Resource resource = {};
  api::contract::ContractVersion contract = api::contract::ContractVersion::V1Beta2;
  kube::ObjectKey key = {};
  Snapshot<api::contract::ContractObject> object = {};  // null unless Found
  const runtime::Observed* cache = nullptr;             // for the consistency gate
  std::string problem = {};  // of Found: why `object` is an earlier state than the newest
  bool listed_soon = true;   // of CacheBehind; false: its list fails, `problem` says how
  bool live = false;  // of Found: a live look has shown its metadata, the caches can't; `problem` says why
  // Of Found: which other one that names the object has the better right to it; empty unless none controls
  // it.
  std::string right_of = {};

  bool found() const { return state == State::Found; }
  bool missing() const { return state == State::Missing; }
  bool unknown() const {
    return state == State::CacheBehind || state == State::Undefined || state == State::Unreadable;
  }
  // As the runtime has it; nothing while the reference leads nowhere.
  std::optional<runtime::External> external() const;
};

bool is_uncontrolled(const ExternalSeen& external);

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

// The provider's object behind a reference, as far as the caches know.
ExternalSeen see_external(runtime::ExternalRefs& externals, const api::ContractRef& ref,
                          std::string_view namespace_);

}  // namespace capstan::controllers::machine
