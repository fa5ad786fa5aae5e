#include "controllers/inplace/protocol.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/inplace/node_labels.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::inplace {
namespace {

using api::NoteCode;
namespace label = api::policy::label;

constexpr std::string_view kNoReason = "the agent on its Node gives no reason";

class Protocol {
 public:
  Protocol(const Situation& now, Plan& plan) : now_(now), plan_(plan) {}

  Progress run() {
    for (const MachineSeen& each : now_.machines()) {
      // The Node of a Machine that is being deleted is seen to by its deletion.
      if (!is_going(each)) step(each);
    }
    return std::move(progress_);
  }

 private:
  void step(const MachineSeen& each) {
    if (!each.mark) return rest(each);
    if (each.mark->step == UpdateStep::Updated) return finish(each);
    if (now_.is_handed_over(each)) return move(each);
    if (!now_.is_on()) return release(each);
    switch (each.mark->step) {
      case UpdateStep::Draining: return drain(each);
      case UpdateStep::Updating: return await_result(each);
      case UpdateStep::Failed:
      case UpdateStep::TimedOut: return stay_failed(each);
      case UpdateStep::Updated: break;
    }
  }

  // A mark that can't be read is as good as none.
  void rest(const MachineSeen& each) {
    if (is_marked(*each.machine)) return release(each);
    change_node(each, now_.is_candidate(each) ? as_candidate(each) : as_any(each));
  }

  // The rollout has turned to another template, or nothing asks for updates in place any more.
  void release(const MachineSeen& each) {
    if (!is_node_known(each)) return;
    change_node(each, as_any(each));
    mark(each, std::nullopt, now_.is_on() ? std::nullopt : std::optional(NoteCode::InPlaceUpdateGivenUp));
  }

  void finish(const MachineSeen& each) {
    if (!is_node_known(each)) return;
    const SetSnapshot* set = now_.find_set(each.set);
    if (set != nullptr) {
      const auto& source = (*set)->spec.machine_template.spec.bootstrap.config_ref;
      if (source && each.machine->spec.bootstrap.config_ref)
        plan_.actions.push_back(MarkBootstrap{.machine = each.machine, .source = *source});
    }
    change_node(each, as_any(each));
    mark(each, std::nullopt, NoteCode::InPlaceUpdated);
  }

  void move(const MachineSeen& each) {
    plan_.actions.push_back(MoveMachine{.machine = each.machine,
                                        .from = *now_.find_set(each.set),
                                        .to = *now_.find_set(each.mark->set),
                                        .mark = next(each, UpdateStep::Updated)});
  }

  void drain(const MachineSeen& each) {
    if (each.mark->set != now_.newest()) return release(each);
    if (!each.node) return;
    if (change_node(each, as_selected(each)) || !now_.ask().may_go_on) return;
    plan_.actions.push_back(
        DrainNode{.machine = each.machine, .node = each.node, .mark = next(each, UpdateStep::Updating)});
  }

  // Also when the rollout has turned to another template: the agent may be at work, and what it has done
  // decides what the Machine is.
  void await_result(const MachineSeen& each) {
    if (change_node(each, as_ready(each, template_of(each.set), template_of(each.mark->set)))) return;
    const auto result = label_of(each, label::kUpdateResult);
    if (result == kSuccessful) return succeed(each);
    if (result == kFailed) return fail(each, UpdateStep::Failed, reason_of(each));
    const auto end = end_of(*each.mark);
    if (end && *end <= now_.ask().now) return fail(each, UpdateStep::TimedOut, timed_out(each, result));
    if (!result.empty())
      plan_.told.push_back(fmt::format("Machine {}: {}", name_of(each), odd(each, result)));
    if (end) recheck_within(plan_.recheck, *end - now_.ask().now);
  }

  void succeed(const MachineSeen& each) {
    const SetSnapshot* set = now_.find_set(each.mark->set);
    if (set == nullptr || (*set)->metadata.deleting())
      return fail(each, UpdateStep::Failed,
                  "it succeeded, but that MachineSet is gone: delete the Machine, or change the template");
    if (each.set == each.mark->set) return mark(each, next(each, UpdateStep::Updated));
    if (now_.ask().may_go_on) progress_.to_move.push_back(&each);
  }

