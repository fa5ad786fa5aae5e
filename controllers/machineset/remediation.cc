#include "controllers/machineset/remediation.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "controllers/lifecycle/replacements.h"

namespace capstan::controllers::machineset {
namespace {

using api::Machine;

namespace conditions = api::conditions;
namespace old = api::conditions::v1beta1;

std::string_view reason_of(const Machine& machine) {
  const auto found = conditions::find(machine.status.conditions, api::condition::kOwnerRemediated);
  return found == nullptr ? std::string_view() : found->reason.view();
}

const api::V1Beta1Conditions* v1beta1_conditions(const Machine& machine) {
  const auto& deprecated = machine.status.deprecated;
  return deprecated && deprecated->v1beta1 ? &deprecated->v1beta1->conditions : nullptr;
}

bool has_recovered(const Machine& machine) {
  const auto& list = machine.status.conditions;
  const auto* before = v1beta1_conditions(machine);
  return (conditions::is_true(list, api::condition::kHealthCheckSucceeded) &&
          conditions::is_false(list, api::condition::kOwnerRemediated)) ||
         (before != nullptr && old::is_true(*before, api::v1beta1_condition::kHealthCheckSucceeded) &&
          old::is_false(*before, api::v1beta1_condition::kOwnerRemediated));
}

// What a Machine that is healthy again does not need any more; both generations look at their own side only.
Machine recovered(const Machine& machine) {
  Machine after = machine;
  auto& list = after.status.conditions;
  if (conditions::is_true(list, api::condition::kHealthCheckSucceeded) &&
      conditions::is_false(list, api::condition::kOwnerRemediated)) {
    conditions::remove(list, api::condition::kOwnerRemediated);
  }
  const auto* before = v1beta1_conditions(machine);
  if (before != nullptr && old::is_true(*before, api::v1beta1_condition::kHealthCheckSucceeded) &&
      old::is_false(*before, api::v1beta1_condition::kOwnerRemediated)) {
    old::remove(after.status.deprecated.ensure().v1beta1.ensure().conditions,
                api::v1beta1_condition::kOwnerRemediated);
  }
  return after;
}

Machine marked(const Machine& machine, std::string_view reason, std::string_view message, Time now) {
  Machine after = machine;
  conditions::set(after.status.conditions,
                  conditions::make(api::condition::kOwnerRemediated, api::status::kFalse, reason, message),
                  machine.metadata.generation, now);
  return after;
}

class Judge {
 public:
  explicit Judge(const RemediationQuestion& question) : question_(question) {}

  Remediation run() {
    clear_recovered();
    if (question_.fresh) judge_candidates();
    return std::move(result_);
  }

 private:
  void clear_recovered() {
    for (const auto& machine : question_.machines) {
      if (machine->metadata.deleting() || !has_recovered(*machine)) continue;
      result_.marks.push_back({.before = machine, .after = recovered(*machine)});
    }
  }

  void judge_candidates() {
    const Machines failed = failed_for_good();
    const Machines candidates = in_order();
    defer_kept();
    if (!question_.outdated) judge_failed(failed);
    if (!candidates.empty()) judge_found(candidates, failed);
  }

  bool is_kept(const Machine& machine) const { return question_.kept && question_.kept(machine); }

  void defer_kept() {
    for (const auto& machine : question_.machines) {
      if (machine->metadata.deleting() || !awaits_remediation(*machine) || !is_kept(*machine)) continue;
      mark(machine,
           marked(*machine, api::reason::kRemediationDeferred,
                  "Waiting because the Machine is preserved, see the condition capstan.dev/Preserved",
                  question_.now));
    }
  }

  // Those that a health check has handed over. Under a policy both kinds share one count.
  void judge_found(Machines candidates, const Machines& failed) {
    if (question_.outdated) {
      return mark_all(candidates, api::reason::kCannotBeRemediated,
                      "Machine won't be remediated because it is pending removal due to rollout");
    }
    const auto budget = budget_left(failed);
    if (!budget) return;  // `problem` says why
    const std::string too_many =
        "Waiting because there are already too many remediations in progress "
        "(" +
        limit_text() + ")";
    const std::size_t allowed = std::min(candidates.size(), *budget);
    mark_all({candidates.begin() + static_cast<std::ptrdiff_t>(allowed), candidates.end()},
             api::reason::kRemediationDeferred, too_many);
    // A change of their Machines does not wake this set.
    if (allowed < candidates.size() && !question_.siblings.empty()) result_.held = true;
    candidates.resize(allowed);
    if (candidates.empty()) return;
    if (!question_.held.empty()) return hold(candidates);
    for (const auto& machine : candidates) result_.remove.push_back(going(machine));
  }

