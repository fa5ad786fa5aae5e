#include "controllers/machinehealthcheck/decide_marks.h"

#include <algorithm>

#include "controllers/machinehealthcheck/request_rules.h"
#include "controllers/machinehealthcheck/targets.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

constexpr Seconds kUnlistedRecheck{1};
constexpr Seconds kBrakeRecheck{15};

class Marker {
 public:
  Marker(const Observation& seen, Plan& plan)
      : seen_(seen),
        plan_(plan),
        now_(Time::from(seen.now)),
        circumstances_(circumstances_of(*seen.cluster, seen.now)) {}

  void decide() {
    for (const auto& machine : seen_.exempted) release_exempted(machine);
    if (plan_.allowance.state == Allowance::State::Invalid) return;
    for (std::size_t i = 0; i < seen_.targets.size(); ++i) {
      if (plan_.verdicts[i].health == Health::Unhealthy) mark_unhealthy(i);
    }
    for (const std::size_t target : healthy()) mark_healthy(target);
  }

 private:
  void release_exempted(const Snapshot<api::Machine>& machine);
  void mark_unhealthy(std::size_t target);
  void request_remediation(const Target& target, api::Machine after);
  std::vector<std::size_t> healthy() const;
  void mark_healthy(std::size_t target);
  enum class Withdrawal { None, Needed, Unknown };
  Withdrawal withdrawal_of(const Target& target);
  bool marks_change(std::size_t target) const;
  bool is_left_to_another(std::size_t target) const;
  void mark(const Target& target, const api::Machine& after, bool handed_over);

  const Observation& seen_;
  Plan& plan_;
  const Time now_;
  const Circumstances circumstances_;
  std::size_t good_news_ = 0;
};

// Otherwise its owner would delete it as soon as it is its turn, whatever the annotation says.
void Marker::release_exempted(const Snapshot<api::Machine>& machine) {
  api::Machine after = *machine;
  unmark_for_owner(after);
  mark({.machine = machine}, after, false);
}

void Marker::mark_unhealthy(std::size_t i) {
  const Target& target = seen_.targets[i];
  api::Machine after = *target.machine;
  if (!is_left_to_another(i)) mark_health(plan_.verdicts[i], after, now_);
  if (plan_.held(i)) unmark_for_owner(after);
  if (!plan_.remediate || plan_.held(i)) return mark(target, after, false);
  if (target.request.state != RequestSeen::State::NotMade) return request_remediation(target, after);
  mark_for_owner(after, now_);
  mark(target, after, true);
}

// Never on a guess: while requests are not listed, none is made.
void Marker::request_remediation(const Target& target, api::Machine after) {
  switch (target.request.state) {
    case RequestSeen::State::NotMade: return;
    case RequestSeen::State::Unlisted: recheck_within(plan_.recheck, kUnlistedRecheck); break;
    case RequestSeen::State::Unwatched:
    case RequestSeen::State::Absent:
      if (!target.may_be_requested) {
        recheck_within(plan_.recheck, kBrakeRecheck);
        return mark(target, after, false);
      }
      plan_.actions.push_back(RequestRemediation{
          .machine = target.machine, .from = marks_of(*target.machine), .to = marks_of(after)});
      return;
    case RequestSeen::State::Present: {
      const Presence presence = judge_request(*seen_.check, *target.machine, target.request.metadata);
      if (presence == Presence::Leaving) recheck_within(plan_.recheck, kUntilRequestGone);
      if (presence == Presence::Unsaid) mark_external(External::Waiting, {}, after, now_);
      break;
    }
  }
  mark(target, after, true);
}

// Those whose marks failed in the last turn come last: they may fail again, and the others shall not wait for
// them.
std::vector<std::size_t> Marker::healthy() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < seen_.targets.size(); ++i) {
    if (plan_.verdicts[i].health == Health::Healthy) found.push_back(i);
  }
  std::ranges::stable_partition(found, [&](std::size_t i) { return !seen_.targets[i].unmarked; });
  return found;
}

void Marker::mark_healthy(std::size_t i) {
  const Target& target = seen_.targets[i];
  const Withdrawal withdrawal = withdrawal_of(target);
  // Only the mark tells that there may be a request: it stays until that is withdrawn.
  if (withdrawal == Withdrawal::Unknown && is_marked_unhealthy(*target.machine)) return;
  const bool marks = marks_change(i);
  if (!marks && withdrawal != Withdrawal::Needed) return;
  if (marks && good_news_++ >= kGoodNewsPerTurn)
    return plan_.waiting.push_back(target.machine->metadata.name.str());
  api::Machine after = *target.machine;
  if (marks) mark_health(plan_.verdicts[i], after, now_);
  if (withdrawal != Withdrawal::Needed) return mark(target, after, false);
  plan_.actions.push_back(
      WithdrawRequest{.machine = target.machine, .from = marks_of(*target.machine), .to = marks_of(after)});
}

Marker::Withdrawal Marker::withdrawal_of(const Target& target) {
  const api::Machine& machine = *target.machine;
  const auto needed = [](bool is) { return is ? Withdrawal::Needed : Withdrawal::None; };
  switch (target.request.state) {
    case RequestSeen::State::NotMade: return Withdrawal::None;
    case RequestSeen::State::Absent: return seen_.fresh ? Withdrawal::None : Withdrawal::Unknown;
    case RequestSeen::State::Unlisted:
      recheck_within(plan_.recheck, kUnlistedRecheck);
      return Withdrawal::Unknown;
    case RequestSeen::State::Unwatched:
      return seen_.fresh ? needed(is_marked_unhealthy(machine)) : Withdrawal::Unknown;
    case RequestSeen::State::Present:
      return seen_.fresh ? needed(!target.request.metadata.deleting() &&
                                  is_request_of(*seen_.check, machine, target.request.metadata))
                         : Withdrawal::Unknown;
  }
  return Withdrawal::Unknown;
}

bool Marker::marks_change(std::size_t i) const {
  return !is_marked_healthy(*seen_.targets[i].machine) && !is_left_to_another(i);
}

// Two checks that disagree would write over each other for ever: a Machine counts as well when no check finds
// it unhealthy any more, and of several that do the first by name says why.
bool Marker::is_left_to_another(std::size_t i) const {
  const Target& target = seen_.targets[i];
  if (!is_marked_unhealthy(*target.machine)) return false;
  return std::ranges::any_of(seen_.rivals, [&](const Rival& rival) {
    const bool speaks = plan_.verdicts[i].health == Health::Healthy ||
                        rival.check->metadata.name < seen_.check->metadata.name;
    return speaks && is_target(*target.machine, rival.selector) &&
           judge(target, rival.check->spec.checks, circumstances_).health == Health::Unhealthy;
  });
}

void Marker::mark(const Target& target, const api::Machine& after, bool handed_over) {
  MarkMachine action{.machine = target.machine,
                     .from = marks_of(*target.machine),
                     .to = marks_of(after),
                     .handed_over = handed_over};
  if (action.from != action.to) plan_.actions.push_back(std::move(action));
}

}  // namespace

void decide_marks(const Observation& seen, Plan& plan) { Marker(seen, plan).decide(); }

}  // namespace capstan::controllers::machinehealthcheck
