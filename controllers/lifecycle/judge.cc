#include "controllers/lifecycle/judge.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/inplace/update_mark.h"
#include "controllers/lifecycle/exhaustion.h"
#include "controllers/lifecycle/operation.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/lifecycle/request.h"
#include "controllers/lifecycle/wellness.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::lifecycle {
namespace {

constexpr Seconds kLostNodeRecheck{20};

bool is_over(std::optional<Time> end, Time now) { return end && *end <= now; }

// What a Machine says of itself leaves nothing to wait for.
bool is_due_at_once(const Standing& standing, const Rules& rules) {
  const auto code = code_in(standing.message);
  return (code == kReplaceRequested && rules.heeds_requests) ||
         (code == kNodeDeleted && rules.health_timeout.has_value());
}

// It was Running once, and was given up because it was not any more.
bool fell_ill(const Standing& standing) {
  return standing.phase == Phase::Failed && is_about(standing.message, OperationType::HealthCheck);
}

// Of a span that began then; nothing while there is no contact.
std::optional<Time> end_of(const Contact& contact, Time began, Seconds span) {
  if (is_off(Safeguard::PolicyContact)) return began + span;
  if (!contact.holds()) return std::nullopt;
  return std::max(began, contact.since) + span;
}

// By our own clock, which may be an hour ahead of the API server's: when the first of its conditions was
// written, some of which never change. Not that of its life, which turns as often as it fails.
Time first_look(const api::Machine& machine) {
  Time first = {};
  for (const auto& condition : machine.status.conditions) {
    const Time since = condition.last_transition_time;
    if (condition.type == api::policy::condition::kLifecycle || !since.is_set()) continue;
    if (!first.is_set() || since < first) first = since;
  }
  return first;
}

class Judge {
 public:
  Judge(const Facts& facts, const Rules& rules)
      : facts_(facts), rules_(rules), before_(standing_of(facts.machine)), ignored_(rules.ignored) {
    if (!rules.heeds_requests) {
      const std::string unheeded = unheeded_request(facts.machine, facts.node);
      if (!unheeded.empty()) ignored_.push_back(unheeded);
      return;
    }
    request_ = replace_request(facts.machine, facts.node);
    ignored_.insert(ignored_.end(), request_.ignored.begin(), request_.ignored.end());
  }

  std::optional<Verdict> run() const {
    if (facts_.machine.metadata.deleting()) return says(Phase::Terminating, deleting());
    if (const auto mark = inplace::update_mark_of(facts_.machine); mark && mark->in_vain())
      return says(Phase::InPlaceUpdateFailed, update_failed(mark->why));
    const auto& annotations = facts_.machine.metadata.annotations;
    if (annotations.contains(api::annotation::kUpdateInProgress) ||
        annotations.contains(api::policy::annotation::kInPlaceUpdate))
      return says(Phase::InPlaceUpdating, updating());
    if (!is_provisioned()) return being_created();
    if (!facts_.node_known) return unseen();
    const Wellness wellness = wellness_of(facts_.node, rules_);
    return has_joined() ? joined(wellness) : joining(wellness);
  }

 private:
  std::optional<Verdict> being_created() const {
    if (is_creation_over()) return says(Phase::Failed, took_too_long());
    const auto trouble = creation_trouble(facts_.machine);
    return trouble ? awaiting(Phase::CreateRetrying, *trouble)
                   : awaiting(Phase::Creating, waiting_for_vm(facts_.machine));
  }

  // Of a Machine that had a Node nothing new is known.
  std::optional<Verdict> unseen() const {
    const bool had_node = before_
                              ? before_->phase != Phase::Creating && before_->phase != Phase::CreateRetrying
                              : facts_.machine.status.node_ref.has_value();
    if (had_node) return std::nullopt;
    return says(Phase::Joining, waiting_for_node(facts_.machine));
  }

  std::optional<Verdict> joining(const Wellness& wellness) const {
    if (wellness.well() && wellness.blocking_taints.empty()) return running(creation_done());
    if (is_creation_over()) return says(Phase::Failed, took_too_long());
    return awaiting(Phase::Joining, facts_.node == nullptr ? waiting_for_node(facts_.machine)
                                                           : not_well(OperationType::Create, wellness));
  }

  std::optional<Verdict> joined(const Wellness& wellness) const {
    const bool stays_failed = before_ && before_->phase == Phase::Failed && is_off(Safeguard::Rejoining);
    if (wellness.well() && request_.by.empty() && !stays_failed) return running(well_again());
    const auto end = health_ends(facts_.machine, rules_, facts_.contact);
    const bool left_running_now = !before_ || status_of(before_->phase) != api::status::kFalse;
    const bool given_up_before = before_ && fell_ill(*before_) && is_preserved();
    if (given_up_before || (!left_running_now && is_over(end, facts_.now) && is_granted(facts_.machine))) {
      Operation given_up = trouble(wellness);
      given_up.state = OperationState::Failed;
      return says(Phase::Failed, given_up);
    }
    auto verdict = says(Phase::Unhealthy, trouble(wellness));
    if (left_running_now) {
      verdict.recheck = rules_.health_timeout;
    } else if (end && *end > facts_.now) {
      verdict.recheck = *end - facts_.now;
    }
    const bool may_be_deleted = facts_.node == nullptr && !facts_.node_deleted && rules_.health_timeout;
    if (may_be_deleted) recheck_within(verdict.recheck, kLostNodeRecheck);
    return verdict;
  }

