#include "controllers/machinehealthcheck/act.h"

#include <fmt/format.h>

#include "base/try.h"
#include "controllers/machinehealthcheck/decide.h"
#include "controllers/machinehealthcheck/marks.h"
#include "controllers/machinehealthcheck/remediation_requests.h"
#include "controllers/shared/status_patch.h"
#include "runtime/events.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

class Turn {
 public:
  Turn(const ActContext& with, const Observation& seen, const Plan& plan)
      : deps_(with.deps),
        host_(with.host),
        contests_(with.contests),
        context_(with.context),
        seen_(seen),
        plan_(plan),
        key_(runtime::key_of(*seen.check)),
        now_(Time::from(seen.now)) {
    effects_.check = *seen.check;
    const bool by_request = seen.check->spec.remediation.template_ref && seen.template_problem.empty();
    if (by_request) requests_.emplace(with.deps, with.host, with.context, *seen.check);
  }

  Effects take();

 private:
  Result<void> own();
  void unmark_exempted();
  void tell_sick(std::size_t target);
  bool tell_well(std::size_t target);
  bool take_back_request(const api::Machine& machine);
  void hand_over(const api::Machine& before, api::Machine& machine);
  // True when there was something to say.
  bool write(const api::Machine& before, const api::Machine& after);
  void record_marked(const api::Machine& machine);

  const Deps& deps_;
  const Host& host_;
  Contests& contests_;
  const runtime::Context& context_;
  const Observation& seen_;
  const Plan& plan_;
  const kube::ObjectKey key_;
  const Time now_;
  std::optional<RemediationRequests> requests_ = {};
  Effects effects_ = {};
};

Effects Turn::take() {
  if (plan_.own) {
    const auto owned = own();
    if (!owned) effects_.errors.push_back(owned.error());
  }
  if (plan_.judged) unmark_exempted();
  if (plan_.verdicts.empty() || plan_.allowance.state == Allowance::State::Invalid)
    return std::move(effects_);
  for (std::size_t i = 0; i < plan_.verdicts.size(); ++i) {
    if (plan_.verdicts[i].health == Health::Unhealthy) tell_sick(i);
  }
  int told = 0;
  for (std::size_t i = 0; i < plan_.verdicts.size() && told < kGoodNewsPerTurn; ++i) {
    if (plan_.verdicts[i].health == Health::Healthy) told += tell_well(i) ? 1 : 0;
  }
  if (told == kGoodNewsPerTurn) effects_.recheck = std::chrono::milliseconds(1);
  if (requests_) effects_.template_problem = requests_->template_problem();
  return std::move(effects_);
}

Result<void> Turn::own() {
  api::MachineHealthCheck owned = *seen_.check;
  owned.metadata = owned_metadata(*seen_.check, *seen_.cluster);
  const kube::Resource resource = kube::resource_of<api::MachineHealthCheck>();
  const Contests::Target target{.client = deps_.client, .resource = resource, .key = key_};
  const DisputedFields fields = disputed_fields(seen_.check->metadata, owned.metadata);
  if (!contests_.may_write(key_, target, fields, deps_.clock, context_.deadline)) return {};
  const auto written = TRY(kube::patch(deps_.client, *seen_.check, owned, context_.deadline));
  if (!written) return {};
  contests_.wrote(key_, target, fields, deps_.clock);
  host_.consistency.wrote(key_, deps_.caches.machine_health_checks, written->metadata.resource_version);
  effects_.check = *written;
  return {};
}

// Or its owner would delete it as soon as it is its turn, whatever the annotation says.
void Turn::unmark_exempted() {
  for (const auto& machine : seen_.exempted) {
    api::Machine after = *machine;
    unmark_for_owner(after);
    write(*machine, after);
  }
}

void Turn::tell_sick(std::size_t target) {
  const api::Machine& machine = *seen_.targets[target].machine;
  api::Machine after = machine;
  if (!plan_.is_told_by_another(target)) mark_health(plan_.verdicts[target], after, now_);
  const bool remediate = plan_.remediate && !plan_.held(target);
  if (remediate) hand_over(machine, after);
  if (plan_.held(target)) unmark_for_owner(after);
  if (write(machine, after) && remediate) record_marked(machine);
}

void Turn::hand_over(const api::Machine& before, api::Machine& machine) {
  if (!requests_) return mark_for_owner(machine, now_);
  const auto how = requests_->ask_for(before, effects_);
  if (how)
    mark_external(*how,
                  *how == External::NoTemplate       ? std::string_view(requests_->template_problem())
                  : *how == External::CreationFailed ? kSeeLogs
                                                     : std::string_view(),
                  machine, now_);
}

bool Turn::tell_well(std::size_t target) {
  const api::Machine& machine = *seen_.targets[target].machine;
  if (!take_back_request(machine) || plan_.is_told_by_another(target) || is_marked_healthy(machine))
    return false;
  api::Machine after = machine;
  mark_health(plan_.verdicts[target], after, now_);
  return write(machine, after);
}

// False: the Machine keeps its mark, or nobody would know that its request still has to be taken back, and a
// healthy Machine would be repaired.
bool Turn::take_back_request(const api::Machine& machine) {
  if (!requests_) return true;
  const bool was_sick = is_marked_unhealthy(machine);
  const bool withdrawn = seen_.fresh && requests_->withdraw(machine, was_sick, effects_);
  return withdrawn || !was_sick;
}

bool Turn::write(const api::Machine& before, const api::Machine& after) {
  if (after == before) return false;
  const auto patched = controllers::patch_status(
      deps_.client, before, after,
      {.types = owned_machine_conditions(), .v1beta1_types = owned_v1beta1_machine_conditions()}, now_,
      context_.deadline);
  if (!patched && patched.error().code == Code::NotFound) return false;  // it left meanwhile
  if (!patched) {
    effects_.errors.push_back(patched.error());
    return false;
  }
  if (!*patched) return false;
  host_.consistency.wrote(key_, deps_.caches.machines, (*patched)->metadata.resource_version);
  return true;
}

void Turn::record_marked(const api::Machine& machine) {
  deps_.events.record(runtime::reference_to(kube::resource_of<api::Machine>(), machine.metadata),
                      runtime::EventType::Normal, api::event::kMachineMarkedUnhealthy,
                      fmt::format("Machine {} has been marked as unhealthy by {}",
                                  runtime::key_of(machine).describe(), key_.describe()));
}

}  // namespace

Effects act(const ActContext& with, const Observation& seen, const Plan& plan) {
  return Turn(with, seen, plan).take();
}

}  // namespace capstan::controllers::machinehealthcheck
