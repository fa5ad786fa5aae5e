// What is to become of a Cluster: its provider objects owned, its endpoint and flags filled in, its
// kubeconfig kept, or everything below it taken down in order. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "controllers/cluster/observe.h"
#include "controllers/cluster/provider.h"
#include "runtime/paused.h"

namespace capstan::controllers::cluster {

enum class Role { Infrastructure, ControlPlane };
enum class ChildKind { MachinePool, MachineDeployment, MachineSet, Machine };

// Label and owner reference of this Cluster onto a provider's object. Before, where another Cluster is among
// its owners and in no cache: make sure, live, that it is gone.
struct OwnProvider {
  Role role = Role::Infrastructure;
};
// No control plane object makes the kubeconfig: look after the Secret.
struct KeepKubeconfig {};
struct DeleteChild {
  ChildKind kind = ChildKind::Machine;
  kube::ObjectKey key = {};
  api::Uid uid = {};
  bool operator==(const DeleteChild&) const = default;
};
// Before: make sure, live, that no Machine that belongs to this Cluster is left.
struct DeleteProvider {
  Role role = Role::Infrastructure;
};
// Before: make sure, live, that both provider objects are gone.
struct DropFinalizer {};
using Action = std::variant<OwnProvider, KeepKubeconfig, DeleteChild, DeleteProvider, DropFinalizer>;

// For Events.
struct Note {
  bool warning = false;
  std::string reason = {};
  std::string message = {};
  bool operator==(const Note&) const = default;
};

struct Plan {
  runtime::Paused pause = {};
  bool add_finalizer = false;  // also of a paused Cluster

  Provider infrastructure = {};
  Provider control_plane = {};
  bool infrastructure_provisioned = false;  // the flags of the status from now on
  bool control_plane_initialized = false;
  std::optional<api::ApiEndpoint> endpoint = {};  // to be written into the spec

  // Of the condition Deleting; an empty reason: it is not being deleted.
  std::string_view deleting_reason = {};
  std::string deleting_message = {};

  std::vector<Action> actions = {};
  std::vector<Note> notes = {};
  std::optional<Seconds> recheck = {};
};

Plan decide(const Observation& seen);

// How a failed action of a deletion is told in the condition.
inline constexpr std::string_view kSeeLogs = "Please check controller logs for errors";

}  // namespace capstan::controllers::cluster
