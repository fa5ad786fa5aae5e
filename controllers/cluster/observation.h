// What a Cluster looks at before it decides: the Cluster, the two provider objects behind it, everything that
// belongs to it, and what is known about the way to its API server. Gathered by observe.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/contract/contract_object.h"
#include "api/contract/version.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"
#include "base/time.h"
#include "controllers/cluster/connection_probe.h"
#include "controllers/cluster/ownership.h"
#include "controllers/safety/freeze.h"
#include "kubeconfig/reach.h"
#include "runtime/observed.h"
#include "runtime/snapshot.h"

namespace capstan::controllers::cluster {

using runtime::Snapshot;

// An object of a provider that the Cluster refers to.
struct Referred {
  bool wanted = false;           // there is a reference at all
  std::string kind = {};         // of the reference
  std::string problem = {};      // why we can't tell whether it exists; empty: we can
  bool loading = false;          // with a problem: only because its cache is being filled
  bool definition_gone = false;  // with a problem: its CRD does not exist, so nor can the object
  // With a problem: what the API server said itself, in a version it serves (look_live). `live` is null where
  // there is no such object or it is not this Cluster's.
  bool asked_live = false;
  std::optional<api::ObjectMeta> live = {};
  kube::Resource resource = {};
  api::contract::ContractVersion contract = api::contract::ContractVersion::V1Beta2;
  kube::ObjectKey key = {};
  // Null without a problem: it does not exist, or belongs to another Cluster.
  Snapshot<api::contract::ContractObject> object = {};
  const runtime::Observed* cache = nullptr;
  Claim claim = {};
  // Another object of that kind which this Cluster owns: what the reference named before, most likely.
  std::string also_owned = {};

  // Of the object or of what was read live; null: there is none that is this Cluster's or might be.
  const api::ObjectMeta* metadata() const;
};

// What says that it belongs to this Cluster and does not, for people: "Machine m1 is labelled with Cluster
// ...".
using Strays = std::vector<std::string>;

// Those that belong to this Cluster (controllers/shared/belonging.h), in the order of their names.
struct Descendants {
  std::vector<Snapshot<api::MachinePool>> pools = {};
  std::vector<Snapshot<api::MachineDeployment>> deployments = {};
  std::vector<Snapshot<api::MachineSet>> sets = {};
  std::vector<Snapshot<api::Machine>> control_plane_machines = {};
  std::vector<Snapshot<api::Machine>> worker_machines = {};
  Strays strays = {};
  std::vector<std::string> unreadable = {};  // what is wrong with those that can't be decoded
};

struct Observation {
  Time now = {};
  Snapshot<api::Cluster> cluster = {};  // never null
  Referred infrastructure = {};
  Referred control_plane = {};
  Descendants descendants = {};
  kubeconfig::Reach reach = {};
  Seconds connection_grace = kConnectionGrace;
  safety::Frozen frozen = {};  // by a person
  bool loading = false;        // the cache of a provider's kind is being filled: nothing can be said yet
  bool fresh = true;           // what we wrote is in the caches
  std::string stale = {};      // what is missing, for people
};

bool is_control_plane(const api::Machine& machine);
// The Machines of a MachinePool are counted by their pool.
bool is_pool_machine(const api::Machine& machine);
// There is an owner reference to this Cluster, whatever its API version.
bool is_owned(const api::ObjectMeta& object, const api::Cluster& cluster);

}  // namespace capstan::controllers::cluster