  void fail(const MachineSeen& each, UpdateStep how, std::string why) {
    UpdateMark mark_failed = next(each, how);
    mark_failed.why = std::move(why);
    mark(each, std::move(mark_failed), NoteCode::InPlaceUpdateFailed);
  }

  // A person takes the result off, so that the agent tries again, or corrects it; another template begins
  // anew; a Machine that is deleted is replaced.
  void stay_failed(const MachineSeen& each) {
    if (each.mark->set != now_.newest()) return begin_anew(each);
    const auto result = label_of(each, label::kUpdateResult);
    const bool again = each.node && result.empty() && each.mark->step == UpdateStep::Failed;
    if (result == kSuccessful || again) return mark(each, next(each, UpdateStep::Updating));
    if (!is_off(Safeguard::UpdateFailure)) progress_.stopped = true;
    plan_.told.push_back(fmt::format(
        "Machine {} could not be updated in place, and no other one is updated: {}; {}, delete the "
        "Machine, or change the template",
        name_of(each), each.mark->why, remedy(each)));
  }

  // What never answered has no result to take off.
  static std::string remedy(const MachineSeen& each) {
    if (each.mark->step == UpdateStep::TimedOut)
      return fmt::format("see to its Node and take annotation {} off the Machine, so that it begins again",
                         api::policy::annotation::kInPlaceUpdate);
    return fmt::format("correct its Node and take label {} off it", key_on_node(each, label::kUpdateResult));
  }

  void begin_anew(const MachineSeen& each) {
    const bool wanted = now_.has_updatable(each.set) || each.set == now_.newest();
    if (!wanted || now_.newest().empty() || !now_.ask().may_go_on) return;
    mark(each, UpdateMark{.set = std::string(now_.newest()), .since = now_.ask().now});
  }

  // --- what all of them do ---

  // Otherwise nothing may be said of it for now: it is not seen, or not as it is.
  bool is_node_known(const MachineSeen& each) const { return now_.ask().seen.sees_nodes && !each.behind; }

  bool change_node(const MachineSeen& each, std::optional<NodeChange> change) {
    if (!change) return false;
    plan_.actions.push_back(
        ChangeNode{.machine = each.machine, .node = each.node, .change = std::move(*change)});
    return true;
  }

  void mark(const MachineSeen& each, std::optional<UpdateMark> to, std::optional<NoteCode> news = {}) {
    plan_.actions.push_back(MarkMachine{.machine = each.machine, .to = std::move(to), .news = news});
  }

  const api::MachineTemplate* template_of(std::string_view name) const {
    const SetSnapshot* set = now_.find_set(name);
    return set == nullptr ? nullptr : &(*set)->spec.machine_template;
  }

  UpdateMark next(const MachineSeen& each, UpdateStep step) const {
    return {.set = each.mark->set, .step = step, .since = now_.ask().now};
  }

  // No time counts from before the workload cluster was reached again.
  std::optional<Time> end_of(const UpdateMark& mark) const {
    const lifecycle::Contact& contact = now_.ask().seen.contact;
    if (!contact.holds()) return std::nullopt;
    return std::max(mark.since, contact.since) + timeout();
  }

  Seconds timeout() const {
    return Seconds(now_.ask().seen.wanted->timeout_seconds.value_or(api::PolicyInPlace::kTimeoutSeconds));
  }
  std::string timed_out(const MachineSeen& each, std::string_view result) const {
    if (!result.empty()) return fmt::format("{}, for {} seconds", odd(each, result), timeout().count());
    return fmt::format("the agent on its Node has reported nothing for {} seconds", timeout().count());
  }
  static std::string odd(const MachineSeen& each, std::string_view result) {
    return fmt::format("label {} of its Node says {:?}, {} or {} is meant",
                       key_on_node(each, label::kUpdateResult), result, kSuccessful, kFailed);
  }

  static std::string reason_of(const MachineSeen& each) {
    const auto why =
        lifecycle::said(each.node->metadata.annotations, api::policy::annotation::kUpdateFailedReason);
    return why && !why->value.empty() ? why->value : std::string(kNoReason);
  }

  const Situation& now_;
  Plan& plan_;
  Progress progress_ = {};
};

}  // namespace

Progress go_on(const Situation& now, Plan& plan) { return Protocol(now, plan).run(); }

}  // namespace capstan::controllers::inplace
