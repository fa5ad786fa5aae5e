// What a turn of a DriverCluster is going to do, and why. Made by decide.h, carried out by act.h, shown by
// report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/meta/object_key.h"
#include "api/v1beta2/cluster.h"
#include "infrastructure/controller/orphans/classify.h"
#include "runtime/paused.h"
#include "runtime/readiness.h"

namespace capstan::infrastructure::cluster {

// What every VM of the cluster will carry. Bound to the version that was seen: it is minted once.
struct MintKey {
  bool operator==(const MintKey&) const = default;
};
// Before a control plane is made: the finalizer, without which it would outlive the object, and the
// annotation that says who makes it.
struct SignOn {
  api::Finalizers from = {};
  api::Finalizers to = {};
  bool operator==(const SignOn&) const = default;
};
// There is a control plane and the object says where. An endpoint that was written once is promised to
// others: another one is trouble, not a correction.
struct ProvideControlPlane {
  api::ObjectKey cluster = {};
  bool write_authority = false;  // the Secret from which the Cluster controller makes the kubeconfig
  bool operator==(const ProvideControlPlane&) const = default;
};
// The control plane is another's matter: the object is provisioned as its user wrote it.
struct TakeEndpoint {
  api::ApiEndpoint endpoint = {};
  bool operator==(const TakeEndpoint&) const = default;
};
struct RemoveControlPlane {
  api::ObjectKey cluster = {};
  bool operator==(const RemoveControlPlane&) const = default;
};
struct DropFinalizer {
  bool operator==(const DropFinalizer&) const = default;
};

// --- VMs that carry the key of the cluster and are no object's ---
// The time is written on the VM, for the next list to show.
struct MarkOrphan {
  Finding vm = {};
  bool operator==(const MarkOrphan&) const = default;
};
// It is an object's after all.
struct UnmarkVm {
  Finding vm = {};
  bool operator==(const UnmarkVm&) const = default;
};
// Goes if live looks at the objects that might own it, at its account and at the VM itself find no reason to
// keep it.
struct RemoveOrphan {
  Finding vm = {};
  bool operator==(const RemoveOrphan&) const = default;
};
// The Cluster asks the FleetPolicy for the deletion of an orphan, and none is to be deleted any more.
struct GiveUpPlace {
  bool operator==(const GiveUpPlace&) const = default;
};

using Action = std::variant<MintKey, SignOn, ProvideControlPlane, TakeEndpoint, RemoveControlPlane,
                            DropFinalizer, MarkOrphan, UnmarkVm, RemoveOrphan, GiveUpPlace>;

struct Plan {
  runtime::Paused paused = {};
  std::vector<Action> actions = {};  // one after the other; one that fails ends the turn
  std::optional<runtime::Waiting> waiting = {};
  std::optional<Seconds> recheck = {};
  bool operator==(const Plan&) const = default;
};

// One line per action.
std::string describe(const Plan& plan);

}  // namespace capstan::infrastructure::cluster
