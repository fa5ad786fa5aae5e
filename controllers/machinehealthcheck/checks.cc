#include "controllers/machinehealthcheck/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/conditions/conditions.h"
#include "base/duration.h"
#include "base/safeguards.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

namespace condition = api::condition;
namespace reason = api::reason;
namespace old_reason = api::v1beta1_reason;

constexpr Seconds kDefaultStartup{600};
// The first moment that is later than an expiry.
constexpr Nanoseconds kJustAfter = std::chrono::milliseconds(1);

// Gathers what is wrong, and what will be.
class Findings {
 public:
  explicit Findings(WallTime now) : now_(now) {}

  void machine(std::string message) { machine_.push_back(std::move(message)); }
  // Whether or not it lasted long enough yet.
  void ill(Time since) { ill_since_ = ill_since_.is_set() ? std::min(ill_since_, since) : since; }
  void well(Time since) { well_since_ = std::max(well_since_, since); }
  void node(std::string_view why, std::string_view old_why, std::string message) {
    node_reason_ = why;
    old_node_reason_ = old_why;
    node_.push_back(std::move(message));
  }
  // True when the span since then is over; otherwise a later turn has to look again.
  bool is_over(Time since, Seconds span) {
    const WallTime end = (since.is_set() ? since.wall() : WallTime()) + span;
    if (end < now_) return true;
    recheck_within(next_, end - now_ + kJustAfter);
    return false;
  }

  Verdict verdict(const Target& target) const;

 private:
  const WallTime now_;
  std::vector<std::string> machine_ = {};
  std::vector<std::string> node_ = {};
  std::string_view node_reason_ = {};
  std::string_view old_node_reason_ = {};
  std::optional<Nanoseconds> next_ = {};
  Time ill_since_ = {};
  Time well_since_ = {};
};

Verdict Findings::verdict(const Target& target) const {
  Verdict verdict{.next_check = next_, .ill_since = ill_since_};
  if (machine_.empty() && node_.empty()) {
    if (next_ || target.node_state == Target::NodeState::Unsure) {
      verdict.health = Health::Pending;
    } else if (!target.machine->metadata.deleting() && target.node) {
      verdict.health = Health::Healthy;
      verdict.well_since = well_since_;
    }
    return verdict;
  }
  verdict.health = Health::Unhealthy;
  verdict.reason = machine_.empty() ? node_reason_ : reason::kUnhealthyMachine;
  verdict.old_reason = machine_.empty() ? old_node_reason_ : old_reason::kUnhealthyMachine;
  verdict.message = "Health check failed:";
  for (const auto* messages : {&machine_, &node_}) {
    for (const std::string& message : *messages) {
      verdict.message += "\n  * " + message;
      if (verdict.old_reason == old_reason::kNodeNotFound) continue;
      verdict.old_message += (verdict.old_message.empty() ? "" : "; ") + message;
    }
  }
  return verdict;
}

std::string reporting(std::string_view whose, const auto& found, Seconds timeout) {
  return fmt::format("Condition {} on {} is reporting status {} with reason {} for more than {}",
                     found.type.view(), whose, found.status.view(), found.reason.view(),
                     format_duration(timeout));
}

void check_machine(const api::Machine& machine, const api::HealthChecks& checks, Findings& findings) {
  for (const auto& check : checks.unhealthy_machine_conditions) {
    const auto found = api::conditions::find(machine.status.conditions, check.type);
    if (found == nullptr || found->status != check.status) {
      if (found != nullptr) findings.well(found->last_transition_time);
      continue;
    }
    findings.ill(found->last_transition_time);
    const Seconds timeout(check.timeout_seconds);
    if (findings.is_over(found->last_transition_time, timeout))
      findings.machine(reporting("Machine", *found, timeout));
  }
}

// The clock of a new Machine starts when everything it needs is there.
Time startup_began(const api::Machine& machine, const Circumstances& when) {
  Time began = std::max(machine.metadata.creation_timestamp, when.since);
  const auto ready = api::conditions::find(machine.status.conditions, condition::kInfrastructureReady);
  if (ready != nullptr && ready->status == api::status::kTrue)
    began = std::max(began, ready->last_transition_time);
  return began;
}