  // How many of them may go was decided when they were granted; but a Machine that a health check had found
  // may have gone at the same time.
  void judge_failed(const Machines& failed) {
    if (failed.empty()) return;
    std::size_t left = places_beside_granted();
    for (const auto& machine : failed) {
      const bool needs_place = lifecycle::is_granted(*machine);
      if (!question_.held.empty() || (needs_place && left == 0)) {
        result_.held = true;
        continue;
      }
      if (needs_place) --left;
      result_.replace.push_back(machine);
    }
  }

  // A health check may have handed the same one over: it goes by that mark.
  Machines failed_for_good() const {
    Machines failed;
    if (question_.policy == nullptr) return failed;
    std::ranges::copy_if(question_.machines, std::back_inserter(failed), [&](const auto& machine) {
      const auto& metadata = machine->metadata;
      // What else is asked copies the rules of the policy.
      if (!awaits_replacement(*machine)) return false;
      return !metadata.annotations.contains(api::annotation::kPaused) && !awaits_remediation(*machine) &&
             !is_kept(*machine) &&
             lifecycle::has_failed_for_good(*machine, lifecycle::rules_for(*question_.policy, *machine),
                                            {.now = question_.now, .contact = question_.contact});
    });
    return failed;
  }

  // Asked for by a person first, then the youngest.
  Machines in_order() const {
    Machines candidates;
    std::ranges::copy_if(question_.machines, std::back_inserter(candidates), [&](const auto& machine) {
      return !machine->metadata.deleting() && awaits_remediation(*machine) && !is_kept(*machine);
    });
    std::ranges::sort(candidates, {}, [](const auto& machine) {
      const bool asked = machine->metadata.annotations.contains(api::annotation::kRemediateMachine);
      const Time created = machine->metadata.creation_timestamp;
      return std::tuple{!asked, created.is_set() ? -created.unix_seconds() : 0, machine->metadata.name};
    });
    return candidates;
  }

  const std::optional<IntOrString>* limit() const {
    if (question_.deployment == nullptr) return nullptr;
    const auto& limit = question_.deployment->spec.remediation.max_in_flight;
    return limit ? &limit : nullptr;
  }
  std::string limit_text() const {
    std::string text;
    if (limit() != nullptr) text = "spec.strategy.remediation.maxInFlight is " + (*limit())->to_string();
    if (question_.policy == nullptr) return text;
    return (text.empty() ? "" : text + ", ") +
           lifecycle::in_words_max_in_flight(*question_.policy, replicas());
  }

  std::optional<std::size_t> budget_left(const Machines& failed) {
    const auto by_deployment = budget_of_deployment();
    if (!by_deployment || question_.policy == nullptr || is_off(Safeguard::OneCount)) return by_deployment;
    return std::min(*by_deployment, budget_of_policy(failed));
  }

  // Machines on their way, and those that go in this turn. Those that wait for their own turn don't hold up
  // each other.
  std::size_t budget_of_policy(const Machines& failed) const {
    const auto counted = lifecycle::counted_phases(*question_.policy);
    return places_left([&](const auto& machine) {
      const bool waits = !machine->metadata.deleting() && awaits_remediation(*machine);
      return !waits && (lifecycle::takes_a_place(*machine, counted) ||
                        std::ranges::find(failed, machine) != failed.end());
    });
  }

  // For those that were granted one, beside what is on its way without.
  std::size_t places_beside_granted() const {
    if (is_off(Safeguard::ReplacementLimit)) return question_.machines.size();
    const auto counted = lifecycle::counted_phases(*question_.policy);
    return places_left([&](const auto& machine) {
      const bool has_grant = !machine->metadata.deleting() && lifecycle::is_granted(*machine);
      const bool waits = !machine->metadata.deleting() && awaits_remediation(*machine);
      return !has_grant && !waits && lifecycle::takes_a_place(*machine, counted);
    });
  }

