#include "controllers/machineset/plan.h"

#include <fmt/format.h>

#include "api/schema/changes.h"
#include "base/text_fmt.h"
#include "controllers/shared/plan_words.h"

namespace capstan::controllers::machineset {
namespace {

std::string_view to_string(ReleaseMachine::Why why) {
  switch (why) {
    case ReleaseMachine::Why::LabelsChanged: return "its labels changed";
    case ReleaseMachine::Why::Orphaned: return "the set goes";
  }
  return {};
}

std::string_view to_string(DeleteMachine::Why why) {
  switch (why) {
    case DeleteMachine::Why::ScaleDown: return "too many";
    case DeleteMachine::Why::Remediation: return "unhealthy";
    case DeleteMachine::Why::Failed: return "failed";
    case DeleteMachine::Why::SetDeleted: return "the set goes";
  }
  return {};
}

std::string called(const CloneSeen& clone) {
  return fmt::format("{} {}", clone.resource.kind, clone.object->metadata.name);
}

api::ObjectMeta as_metadata(const CloneMetadata& part) {
  return {.labels = part.labels, .annotations = part.annotations};
}

std::string in_words(const Mark& mark) { return api::changes(*mark.before, mark.after); }

struct InWords {
  std::string operator()(const OwnTemplate& action) const {
    return fmt::format("own {} {}: {}", action.seen.ref.kind, action.seen.ref.name,
                       owner_changes(action.from, action.to));
  }
  std::string operator()(const AdoptMachine& action) const {
    return fmt::format("adopt Machine {}: {}", action.machine->metadata.name,
                       owner_changes(action.from, action.to));
  }
  std::string operator()(const ReleaseMachine& action) const {
    return fmt::format("release Machine {} ({}): {}", action.machine->metadata.name, to_string(action.why),
                       owner_changes(action.from, action.to));
  }
  std::string operator()(const MarkMachine& action) const {
    return fmt::format("mark Machine {}: {}", action.mark.before->metadata.name, in_words(action.mark));
  }
  std::string operator()(const RepairCloneManagers& action) const {
    return fmt::format("repair the field managers of {}", called(action.clone));
  }
  std::string operator()(const UpdateClone& action) const {
    return fmt::format("apply {}{}: {}", called(action.clone), action.hand_over ? ", handed over" : "",
                       api::changes_by_apply(as_metadata(action.from), as_metadata(action.to)));
  }
  std::string operator()(const RepairManagers& action) const {
    return fmt::format("repair the field managers of Machine {}", action.machine->metadata.name);
  }
  std::string operator()(const UpdateMachine& action) const {
    const std::string changes = api::changes_by_apply(*action.machine, action.to);
    return fmt::format("apply Machine {}: {}", action.machine->metadata.name,
                       changes.empty() ? "less than before" : changes);
  }
  std::string operator()(const FinishMachines& action) const {
    std::vector<Snapshot<api::Machine>> machines;
    for (const UnsettledMachine& each : action.machines) machines.push_back(each.machine);
    return "make what is missing of Machines " + names_of(machines);
  }
  std::string operator()(const RemoveClones& action) const {
    std::string clones;
    for (const CloneSeen& clone : action.clones)
      clones.append(clones.empty() ? "" : ", ").append(called(clone));
    return "remove objects of no Machine: " + clones;
  }
  std::string operator()(const CreateMachines& action) const {
    return fmt::format("create {} Machines", action.count);
  }
  std::string operator()(const DeleteMachine& action) const {
    const std::string name = action.machine->metadata.name.str();
    if (!action.first) return fmt::format("delete Machine {} ({})", name, to_string(action.why));
    return fmt::format("mark and delete Machine {} ({}): {}", name, to_string(action.why),
                       in_words(*action.first));
  }
  std::string operator()(const TakeCauseOff& action) const {
    return fmt::format("take the cause off Machine {}, which lives on", action.machine->metadata.name);
  }
  std::string operator()(const UseConfirmation&) const { return "take off the confirmation that was used"; }
  std::string operator()(const GrantReplacement& action) const {
    return fmt::format("grant the replacement of Machine {}", action.machine->metadata.name);
  }
  std::string operator()(const WriteVictims& action) const {
    return fmt::format("write the victims: {:?} becomes {:?}", action.from, action.to);
  }
  std::string operator()(const AskFleet& action) const { return safety::describe(action); }
  std::string operator()(const WriteAnnotations& action) const {
    return "write the annotations: " + api::changes(api::ObjectMeta{.annotations = action.from},
                                                    api::ObjectMeta{.annotations = action.to});
  }
  std::string operator()(const NoteExhaustion& action) const {
    return action.until ? "note that there is no room until " + action.until->to_string()
                        : std::string("note that there is room again");
  }
  std::string operator()(const DropFinalizer&) const { return "drop the finalizer"; }
};

}  // namespace

std::vector<std::string> describe(const Plan& plan) { return lines_of(plan.actions, InWords()); }

}  // namespace capstan::controllers::machineset
