// What a turn of a MachinePool is going to do, and why. Made by decide.h and deletion.h, carried out by
// act.h, shown by report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "controllers/machinepool/observation.h"
#include "controllers/machinepool/size.h"
#include "controllers/safety/fleet_asking.h"
#include "controllers/shared/node_change.h"
#include "controllers/shared/provider_claim.h"

namespace capstan::controllers::machinepool {

using Nodes = std::vector<Snapshot<api::Node>>;

// --- the pool and the provider's objects ---

// Metadata and spec. Without it nothing else happens.
struct WritePool {
  Snapshot<api::MachinePool> from = {};
  api::MachinePool to = {};
  bool operator==(const WritePool&) const = default;
};
// The provider's object gets these owners, the pool as its controller, and the label of its Cluster.
struct ClaimProvider {
  Provider which = {};
  ProviderClaim to = {};
  bool operator==(const ClaimProvider&) const = default;
};
// Guard of the deletions after it: a live read confirms that the pool's list has all instances that the
// infrastructure names. Those it lacks are added, and the rest waits for the next turn.
struct ConfirmList {
  bool operator==(const ConfirmList&) const = default;
};
struct DeleteProvider {
  Provider which = {};
  bool operator==(const DeleteProvider&) const = default;
};
// Guard of everything after it: live reads confirm that both provider objects are gone, and that none is left
// that the pool owns and no longer names.
struct ConfirmGone {
  bool operator==(const ConfirmGone&) const = default;
};
struct DropFinalizer {
  bool operator==(const DropFinalizer&) const = default;
};

// --- Machines ---

struct CreateMachine {
  api::Machine machine = {};
  bool operator==(const CreateMachine&) const = default;
};
// Sent only when it would change something.
struct ApplyMachine {
  Snapshot<api::Machine> from = {};
  api::Machine to = {};
  bool operator==(const ApplyMachine&) const = default;
};
// The API server invented a field manager for a Machine that had none; ours takes its place. The next turn
// applies what is wanted.
struct RepairManagers {
  Snapshot<api::Machine> machine = {};
  bool operator==(const RepairManagers&) const = default;
};
// The condition UpToDate, which the pool owns.
struct WriteUpToDate {
  Snapshot<api::Machine> from = {};
  api::Machine to = {};
  bool operator==(const WriteUpToDate&) const = default;
};
// Its provider's object is gone. Guard: a live read finds it missing, too; otherwise the Machine stays.
struct DeleteMachine {
  Snapshot<api::Machine> machine = {};
  bool operator==(const DeleteMachine&) const = default;
};

// Of one that was Unhealthy for too long by the policy of its life: it may be replaced.
struct GrantReplacement {
  Snapshot<api::Machine> machine = {};
  bool operator==(const GrantReplacement&) const = default;
};
// It has failed by that policy, or is named: deleted in the version that was seen. The provider makes another
// instance.
struct ReplaceMachine {
  Snapshot<api::Machine> machine = {};
  bool named = false;  // by capstan.dev/victims
  // As what a person has confirmed it, where the deletion guard held it: the time at which it was named.
  std::string confirmed = {};
  bool operator==(const ReplaceMachine&) const = default;
};
using safety::AskFleet;
// The annotation capstan.dev/confirm-deletion of the pool goes: what it confirmed is being deleted.
struct UseConfirmation {
  bool operator==(const UseConfirmation&) const = default;
};
// The annotation capstan.dev/victims of the pool becomes what is left of it.
struct WriteVictims {
  std::string from = {};
  std::string to = {};  // empty: there is none any more
  std::vector<std::string> dropped = {};
  std::string overruled = {};  // what an alias says beside it
  bool operator==(const WriteVictims&) const = default;
};

// --- Nodes ---

// After one has failed, later ones wait: they would fail the same way.
struct WriteNode {
  Snapshot<api::Node> node = {};
  NodeChange change = {};
  bool operator==(const WriteNode&) const = default;
};
// Nodes of instances that left the list: emptied where `drain` says so, then deleted. Guard: the list is read
// live once more, and Nodes that it names stay; so do Nodes that another claimant has. At most 500 are
// deleted in a turn.
struct RetireNodes {
  Nodes nodes = {};
  bool drain = false;
  bool operator==(const RetireNodes&) const = default;
};
// Of a pool that goes: what comes after it waits until all of them are empty and their volumes detached.
struct DrainNodes {
  Nodes nodes = {};
  Time since = {};
  bool operator==(const DrainNodes&) const = default;
};
// Of a pool that goes. Guard: Nodes that another claimant has stay. After a failure what comes after it
// waits, unless they are tried only once.
struct DeleteNodes {
  Nodes nodes = {};
  bool once = false;
  bool operator==(const DeleteNodes&) const = default;
};

// Carried out in this order. Where nothing else is said, one that fails does not keep the others from
// happening.
using Action = std::variant<WritePool, ClaimProvider, ConfirmList, DeleteProvider, ConfirmGone, DropFinalizer,
                            CreateMachine, ApplyMachine, RepairManagers, WriteUpToDate, DeleteMachine,
                            GrantReplacement, ReplaceMachine, AskFleet, UseConfirmation, WriteVictims,
                            WriteNode, RetireNodes, DrainNodes, DeleteNodes>;

struct Plan {
  // Nothing can be said yet: a cache is still being filled. Write nothing, look again so soon.
  std::optional<Nanoseconds> too_early = {};
  std::vector<Action> actions = {};
  bool unfinished = false;  // there was too much for one turn

  // What report() needs to know of a pool that stays.
  api::MachinePool wanted = {};  // metadata, spec and status.initialization after this turn
  Size size = {};
  BootstrapFinding bootstrap = {};
  ListFinding list = {};
  Nodes waiting = {};                               // of instances that left the list; they are not to go now
  std::size_t held = 0;                             // Nodes and Machines that a shut brake alone keeps
  std::vector<std::string> troubles = {};           // what can't go on; keeps observedGeneration back
  std::vector<std::string> replacements_held = {};  // why Machines that are not well are not replaced now
  std::vector<std::string> replacements_wait = {};  // for a place: which Machines, and whose place
  std::vector<std::string> victims_held = {};       // why Machines that are named are not deleted now

  // Of a pool that goes, for its condition.
  std::string_view reason = {};
  std::string message = {};

  std::optional<Seconds> recheck = {};
  bool operator==(const Plan&) const = default;
};

// The plan deletes that Machine already, for whichever reason: one deletion is enough.
bool deletes(const Plan& plan, const api::Machine& machine);

// A line per action, for logs and tests.
std::vector<std::string> describe(const Plan& plan);

}  // namespace capstan::controllers::machinepool
