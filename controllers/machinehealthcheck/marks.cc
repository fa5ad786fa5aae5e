#include "controllers/machinehealthcheck/marks.h"

#include <array>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace old = api::conditions::v1beta1;
namespace old_condition = api::v1beta1_condition;
namespace reason = api::reason;
namespace status = api::status;

api::V1Beta1Conditions& old_list(api::Machine& machine) {
  return machine.status.deprecated.ensure().v1beta1.ensure().conditions;
}

void set(api::Machine& machine, api::Condition wanted, Time now) {
  conditions::set(machine.status.conditions, std::move(wanted), machine.metadata.generation, now);
}

template <typename Condition>
std::optional<Condition> copy_of(const auto& found) {
  return found == nullptr ? std::nullopt : std::optional<Condition>(*found);
}

// A condition that marks_of() read has its generation and its transition time.
void put(api::Machine& machine, std::string_view type, const std::optional<api::Condition>& wanted) {
  auto& list = machine.status.conditions;
  if (!wanted) {
    conditions::remove(list, type);
  } else {
    conditions::set(list, *wanted, wanted->observed_generation, wanted->last_transition_time);
  }
}

void put(api::Machine& machine, std::string_view type, const std::optional<api::V1Beta1Condition>& wanted) {
  const auto& deprecated = machine.status.deprecated;
  if (wanted) {
    old::set(old_list(machine), *wanted, wanted->last_transition_time);
  } else if (deprecated && deprecated->v1beta1) {
    old::remove(old_list(machine), type);
  }
}

api::Condition shown(External how, std::string_view message) {
  const auto waiting = [&](std::string_view why) {
    return conditions::make(condition::kExternallyRemediated, status::kFalse, why, message);
  };
  switch (how) {
    case External::Waiting: return waiting(reason::kWaitingForRemediation);
    case External::NoTemplate: return waiting(reason::kRemediationTemplateNotFound);
    case External::CreationFailed: return waiting(reason::kRemediationRequestCreationFailed);
  }
  return waiting(reason::kWaitingForRemediation);
}

}  // namespace

Marks marks_of(const api::Machine& machine) {
  const auto& list = machine.status.conditions;
  Marks marks{.health = copy_of<api::Condition>(conditions::find(list, condition::kHealthCheckSucceeded)),
              .owner = copy_of<api::Condition>(conditions::find(list, condition::kOwnerRemediated)),
              .external = copy_of<api::Condition>(conditions::find(list, condition::kExternallyRemediated))};
  const auto& deprecated = machine.status.deprecated;
  if (!deprecated || !deprecated->v1beta1) return marks;
  const auto& old_list = deprecated->v1beta1->conditions;
  marks.old_health =
      copy_of<api::V1Beta1Condition>(old::find(old_list, old_condition::kHealthCheckSucceeded));
  marks.old_owner = copy_of<api::V1Beta1Condition>(old::find(old_list, old_condition::kOwnerRemediated));
  return marks;
}

api::Machine with_marks(api::Machine machine, const Marks& to) {
  put(machine, condition::kHealthCheckSucceeded, to.health);
  put(machine, condition::kOwnerRemediated, to.owner);
  put(machine, condition::kExternallyRemediated, to.external);
  put(machine, old_condition::kHealthCheckSucceeded, to.old_health);
  put(machine, old_condition::kOwnerRemediated, to.old_owner);
  return machine;
}

void mark_health(const Verdict& verdict, api::Machine& machine, Time now) {
  switch (verdict.health) {
    case Health::Healthy:
      set(machine,
          conditions::make(condition::kHealthCheckSucceeded, status::kTrue, reason::kHealthCheckSucceeded),
          now);
      old::set(old_list(machine), old::yes(old_condition::kHealthCheckSucceeded), now);
      return;
    case Health::Unhealthy:
      set(machine,
          conditions::make(condition::kHealthCheckSucceeded, status::kFalse, verdict.reason, verdict.message),
          now);
      old::set(old_list(machine),
               old::no(old_condition::kHealthCheckSucceeded, verdict.old_reason, api::severity::kWarning,
                       verdict.old_message),
               now);
      return;
    case Health::Pending:
    case Health::Undecided: return;
  }
}

void mark_for_owner(api::Machine& machine, Time now) {
  if (machine.metadata.deleting()) return;
  if (!conditions::is_false(machine.status.conditions, condition::kOwnerRemediated)) {
    set(machine,
        conditions::make(condition::kOwnerRemediated, status::kFalse, reason::kWaitingForRemediation,
                         "Waiting for remediation"),
        now);
  }
  auto& list = old_list(machine);
  if (!old::is_false(list, old_condition::kOwnerRemediated)) {
    old::set(list,
             old::no(old_condition::kOwnerRemediated, api::v1beta1_reason::kWaitingForRemediation,
                     api::severity::kWarning),
             now);
  }
}

void unmark_for_owner(api::Machine& machine) {
  const auto found = conditions::find(machine.status.conditions, condition::kOwnerRemediated);
  if (found == nullptr || found->reason == reason::kMachineDeleting || machine.metadata.deleting()) return;
  conditions::remove(machine.status.conditions, condition::kOwnerRemediated);
  auto& deprecated = machine.status.deprecated;
  if (deprecated && deprecated->v1beta1) old::remove(old_list(machine), old_condition::kOwnerRemediated);
}

void mark_external(External how, std::string_view message, api::Machine& machine, Time now) {
  set(machine, shown(how, message), now);
}

bool is_marked_unhealthy(const api::Machine& machine) {
  return conditions::is_false(machine.status.conditions, condition::kHealthCheckSucceeded);
}

bool is_marked_healthy(const api::Machine& machine) {
  const auto found = conditions::find(machine.status.conditions, condition::kHealthCheckSucceeded);
  if (found == nullptr || found->status != status::kTrue || found->reason != reason::kHealthCheckSucceeded ||
      found->observed_generation != machine.metadata.generation || !found->message.empty())
    return false;
  const auto& deprecated = machine.status.deprecated;
  return deprecated && deprecated->v1beta1 &&
         old::is_true(deprecated->v1beta1->conditions, old_condition::kHealthCheckSucceeded);
}

std::span<const std::string_view> owned_machine_conditions() {
  static constexpr std::array kOwned = {condition::kHealthCheckSucceeded};
  return kOwned;
}

std::span<const std::string_view> owned_v1beta1_machine_conditions() {
  static constexpr std::array kOwned = {old_condition::kHealthCheckSucceeded};
  return kOwned;
}

}  // namespace capstan::controllers::machinehealthcheck
