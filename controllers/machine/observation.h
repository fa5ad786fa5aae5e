// What the Machine controller looks at before it decides: the Machine, its Cluster and owners, the provider's
// objects behind it and its Node. Gathered by observe.h, judged by decide.h and report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/core/node.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_set.h"
#include "controllers/claims/verdict.h"
#include "controllers/machine/settings.h"
#include "controllers/shared/external_seen.h"
#include "kubeconfig/reach.h"

namespace capstan::controllers::machine {

struct NodeSeen {
  enum class Lookup {
    NotAsked,  // no providerID yet
    NotConnected,
    None,
    One,
    Many,
  };
  Lookup lookup = Lookup::NotAsked;
  Snapshot<api::Node> node = {};        // null unless One
  std::vector<std::string> names = {};  // of Many
  bool deleted = false;                 // of None: the API server has confirmed it (lost_node.h)
  bool behind = false;                  // of One: the cache shows it as it was before our last write
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
  Snapshot<api::MachineLifecyclePolicy> governed_by = {};  // whatever it asks for; null: none selects it
  // What governs its life; null: nothing does. Unknown while policies are not listed yet.
  Snapshot<api::MachineLifecyclePolicy> policy = {};
  bool policy_known = true;
  bool keeper_gone = false;  // the policy that preserved it without being asked for; the server says so
  Settings settings = {};
  bool emptied = false;  // its Node has been drained while it is preserved, as far as this process knows

  bool deleting() const { return machine->metadata.deleting(); }
  bool cluster_deleting() const { return cluster && cluster->metadata.deleting(); }
  bool is_control_plane() const { return machine->metadata.labels.contains(api::label::kControlPlane); }
};

}  // namespace capstan::controllers::machine
