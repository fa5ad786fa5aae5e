// What a turn of a DriverMachinePool is going to do, and why. Made by decide.h, carried out by act.h, shown
// by report.h. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "infrastructure/controller/brakes.h"
#include "infrastructure/controller/pool/observation.h"
#include "runtime/paused.h"
#include "runtime/readiness.h"

namespace capstan::infrastructure::pool {

// Before the cloud is asked for VMs: the finalizer and, of a group that keeps its VMs itself, the key by
// which they are found again and the account they will be in. Bound to the version that was seen.
struct SignOn {
  bool mint_key = false;  // a random one, made when it is written, and the account with it
  api::Finalizers from = {};
  api::Finalizers to = {};
  bool operator==(const SignOn&) const = default;
};
// An autoscaler decides the size: the MachinePool follows. Bound to the version that was seen: a user who
// takes the pool back meanwhile, and says another size, is not overwritten.
struct SetReplicas {
  Snapshot<api::MachinePool> owner = {};
  std::optional<std::int32_t> from = {};
  std::int32_t to = 0;
  bool operator==(const SetReplicas&) const = default;
};

// --- VMs that the group keeps itself ---
// As many as wanted; nothing: as many as there are. sizing.h says which, once the cloud has listed them.
struct SizeGroup {
  std::optional<std::size_t> wanted = {};
  Brakes brakes = {};
  std::optional<Refusal> refusal = {};  // none is made before
  bool operator==(const SizeGroup&) const = default;
};
struct RemoveGroup {
  bool operator==(const RemoveGroup&) const = default;
};

// --- instances that are Machines ---
// Goes by its Machine, which is drained first; without one itself.
struct RemoveMember {
  Member member = {};
  bool operator==(const RemoveMember&) const = default;
};
// Goes and is replaced if a live look at its Machine still finds the marks of a health check.
struct ReplaceMember {
  Member member = {};
  std::string failure_domain = {};  // of the new one
  bool operator==(const ReplaceMember&) const = default;
};
struct CreateMember {
  std::string failure_domain = {};  // empty: the driver chooses
  bool operator==(const CreateMember&) const = default;
};
// The provider IDs of the instances that are there, and the annotation that names victims without those that
// went.
struct WriteList {
  std::set<std::string> from = {};
  std::set<std::string> to = {};
  std::vector<std::string> victims_gone = {};
  std::size_t working = 0;  // how many instances have a VM and stay
  bool operator==(const WriteList&) const = default;
};
// The owner's mark goes from a Machine that is well again.
struct DropMark {
  Snapshot<api::Machine> machine = {};
  bool operator==(const DropMark&) const = default;
};

struct DropFinalizer {
  bool operator==(const DropFinalizer&) const = default;
};

using Action = std::variant<SignOn, SetReplicas, SizeGroup, RemoveGroup, RemoveMember, ReplaceMember,
                            CreateMember, WriteList, DropMark, DropFinalizer>;

struct Plan {
  runtime::Paused paused = {};
  std::vector<Action> actions = {};  // one after the other; one that fails ends the turn
  std::optional<runtime::Waiting> waiting = {};
  std::optional<std::size_t> wanted = {};  // instances; nothing: as many as there are
  Brakes brakes = {};
  std::optional<runtime::Readiness> flaw = {};  // what Ready says in the end, if nothing worse happens
  std::optional<Seconds> recheck = {};
  bool operator==(const Plan&) const = default;
};

// What Ready says of a group that grows or shrinks, or is kept from it: that is no news.
runtime::Readiness resizing(std::string message);

// One line per action.
std::string describe(const Plan& plan);

}  // namespace capstan::infrastructure::pool
