#include "infrastructure/controller/machine/report.h"

#include <algorithm>

namespace capstan::infrastructure::machine {
namespace {

using api::NoteCode;
using runtime::Readiness;

void take_over(const Vm& vm, api::DriverMachineStatus& to);
std::optional<Readiness> readiness(const Observation& seen, const Plan& plan, const Effects& effects);
std::optional<Readiness> readiness_after(const Trouble& trouble, const Observation& seen, const Plan& plan);
Readiness readiness_of(const Vm& vm);

}  // namespace

Reported report(const Observation& seen, const Plan& plan, const Effects& effects) {
  Reported reported{.after = effects.object ? *effects.object : *seen.object};
  api::DriverMachine& after = reported.after;
  const api::DriverMachineStatus before = after.status;
  if (effects.vm) take_over(*effects.vm, after.status);
  if (effects.last_known_state) after.status.last_known_state = FreeText(*effects.last_known_state);
  reported.notes = runtime::conclude(
      after, before, {.readiness = readiness(seen, plan, effects), .paused = plan.paused, .now = seen.now});
  return reported;
}

namespace {

void take_over(const Vm& vm, api::DriverMachineStatus& to) {
  to.initialization.provisioned = true;
  to.addresses.clear();
  for (const auto& address : vm.addresses) to.addresses.push_back(address);
  if (!vm.failure_domain.empty()) to.failure_domain = Text(vm.failure_domain);
  if (vm.interruptible) to.interruptible = true;
}

std::optional<Readiness> readiness(const Observation& seen, const Plan& plan, const Effects& effects) {
  if (effects.trouble) return readiness_after(*effects.trouble, seen, plan);
  if (effects.vm_gone)
    return Readiness{.obstacle = NoteCode::VmGone,
                     .message = "the cloud has no VM " + seen.object->spec.provider_id.str() +
                                " any more; a new one is made for a new Machine only"};
  if (effects.vm) return readiness_of(*effects.vm);
  if (!plan.waiting || !plan.waiting->shown) return std::nullopt;
  return Readiness{.obstacle = plan.waiting->code, .message = plan.waiting->message};
}

// That the cloud could not be asked about a VM that has long been there says nothing of it, and less so that
// its account could not be found out.
std::optional<Readiness> readiness_after(const Trouble& trouble, const Observation& seen, const Plan& plan) {
  const auto verifies = [](const Action& action) { return std::holds_alternative<VerifyVm>(action); };
  const auto adopts = [](const Action& action) { return std::holds_alternative<AdoptVm>(action); };
  if (trouble.quiet && std::ranges::any_of(plan.actions, verifies)) return std::nullopt;
  if (std::ranges::any_of(plan.actions, adopts)) return std::nullopt;
  return readiness_in(trouble, seen.object->metadata, seen.now);
}

Readiness readiness_of(const Vm& vm) {
  if (vm.state != VmState::Stopping && vm.state != VmState::Stopped) return {};
  return {.obstacle = NoteCode::VmStopped, .message = "the VM is there, but does not run"};
}

}  // namespace
}  // namespace capstan::infrastructure::machine