  // Its grant is gone then, so that it needs another one when it is released.
  bool is_preserved() const {
    const auto until = preserved_until(facts_.machine);
    return until && *until > facts_.now;
  }

  Operation trouble(const Wellness& wellness) const {
    if (!request_.by.empty()) return replace_requested(request_.by);
    if (facts_.node == nullptr && facts_.node_deleted)
      return node_deleted(facts_.machine.status.node_ref->name.view());
    return not_well(OperationType::HealthCheck, wellness);
  }

  // What it said when it began to run stays.
  std::optional<Verdict> running(const Operation& began) const {
    if (before_ && before_->phase == Phase::Running) {
      for (const Operation& said : {creation_done(), well_again()}) {
        if (is_said_by(before_->message, said)) return says(Phase::Running, said);
      }
    }
    return says(Phase::Running, began);
  }

  // It may not take for ever.
  Verdict awaiting(Phase phase, const Operation& operation) const {
    Verdict verdict = says(phase, operation);
    const auto end = creation_ends(facts_.machine, rules_, facts_.contact);
    if (end && *end > facts_.now) verdict.recheck = *end - facts_.now;
    return verdict;
  }

  Verdict says(Phase phase, const Operation& operation) const {
    const bool same = before_ && before_->phase == phase;
    return {
        .phase = phase,
        .message = describe(operation, facts_.now, same ? before_->message : std::string_view(), ignored_)};
  }

  bool is_creation_over() const {
    return is_over(creation_ends(facts_.machine, rules_, facts_.contact), facts_.now);
  }
  Operation took_too_long() const { return creation_too_long(*rules_.creation_timeout); }
  bool is_provisioned() const {
    return facts_.machine.status.initialization.infrastructure_provisioned.value_or(false);
  }

  // Of a Machine that a policy meets for the first time its Node tells.
  bool has_joined() const {
    if (!before_) return facts_.machine.status.node_ref.has_value();
    switch (before_->phase) {
      case Phase::Running:
      case Phase::Unhealthy:
      case Phase::InPlaceUpdating:
      case Phase::InPlaceUpdateFailed: return true;
      case Phase::Failed: return fell_ill(*before_);
      case Phase::Creating:
      case Phase::CreateRetrying:
      case Phase::Joining:
      case Phase::Terminating: break;
    }
    return false;
  }

  const Facts& facts_;
  const Rules& rules_;
  const std::optional<Standing> before_;
  ReplaceRequest request_ = {};
  std::vector<std::string> ignored_;
};

}  // namespace

std::optional<Verdict> judge(const Facts& facts, const Rules& rules) { return Judge(facts, rules).run(); }

std::string grant_for(const api::Machine& machine) {
  const auto standing = standing_of(machine);
  const bool left_running =
      standing && (standing->phase == Phase::Unhealthy || standing->phase == Phase::Failed);
  return left_running ? standing->since.to_string() : std::string();
}

bool is_granted(const api::Machine& machine) {
  const auto granted =
      machine.metadata.annotations.value_or_empty(api::policy::annotation::kReplacementGranted);
  return !granted.empty() && (granted == grant_for(machine) || is_off(Safeguard::GrantOfTrouble));
}

bool asks_for_lost_node(const Facts& facts, const Rules& rules) {
  const auto standing = standing_of(facts.machine);
  const bool had_node = standing && facts.machine.status.node_ref && standing->phase != Phase::Creating &&
                        standing->phase != Phase::CreateRetrying && standing->phase != Phase::Joining;
  return had_node && rules.health_timeout && facts.node_known && facts.node == nullptr &&
         !facts.machine.metadata.deleting() && facts.contact.holds() &&
         facts.now >= facts.contact.since + kLostNodeGrace;
}

std::optional<Time> health_ends(const api::Machine& machine, const Rules& rules, const Contact& contact) {
  const auto standing = standing_of(machine);
  if (standing && is_due_at_once(*standing, rules)) return end_of(contact, standing->since, Seconds(0));
  if (!standing || !rules.health_timeout) return std::nullopt;
  return end_of(contact, standing->since, *rules.health_timeout);
}

std::optional<Time> creation_ends(const api::Machine& machine, const Rules& rules, const Contact& contact) {
  if (!rules.creation_timeout) return std::nullopt;
  const Time began = std::max<Time>(machine.metadata.creation_timestamp, first_look(machine));
  const auto end = end_of(contact, began, *rules.creation_timeout);
  // Another Machine would find no room either.
  const auto exhausted = exhausted_until(machine.metadata);
  return end && exhausted ? std::max(*end, *exhausted) : end;
}

bool has_failed_for_good(const api::Machine& machine, const Rules& rules, const AskedAgain& when) {
  const auto standing = standing_of(machine);
  if (!standing || standing->phase != Phase::Failed) return false;
  if (!fell_ill(*standing)) return is_over(creation_ends(machine, rules, when.contact), when.now);
  return is_granted(machine) && is_over(health_ends(machine, rules, when.contact), when.now);
}

}  // namespace capstan::controllers::lifecycle
