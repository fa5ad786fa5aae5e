// What a turn of a MachineDeployment is going to do, and why. Made by decide.h, carried out by act.h, shown
// by report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "controllers/inplace/plan.h"
#include "controllers/machinedeployment/faults.h"
#include "controllers/machinedeployment/observation.h"
#include "controllers/rollout/fleet.h"
#include "controllers/shared/note.h"

namespace capstan::controllers::machinedeployment {

using rollout::Count;

// The deployment's own labels, annotations, owners and finalizers, in one patch. First of all when the
// finalizer is missing, before anything is made that would have to be cleaned up, and when MachineSets are
// released, which it notes; else last.
struct WriteMetadata {
  api::ObjectMeta from = {};
  api::ObjectMeta to = {};
  bool operator==(const WriteMetadata&) const = default;
};
// The Cluster becomes an owner of a template, so that both move and go together.
struct OwnTemplate {
  TemplateSeen which = {};
  api::OwnerReferences from = {};
  api::OwnerReferences to = {};
  bool operator==(const OwnTemplate&) const = default;
};
// The deployment becomes the controller of a MachineSet. One live read a turn guards it: that the deployment
// is not being deleted.
struct AdoptSet {
  Snapshot<api::MachineSet> set = {};
  api::OwnerReferences from = {};
  api::OwnerReferences to = {};
  bool operator==(const AdoptSet&) const = default;
};
// The API server invented a field manager for a set that had none; ours takes its place.
struct RepairManagers {
  Snapshot<api::MachineSet> set = {};
  bool operator==(const RepairManagers&) const = default;
};
struct CreateSet {
  api::MachineSet set = {};
  bool operator==(const CreateSet&) const = default;
};
// Sent only when it would change something.
struct ApplySet {
  Snapshot<api::MachineSet> present = {};
  api::MachineSet wanted = {};
  Count from = 0;
  Count to = 0;
  bool while_paused = false;
  bool operator==(const ApplySet&) const = default;
};
// The selector does not match it any more: it is left to the Cluster and runs on.
struct ReleaseSet {
  Snapshot<api::MachineSet> set = {};
  api::OwnerReferences from = {};
  api::OwnerReferences to = {};
  bool operator==(const ReleaseSet&) const = default;
};
struct DeleteSet {
  Snapshot<api::MachineSet> set = {};
  bool operator==(const DeleteSet&) const = default;
};
struct DropFinalizer {
  bool operator==(const DropFinalizer&) const = default;
};
// An Unhealthy Machine may be replaced: its MachineSet does that.
struct GrantReplacement {
  Snapshot<api::Machine> machine = {};
  bool operator==(const GrantReplacement&) const = default;
};
// The server shows the Machine as it was seen; otherwise nothing that follows is done.
struct ConfirmMachine {
  Snapshot<api::Machine> machine = {};
  bool operator==(const ConfirmMachine&) const = default;
};
// A step of the update in place of one of its Machines.
struct UpdateInPlace {
  inplace::Action action = {};
  bool operator==(const UpdateInPlace&) const = default;
};
// The annotation capstan.dev/victims becomes what is left of it.
struct WriteVictims {
  std::string from = {};
  std::string to = {};
  std::vector<std::string> dropped = {};  // for Events: each entry that went, and why
  std::string overruled = {};             // for an Event: an alias that says something else
  bool operator==(const WriteVictims&) const = default;
};

// The template becomes that of an earlier revision; the annotation that asked for it goes in the same write.
struct RollBack {
  std::string revision = {};
  api::MachineTemplate to = {};
  bool operator==(const RollBack&) const = default;
};
// That annotation goes, and nothing else happens.
struct RefuseRollback {
  api::NoteCode code = api::NoteCode::RollbackRefused;
  std::string why = {};
  bool operator==(const RefuseRollback&) const = default;
};

using Action = std::variant<WriteMetadata, OwnTemplate, AdoptSet, ReleaseSet, RepairManagers, CreateSet,
                            ApplySet, DeleteSet, ConfirmMachine, UpdateInPlace, GrantReplacement,
                            WriteVictims, RollBack, RefuseRollback, DropFinalizer>;

struct Plan {
  // A first list is not complete: nothing is done or said. Look again so soon.
  std::optional<Nanoseconds> too_early = {};
  std::vector<Action> actions = {};
  std::vector<Note> notes = {};
  std::optional<Seconds> recheck = {};
  std::vector<Fault> faults = {};
  // Why old Machines stay as they are for now, though the rollout would delete or update them.
  std::vector<std::string> held = {};
  std::string held_by = {};                 // the one of these that a person or time opens; empty: none
  std::string replacements_wait = {};       // Unhealthy Machines whose time is over, and why they stay
  std::vector<std::string> waits_for = {};  // MachineSets that have not acted for a minute
  std::string brake = {};                   // by which brake its sets stay as large as they are
  bool stuck = false;                       // the spec was not acted on: observedGeneration stays behind
  bool rolls_back = false;                  // its write brings the next turn, which reports
  // The deletion guard has to know how many Machines the policy governs: count them and decide again.
  bool needs_count = false;
  Snapshot<api::MachineSet> newest = {};  // null: there is none yet
  bool operator==(const Plan&) const = default;
};

// A line per action, for logs and tests.
std::vector<std::string> describe(const Plan& plan);

}  // namespace capstan::controllers::machinedeployment
