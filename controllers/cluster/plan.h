// What a turn of a Cluster is going to do, and why. Made by decide.h, carried out by act.h, shown by
// report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "controllers/cluster/observation.h"
#include "controllers/cluster/provider.h"
#include "controllers/shared/note.h"
#include "runtime/paused.h"

namespace capstan::controllers::cluster {

enum class Role { Infrastructure, ControlPlane };
enum class ChildKind { MachinePool, MachineDeployment, MachineSet, Machine };

// Also onto a paused Cluster. Nothing else is done before it is there.
struct AddFinalizer {
  bool operator==(const AddFinalizer&) const = default;
};
// A user who sets it at the same moment wins.
struct WriteEndpoint {
  api::ApiEndpoint from = {};
  api::ApiEndpoint to = {};
  bool operator==(const WriteEndpoint&) const = default;
};
// Label and owner reference of this Cluster onto a provider's object. Before, where another Cluster is among
// its owners and in no cache: make sure, live, that it is gone.
struct OwnProvider {
  Role role = Role::Infrastructure;
  api::ObjectMeta from = {};
  api::ObjectMeta to = {};
  bool operator==(const OwnProvider&) const = default;
};
// No control plane object makes the kubeconfig: look after the Secret.
struct KeepKubeconfig {
  bool operator==(const KeepKubeconfig&) const = default;
};
struct DeleteChild {
  ChildKind kind = ChildKind::Machine;
  kube::ObjectKey key = {};
  api::Uid uid = {};
  bool operator==(const DeleteChild&) const = default;
};
// Before: make sure, live, that no Machine that belongs to this Cluster is left.
struct DeleteProvider {
  Role role = Role::Infrastructure;
  bool operator==(const DeleteProvider&) const = default;
};
// Before: make sure, live, that both provider objects are gone.
struct DropFinalizer {
  bool operator==(const DropFinalizer&) const = default;
};
using Action = std::variant<AddFinalizer, WriteEndpoint, OwnProvider, KeepKubeconfig, DeleteChild,
                            DeleteProvider, DropFinalizer>;

struct Plan {
  // Nothing can be said yet: a cache is still being filled. Write nothing, look again so soon.
  std::optional<Nanoseconds> too_early = {};
  runtime::Paused pause = {};

  Provider infrastructure = {};
  Provider control_plane = {};
  bool infrastructure_provisioned = false;  // the flags of the status from now on
  bool control_plane_initialized = false;

  // Of the condition Deleting; an empty reason: it is not being deleted.
  std::string_view deleting_reason = {};
  std::string deleting_message = {};

  std::vector<Action> actions = {};
  std::vector<Note> notes = {};
  std::optional<Seconds> recheck = {};
  bool operator==(const Plan&) const = default;
};

// A line per action, for logs and tests.
std::vector<std::string> describe(const Plan& plan);

// How a failed action of a deletion shows in the condition.
inline constexpr std::string_view kSeeLogs = "Please check controller logs for errors";
inline constexpr std::string_view kTopologyRemedy =
    "Capstan reconciles no topologies: the objects of this Cluster are reconciled as they are, and "
    "spec.topology changes none of them. Let Cluster API's own core manager reconcile this Cluster, or make "
    "one that has spec.infrastructureRef and spec.controlPlaneRef instead of spec.topology";

}  // namespace capstan::controllers::cluster
