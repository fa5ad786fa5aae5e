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
#include "controllers/shared/deps.h"

namespace capstan::controllers::machine {

// A provider's object the Machine refers to.
struct ExternalSeen {
  enum class State {
    Unused,       // there is no such reference
    CacheBehind,  // its kind is not listed yet: nothing is known
    Unreadable,   // `problem` says why the reference leads nowhere
    Missing,      // listed, and not there
    Found,
  };
  State state = State::Unused;
  kube::Resource resource = {};
  api::contract::ContractVersion contract = api::contract::ContractVersion::V1Beta2;
  kube::ObjectKey key = {};
  Snapshot<api::contract::ContractObject> object = {};  // null unless Found
  const runtime::Observed* cache = nullptr;             // for the consistency gate
  std::string problem = {};
  bool listed_soon = true;  // of CacheBehind; false: its list fails, `problem` says how
  bool undefined = false;   // of Unreadable: its kind has no definition, as far as the cache knows

  bool found() const { return state == State::Found; }
  bool missing() const { return state == State::Missing; }
  bool unknown() const { return state == State::CacheBehind || state == State::Unreadable; }
  // As the runtime has it; nothing while the reference leads nowhere.
  std::optional<runtime::External> external() const;
};

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
};

struct Observation {
  Time now = {};
  bool fresh = true;                                 // otherwise nothing may be deleted
  Snapshot<api::Machine> machine = {};               // never null
  Snapshot<api::Cluster> cluster = {};               // null: not in the cache
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

// The provider's object behind a reference, as far as the caches know.
ExternalSeen see_external(runtime::ExternalRefs& externals, const api::ContractRef& ref,
                          std::string_view namespace_);

}  // namespace capstan::controllers::machine
