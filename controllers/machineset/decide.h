// What is to become of a MachineSet and its Machines in this turn. Pure: everything it needs is in the
// Observation.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controllers/machineset/observe.h"
#include "controllers/machineset/remediation.h"

namespace capstan::controllers::machineset {

// The Cluster becomes an owner of a template, so that it goes with the Cluster.
struct OwnTemplate {
  const TemplateSeen* seen = nullptr;  // of the Observation
};
struct AdoptMachine {
  Snapshot<api::Machine> machine = {};
};
// It runs on, and the Cluster becomes its owner, so that it goes with the Cluster.
struct ReleaseMachine {
  enum class Why {
    LabelsChanged,  // the set controls it, and its selector does not match it any more
    Orphaned,       // nothing controls it, and the set that selects it is on its way out
  };
  Snapshot<api::Machine> machine = {};
  Why why = Why::LabelsChanged;
};
// The status of a Machine changes.
struct MarkMachine {
  Mark mark = {};
};
// The Machine and its objects become what the template says, where they are not yet.
struct UpdateMachine {
  const UnsettledMachine* seen = nullptr;  // of the Observation
};
// Machines whose objects could not be made together with them get them now.
struct FinishMachines {
  std::vector<const UnsettledMachine*> machines = {};  // of the Observation
};
struct RemoveClones {
  std::vector<const CloneSeen*> clones = {};  // of the Observation
};
struct CreateMachines {
  std::int32_t count = 0;
};
struct DeleteMachine {
  enum class Why { ScaleDown, Remediation, SetDeleted };
  Snapshot<api::Machine> machine = {};
  Why why = Why::ScaleDown;
  std::optional<Mark> first = {};  // written before: without it nothing is deleted
};
struct DropFinalizer {};

using Action = std::variant<OwnTemplate, AdoptMachine, ReleaseMachine, MarkMachine, UpdateMachine,
                            FinishMachines, RemoveClones, CreateMachines, DeleteMachine, DropFinalizer>;

// Why something does not happen that the user may be waiting for. Becomes lines of conditions and an Event.
struct Note {
  enum class About {
    Create,    // and nothing is created
    Leftover,  // stands where a Machine should, and keeps no other from being created
    ScaleDown,
    Remediate
  };
  About about = About::Create;
  std::string text = {};
};

struct Plan {
  std::vector<Action> actions = {};
  std::vector<Note> notes = {};
  std::optional<Seconds> recheck = {};
  bool preflight_failed = false;

  std::vector<std::string> notes_about(Note::About about) const;
};

Plan decide(const Observation& seen);

// What is wrong with the Machines of the set that can't be decoded.
std::vector<std::string> unreadable_of(const Observation& seen);

}  // namespace capstan::controllers::machineset