  // Of all sets of the deployment.
  template <typename TakesOne>
  std::size_t places_left(const TakesOne& takes_one) const {
    const auto taken = std::ranges::count_if(question_.machines, takes_one) +
                       std::ranges::count_if(question_.siblings, takes_one);
    const auto missing = std::max<std::ptrdiff_t>(0, question_.desired - std::ssize(question_.machines)) +
                         question_.siblings_missing;
    const auto left = lifecycle::max_in_flight(*question_.policy, replicas()) - taken - missing;
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, left));
  }

  std::int32_t replicas() const {
    return question_.deployment == nullptr ? question_.desired
                                           : question_.deployment->spec.replicas.value_or(1);
  }

  // Counted within this set, although it is configured for the deployment; as upstream.
  std::optional<std::size_t> budget_of_deployment() {
    if (limit() == nullptr || is_off(Safeguard::InFlight)) return question_.machines.size();
    const auto allowed =
        scaled_value(**limit(), question_.deployment->spec.replicas.value_or(1), Rounding::Up);
    if (!allowed) {
      result_.problem = "MachineDeployment spec.remediation.maxInFlight: " + allowed.error().message;
      return std::nullopt;
    }
    const auto in_flight = std::ranges::count_if(question_.machines, [](const auto& machine) {
      return machine->metadata.deleting() && reason_of(*machine) == api::reason::kMachineDeleting &&
             conditions::is_false(machine->status.conditions, api::condition::kOwnerRemediated);
    });
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, *allowed - in_flight));
  }

  void mark_all(const Machines& machines, std::string_view reason, const std::string& message) {
    for (const auto& machine : machines) mark(machine, marked(*machine, reason, message, question_.now));
  }

  void mark(const Snapshot<Machine>& before, Machine after) {
    if (after == *before) return;
    result_.marks.push_back({.before = before, .after = std::move(after)});
  }

  void hold(const Machines& machines) {
    result_.held = true;
    std::string message;
    for (const std::string& line : question_.held) {
      message += (message.empty() ? "* " : "\n* ") + line;
    }
    for (const auto& machine : machines) {
      Machine after = marked(*machine, api::reason::kRemediationDeferred, message, question_.now);
      set_old(after, old::no(api::v1beta1_condition::kOwnerRemediated,
                             api::v1beta1_reason::kWaitingForRemediation, api::severity::kWarning, message));
      mark(machine, std::move(after));
    }
  }

  Mark going(const Snapshot<Machine>& machine) const {
    Machine after = marked(*machine, api::reason::kMachineDeleting, "Machine is deleting", question_.now);
    set_old(after, old::yes(api::v1beta1_condition::kOwnerRemediated));
    return {.before = machine, .after = std::move(after)};
  }

  void set_old(Machine& machine, api::V1Beta1Condition condition) const {
    old::set(machine.status.deprecated.ensure().v1beta1.ensure().conditions, std::move(condition),
             question_.now);
  }

  const RemediationQuestion& question_;
  Remediation result_ = {};
};

}  // namespace

bool awaits_remediation(const Machine& machine) {
  const auto& list = machine.status.conditions;
  return conditions::is_false(list, api::condition::kHealthCheckSucceeded) &&
         conditions::is_false(list, api::condition::kOwnerRemediated);
}

bool awaits_replacement(const Machine& machine) {
  return !machine.metadata.deleting() && lifecycle::is_in(machine, lifecycle::Phase::Failed);
}

Remediation remediate(const RemediationQuestion& question) { return Judge(question).run(); }

std::optional<Mark> mark_of_held(const Snapshot<Machine>& machine, std::string_view set, Time now) {
  if (reason_of(*machine) != api::reason::kRemediationDeferred) return std::nullopt;
  Machine after =
      marked(*machine, api::reason::kRemediationDeferred,
             fmt::format(
                 "Waiting because its deletion is held, see the condition Remediating of MachineSet {}", set),
             now);
  if (after == *machine) return std::nullopt;
  return Mark{.before = machine, .after = std::move(after)};
}

}  // namespace capstan::controllers::machineset
