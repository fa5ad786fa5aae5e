#include "controllers/machinedeployment/plan.h"

#include <fmt/format.h>

#include "api/schema/changes.h"
#include "base/text_fmt.h"
#include "controllers/shared/plan_words.h"

namespace capstan::controllers::machinedeployment {
namespace {

struct InWords {
  std::string operator()(const WriteMetadata& action) const {
    return "write the metadata: " + api::changes(action.from, action.to);
  }
  std::string operator()(const OwnTemplate& action) const {
    return fmt::format("own {} {}: {}", action.which.kind, action.which.name,
                       owner_changes(action.from, action.to));
  }
  std::string operator()(const AdoptSet& action) const {
    return fmt::format("adopt MachineSet {}: {}", action.set->metadata.name,
                       owner_changes(action.from, action.to));
  }
  std::string operator()(const ReleaseSet& action) const {
    return fmt::format("release MachineSet {}: {}", action.set->metadata.name,
                       owner_changes(action.from, action.to));
  }
  std::string operator()(const RepairManagers& action) const {
    return fmt::format("repair the field managers of MachineSet {}", action.set->metadata.name);
  }
  std::string operator()(const CreateSet& action) const {
    return fmt::format("create MachineSet {} with {} replicas", action.set.metadata.name,
                       action.set.spec.replicas.value_or(0));
  }
  std::string operator()(const ApplySet& action) const {
    const std::string changes = api::changes_by_apply(*action.present, action.wanted);
    return fmt::format("apply MachineSet {}: {}", action.present->metadata.name,
                       changes.empty() ? "as it is" : changes);
  }
  std::string operator()(const DeleteSet& action) const {
    return fmt::format("delete MachineSet {}", action.set->metadata.name);
  }
  std::string operator()(const ConfirmMachine& action) const {
    return fmt::format("confirm that Machine {} is as it was seen", action.machine->metadata.name);
  }
  std::string operator()(const UpdateInPlace& action) const { return inplace::describe(action.action); }
  std::string operator()(const GrantReplacement& action) const {
    return fmt::format("grant the replacement of Machine {}", action.machine->metadata.name);
  }
  std::string operator()(const WriteVictims& action) const {
    return fmt::format("write the victims: {:?} becomes {:?}", action.from, action.to);
  }
  std::string operator()(const RollBack& action) const {
    return fmt::format("roll back to revision {}", action.revision);
  }
  std::string operator()(const RefuseRollback& action) const {
    return fmt::format("refuse to roll back: {}", action.why);
  }
  std::string operator()(const DropFinalizer&) const { return "drop the finalizer"; }
};

}  // namespace

std::vector<std::string> describe(const Plan& plan) { return lines_of(plan.actions, InWords()); }

}  // namespace capstan::controllers::machinedeployment
