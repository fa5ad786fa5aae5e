// What a turn of a MachineSet is going to do, and why. Made by decide.h, carried out by act.h, shown by
// report.h. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controllers/machineset/clone_metadata.h"
#include "controllers/machineset/observation.h"
#include "controllers/machineset/remediation.h"
#include "controllers/safety/fleet_asking.h"
#include "controllers/shared/note.h"

namespace capstan::controllers::machineset {

// The Cluster becomes an owner of a template, so that it goes with the Cluster.
struct OwnTemplate {
  TemplateSeen seen = {};
  api::OwnerReferences from = {};
  api::OwnerReferences to = {};
  bool operator==(const OwnTemplate&) const = default;
};
// The set becomes the controller of a Machine. One live read a turn guards it: that the set is not being
// deleted.
struct AdoptMachine {
  Snapshot<api::Machine> machine = {};
  api::OwnerReferences from = {};
  api::OwnerReferences to = {};
  bool operator==(const AdoptMachine&) const = default;
};
// It runs on, and the Cluster becomes its owner, so that it goes with the Cluster.
struct ReleaseMachine {
  enum class Why {
    LabelsChanged,  // the set controls it, and its selector does not match it any more
    Orphaned,       // nothing controls it, and the set that selects it is on its way out
  };
  Snapshot<api::Machine> machine = {};
  Why why = Why::LabelsChanged;
  api::OwnerReferences from = {};
  api::OwnerReferences to = {};
  bool operator==(const ReleaseMachine&) const = default;
};
// The status of a Machine changes.
struct MarkMachine {
  Mark mark = {};
  bool operator==(const MarkMachine&) const = default;
};
// A bootstrap or infrastructure object of a Machine lost the field manager of its labels and annotations: the
// manager of its metadata gets them. A live read guards it: that they still have none.
struct RepairCloneManagers {
  Snapshot<api::Machine> machine = {};  // whose fields tell which labels are the set's
  CloneSeen clone = {};
  bool operator==(const RepairCloneManagers&) const = default;
};
// Labels and annotations of an object of a Machine become the template's; `from` is all that it has.
struct UpdateClone {
  Snapshot<api::Machine> machine = {};
  CloneSeen clone = {};
  bool hand_over = false;  // from the manager that made it, before; a live read tells what that owns
  CloneMetadata from = {};
  CloneMetadata to = {};
  bool operator==(const UpdateClone&) const = default;
};
// The API server invented a field manager for a Machine that had none; the set's takes its place. This and
// UpdateMachine are left out when a write to one of its objects failed in the same turn: until those are as
// wanted, the fields of the Machine tell which of their labels are the set's.
struct RepairManagers {
  Snapshot<api::Machine> machine = {};
  bool operator==(const RepairManagers&) const = default;
};
// Labels, annotations, owner and what may change in place become what the set wants: by server-side apply of
// an intent, bound to the version that was seen; of a Machine that is being deleted by a patch.
struct UpdateMachine {
  Snapshot<api::Machine> machine = {};  // from
  api::Machine to = {};
  bool operator==(const UpdateMachine&) const = default;
};
// Machines whose objects could not be made together with them get them now. Live reads guard each object.
struct FinishMachines {
  std::vector<UnsettledMachine> machines = {};
  bool operator==(const FinishMachines&) const = default;
};
// Objects of no Machine. Live reads guard each: that there is no Machine of its name, and that it is the
// set's.
struct RemoveClones {
  std::vector<CloneSeen> clones = {};
  bool operator==(const RemoveClones&) const = default;
};
struct CreateMachines {
  std::int32_t count = 0;
  bool operator==(const CreateMachines&) const = default;
};
struct DeleteMachine {
  enum class Why {
    ScaleDown,
    Remediation,
    Failed,  // only as it was seen: in a newer version it may be well again
    SetDeleted,
  };
  Snapshot<api::Machine> machine = {};
  Why why = Why::ScaleDown;
  std::optional<Mark> first = {};  // written before: without it nothing is deleted
  // Written on the Machine before, so that its drain is known to be no user's
  // (controllers/safety/deleted_for.h); empty: nothing is.
  std::string_view deleted_for = {};
  bool confirmed = false;  // by a person, where the deletion guard held it
  bool operator==(const DeleteMachine&) const = default;
};
// The annotation capstan.dev/deleted-for of a Machine that lives on.
struct TakeCauseOff {
  Snapshot<api::Machine> machine = {};
  bool operator==(const TakeCauseOff&) const = default;
};
// Annotations of the set itself: what it is about to release, and that a person has thawed it. While that
// fails nothing is released.
struct WriteAnnotations {
  api::TextMap from = {};
  api::TextMap to = {};
  bool operator==(const WriteAnnotations&) const = default;
};
// The annotation capstan.dev/confirm-deletion goes: what it confirmed is being deleted.
struct UseConfirmation {
  bool shown = false;  // all of its Machines say already that they were confirmed
  bool operator==(const UseConfirmation&) const = default;
};
struct DropFinalizer {
  bool operator==(const DropFinalizer&) const = default;
};
// Of a set without a MachineDeployment: an Unhealthy Machine may be replaced.
struct GrantReplacement {
  Snapshot<api::Machine> machine = {};
  bool operator==(const GrantReplacement&) const = default;
};
// The annotation capstan.dev/victims of the set itself becomes what is left of it.
struct WriteVictims {
  std::string from = {};
  std::string to = {};
  std::vector<std::string> dropped = {};  // for Events: each entry that went, and why
  std::string overruled = {};             // for an Event: an alias that says something else
  bool operator==(const WriteVictims&) const = default;
};

using safety::AskFleet;

// The annotation capstan.dev/resource-exhausted-until of the set itself.
struct NoteExhaustion {
  std::optional<Time> until = {};  // nothing: it is taken off
  bool operator==(const NoteExhaustion&) const = default;
};

using Action = std::variant<OwnTemplate, AdoptMachine, ReleaseMachine, MarkMachine, RepairCloneManagers,
                            UpdateClone, RepairManagers, UpdateMachine, FinishMachines, RemoveClones,
                            CreateMachines, DeleteMachine, TakeCauseOff, UseConfirmation, GrantReplacement,
                            WriteVictims, WriteAnnotations, AskFleet, NoteExhaustion, DropFinalizer>;

// A Machine that is as wanted once the plan is carried out.
struct SettledMachine {
  api::Uid uid = {};
  api::ResourceVersion version = {};  // unless the plan writes it
  bool operator==(const SettledMachine&) const = default;
};

struct Plan {
  std::vector<Action> actions = {};
  std::vector<SettledMachine> settled = {};
  // Why something does not happen that the user may be waiting for. Become lines of conditions and an Event.
  std::vector<Note> notes = {};
  std::optional<Seconds> recheck = {};
  bool preflight_failed = false;
  // The deletion guard has to know how many Machines the policy governs: count them and decide again.
  bool needs_count = false;
  // Unhealthy Machines whose time is over, and why they stay; with a MachineDeployment that one says it.
  std::string replacements_wait = {};
  // Grants of the FleetPolicy mostly come within a moment, and the next turn has more to say than this one.
  bool awaits_grants = false;

  std::vector<std::string> notes_about(api::NoteCode code) const;
  bool operator==(const Plan&) const = default;
};

// A line per action, for logs and tests.
std::vector<std::string> describe(const Plan& plan);

}  // namespace capstan::controllers::machineset
