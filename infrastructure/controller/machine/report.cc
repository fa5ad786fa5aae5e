#include "infrastructure/controller/machine/report.h"

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::infrastructure::machine {
namespace {

namespace condition = api::condition;
namespace reason = api::driver::reason;
namespace status = api::status;

// Some troubles come and go within seconds; people hear of them when they stay.
constexpr Seconds kPatience{60};

bool is_old(const Observation& seen) {
  const Time since = seen.object->metadata.deleting() ? seen.object->metadata.deletion_timestamp
                                                      : seen.object->metadata.creation_timestamp;
  return since.is_set() && seen.now > since && seen.now - since >= kPatience;
}

void take_over(const Vm& vm, api::DriverMachineStatus& to) {
  to.initialization.provisioned = true;
  to.addresses.clear();
  for (const auto& address : vm.addresses) to.addresses.push_back(address);
  if (!vm.failure_domain.empty()) to.failure_domain = Text(vm.failure_domain);
  if (vm.interruptible) to.interruptible = true;
}

std::optional<api::Condition> ready_condition(const Observation& seen, const Plan& plan,
                                              const Effects& effects) {
  const auto no = [](std::string_view why, std::string_view message) {
    return api::conditions::make(condition::kReady, status::kFalse, why, message);
  };
  if (effects.trouble) {
    // That the cloud could not be asked about a VM that has long been there says nothing of it.
    if (effects.trouble->quiet && (plan.step == Step::Verify || !is_old(seen))) return std::nullopt;
    return no(effects.trouble->reason, effects.trouble->message);
  }
  if (effects.vm_gone)
    return no(reason::kVmGone, "the cloud has no VM " + seen.object->spec.provider_id.str() +
                                   " any more; a new one is made for a new Machine only");
  if (effects.vm && (effects.vm->state == VmState::Stopping || effects.vm->state == VmState::Stopped))
    return no(reason::kVmStopped, "the VM is there, but does not run");
  if (effects.vm) return api::conditions::make(condition::kReady, status::kTrue, reason::kReady);
  if (plan.step == Step::Wait && plan.report_wait) return no(plan.reason, plan.message);
  return std::nullopt;
}

api::Condition paused_condition(const runtime::Paused& paused) {
  if (paused.paused)
    return api::conditions::make(condition::kPaused, status::kTrue, api::reason::kPaused, paused.message);
  return api::conditions::make(condition::kPaused, status::kFalse, api::reason::kNotPaused);
}

}  // namespace

api::DriverMachine report(const Observation& seen, const Plan& plan, const Effects& effects) {
  api::DriverMachine after = effects.object ? *effects.object : *seen.object;
  auto& conditions = after.status.conditions;
  const api::DriverMachineStatus before = after.status;
  if (effects.vm && plan.step != Step::Remove) take_over(*effects.vm, after.status);
  if (auto ready = ready_condition(seen, plan, effects))
    api::conditions::set(conditions, std::move(*ready), after.metadata.generation, seen.now);
  // "Not paused" is no news: it is said along with other news, or to take back that it was paused.
  const bool says_paused = api::conditions::is_true(before.conditions, condition::kPaused);
  if (plan.paused.paused || says_paused || !(after.status == before))
    api::conditions::set(conditions, paused_condition(plan.paused), after.metadata.generation, seen.now);
  api::conditions::sort(conditions);
  if (!(after.status == before)) after.status.observed_generation = after.metadata.generation;
  return after;
}

}  // namespace capstan::infrastructure::machine
