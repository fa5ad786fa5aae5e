#include "controllers/machinehealthcheck/act.h"

#include <fmt/format.h>

#include "base/try.h"
#include "controllers/machinehealthcheck/marks.h"
#include "controllers/machinehealthcheck/remediation_requests.h"
#include "controllers/shared/status_patch.h"
#include "runtime/events.h"
#include "runtime/note.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

class Turn {
 public:
  Turn(const ActContext& with, const Observation& seen)
      : with_(with),
        seen_(seen),
        key_(runtime::key_of(*seen.check)),
        now_(Time::from(seen.now)),
        requests_(with, *seen.check) {
    effects_.check = *seen.check;
  }

  Effects run(const Plan& plan) {
    for (const Action& action : plan.actions) {
      std::visit([&](const auto& each) { perform(each); }, action);
    }
    return std::move(effects_);
  }
  Memory::Machines unmarked() { return std::move(unmarked_); }

 private:
  void perform(const OwnCheck& action);
  void perform(const MarkMachine& action);
  void perform(const RequestRemediation& action);
  void perform(const WithdrawRequest& action);
  Result<void> own(const OwnCheck& action);
  // True when the Machine was not like that yet.
  bool write(const api::Machine& before, const api::Machine& after);
  void record_marked(const api::Machine& machine);

  const ActContext& with_;
  const Observation& seen_;
  const kube::ObjectKey key_;
  const Time now_;
  RemediationRequests requests_;
  Effects effects_ = {};
  Memory::Machines unmarked_ = {};
};

void Turn::perform(const OwnCheck& action) {
  const auto owned = own(action);
  if (!owned) effects_.errors.push_back(owned.error());
}

Result<void> Turn::own(const OwnCheck& action) {
  api::MachineHealthCheck owned = *seen_.check;
  owned.metadata = action.to;
  const kube::Resource resource = kube::resource_of<api::MachineHealthCheck>();
  const Contests::Target target{.client = with_.deps.client, .resource = resource, .key = key_};
  const DisputedFields fields = disputed_fields(action.from, action.to);
  if (!with_.contests.may_write(key_, target, fields, with_.deps.clock, with_.context.deadline)) return {};
  const auto written = TRY(kube::patch(with_.deps.client, *seen_.check, owned, with_.context.deadline));
  if (!written) return {};
  with_.contests.wrote(key_, target, fields, with_.deps.clock);
  with_.host.consistency.wrote(key_, with_.deps.caches.machine_health_checks,
                               written->metadata.resource_version);
  effects_.check = *written;
  return {};
}

void Turn::perform(const MarkMachine& action) {
  if (write(*action.machine, with_marks(*action.machine, action.to)) && action.handed_over)
    record_marked(*action.machine);
}

void Turn::perform(const RequestRemediation& action) {
  api::Machine after = with_marks(*action.machine, action.to);
  const auto how = requests_.ask_for(*action.machine, effects_);
  if (how) mark_external(*how, requests_.message_of(*how), after, now_);
  if (write(*action.machine, after)) record_marked(*action.machine);
}

void Turn::perform(const WithdrawRequest& action) {
  const bool withdrawn = requests_.withdraw(*action.machine, effects_);
  if (withdrawn || !is_marked_unhealthy(*action.machine))
    write(*action.machine, with_marks(*action.machine, action.to));
}

bool Turn::write(const api::Machine& before, const api::Machine& after) {
  if (after == before) return false;
  const auto patched =
      patch_status(with_.deps.client, before, after,
                   {.types = owned_machine_conditions(), .v1beta1_types = owned_v1beta1_machine_conditions()},
                   now_, with_.context.deadline);
  if (!patched && patched.error().code == Code::NotFound) return false;  // it is gone by now
  if (!patched) {
    effects_.errors.push_back(patched.error());
    unmarked_.insert(before.metadata.uid);
    return false;
  }
  if (!*patched) return false;
  with_.host.consistency.wrote(key_, with_.deps.caches.machines, (*patched)->metadata.resource_version);
  return true;
}

void Turn::record_marked(const api::Machine& machine) {
  record_note(with_.deps.events, runtime::reference_to(kube::resource_of<api::Machine>(), machine.metadata),
              {.code = api::NoteCode::MarkedUnhealthy,
               .text = fmt::format("Machine {} has been marked as unhealthy by {}",
                                   runtime::key_of(machine).describe(), key_.describe())});
}

}  // namespace

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan) {
  Turn turn(with, seen);
  Effects effects = turn.run(plan);
  memory.remember(runtime::key_of(*seen.check), turn.unmarked());
  return effects;
}

}  // namespace capstan::controllers::machinehealthcheck