// While the cluster was out of reach a Node may have been well: where a policy governs the Machine, no time
// counts from before. Without one upstream's clock stays.
Time counted_from(Time since, const Target& target, const Circumstances& when) {
  if (!target.policy || is_off(Safeguard::PolicyContact)) return since;
  return std::max(since, when.contact);
}

void check_startup(const Target& target, const api::HealthChecks& checks, const Circumstances& when,
                   Findings& findings) {
  const Seconds timeout(checks.node_startup_timeout_seconds.value_or(kDefaultStartup.count()));
  if (timeout == Seconds(0)) return;
  const Time began = counted_from(startup_began(*target.machine, when), target, when);
  if (!findings.is_over(began, timeout)) return;
  if (began.is_set()) findings.ill(began + timeout);
  findings.node(reason::kNodeStartupTimeout, old_reason::kNodeStartupTimeout,
                "Node failed to report startup in " + format_duration(timeout));
}

void check_node_conditions(const Target& target, const api::HealthChecks& checks, const Circumstances& when,
                           Findings& findings) {
  for (const auto& check : checks.unhealthy_node_conditions) {
    const auto* found = target.node->condition(check.type);
    if (found == nullptr || found->status != check.status) {
      if (found != nullptr) findings.well(found->last_transition_time);
      continue;
    }
    findings.ill(found->last_transition_time);
    const Seconds timeout(check.timeout_seconds);
    if (findings.is_over(counted_from(found->last_transition_time, target, when), timeout))
      findings.node(reason::kUnhealthyNode, old_reason::kUnhealthyNode, reporting("Node", *found, timeout));
  }
}

// No object says when a Node was deleted: the time at which the check first said so.
Time missing_since(const api::Machine& machine, WallTime now) {
  const auto shown = api::conditions::find(machine.status.conditions, condition::kHealthCheckSucceeded);
  const bool sick = shown != nullptr && shown->status == api::status::kFalse;
  return sick ? shown->last_transition_time : Time::from(now);
}

void check_node(const Target& target, const api::HealthChecks& checks, const Circumstances& when,
                Findings& findings) {
  switch (target.node_state) {
    case Target::NodeState::None: return check_startup(target, checks, when, findings);
    case Target::NodeState::Missing:
      findings.ill(missing_since(*target.machine, when.now));
      return findings.node(
          reason::kNodeDeleted, old_reason::kNodeNotFound,
          fmt::format("Node {} has been deleted", target.machine->status.node_ref->name.view()));
    case Target::NodeState::Here: return check_node_conditions(target, checks, when, findings);
    case Target::NodeState::Unsure: return;
  }
}

Verdict marked_by_hand() {
  return {.health = Health::Unhealthy,
          .reason = reason::kHasRemediateAnnotation,
          .message = fmt::format("Health check failed: marked for remediation via {} annotation",
                                 api::annotation::kRemediateMachine),
          .old_reason = old_reason::kHasRemediateMachineAnnotation,
          .old_message = "Marked for remediation via remediate-machine annotation"};
}

}  // namespace

Circumstances circumstances_of(const api::Cluster& cluster, WallTime now) {
  Circumstances when{.now = now};
  const auto since = [&](std::string_view type, bool& holds) {
    const auto found = api::conditions::find(cluster.status.conditions, type);
    holds = found != nullptr && found->status == api::status::kTrue;
    if (holds) when.since = std::max(when.since, found->last_transition_time);
  };
  since(condition::kControlPlaneInitialized, when.control_plane_initialized);
  since(condition::kInfrastructureReady, when.infrastructure_ready);
  const auto probe = api::conditions::find(cluster.status.conditions, condition::kRemoteConnectionProbe);
  if (probe != nullptr && probe->status == api::status::kTrue) when.contact = probe->last_transition_time;
  return when;
}

Verdict judge(const Target& target, const api::HealthChecks& checks, const Circumstances& when) {
  const api::Machine& machine = *target.machine;
  if (machine.metadata.annotations.contains(api::annotation::kRemediateMachine)) return marked_by_hand();
  Findings findings(when.now);
  const bool is_control_plane = machine.metadata.labels.contains(api::label::kControlPlane);
  const bool may_judge = when.infrastructure_ready && (when.control_plane_initialized || is_control_plane);
  if (may_judge) {
    check_machine(machine, checks, findings);
    check_node(target, checks, when, findings);
  }
  return findings.verdict(target);
}

}  // namespace capstan::controllers::machinehealthcheck
