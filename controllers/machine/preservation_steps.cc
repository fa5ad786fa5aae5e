#include "controllers/machine/preservation_steps.h"

#include <fmt/format.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/machine/autoscaler_mark.h"
#include "controllers/machine/lifecycle_report.h"
#include "controllers/machine/preservation_drain.h"

namespace capstan::controllers::machine {
namespace {

namespace wish_key = api::policy::annotation;
namespace kept_reason = api::policy::reason;
using lifecycle::NodeLook;
using lifecycle::Preservation;
using lifecycle::Preserved;
using lifecycle::Wish;

// Those two ask before they delete one that has failed.
bool is_of_a_set_or_pool(const api::Machine& machine) {
  const auto* owner = machine.metadata.controller();
  return owner != nullptr && owner->group() == api::group::kCluster &&
         (owner->kind == api::kind::kMachineSet || owner->kind == api::kind::kMachinePool);
}

NodeLook node_look(const Observation& seen) {
  return {.known = is_node_known(seen), .node = seen.node.node.get()};
}

Preservation preservation(const Observation& seen, const api::Machine& machine) {
  if (!is_of_a_set_or_pool(machine)) return {};
  return lifecycle::preservation_of(
      {.now = seen.now,
       .machine = machine,
       .node = node_look(seen),
       .rules = lifecycle::preservation_rules(seen.policy ? &seen.policy->spec : nullptr),
       .keeper_gone = seen.keeper_gone});
}

// Once it is written what the Node said, the Machine's own wish goes: it would count again without the Node.
void remember_node(const NodeLook& look, api::Labels& annotations) {
  if (!look.known || look.node == nullptr) return;
  const auto said = lifecycle::said(look.node->metadata.annotations, wish_key::kPreserve);
  if (!said) {
    annotations.erase(wish_key::kPreserveFromNode);
  } else if (lifecycle::parse_wish(said->value)) {
    annotations.set(wish_key::kPreserveFromNode, said->value);
    lifecycle::erase_said(annotations, wish_key::kPreserve);
  }
}

bool asks_for_preservation(const api::Node& node) {
  const auto said = lifecycle::said(node.metadata.annotations, wish_key::kPreserve);
  const auto wish = said ? lifecycle::parse_wish(said->value) : std::nullopt;
  return wish && *wish != Wish::Never;
}

// A wish that is still there after the time is over would begin it anew: the Node's goes first.
bool is_node_done(const NodeLook& look) {
  return look.known && (look.node == nullptr || !asks_for_preservation(*look.node));
}

void withdraw_wish(const api::Node& node, NodeChange& change) {
  for (const std::string_view key : {wish_key::kPreserve, lifecycle::mcm_alias_of(wish_key::kPreserve)}) {
    if (node.metadata.annotations.contains(key)) change.annotations.emplace_back(Text(key), std::nullopt);
  }
}

void end(api::Labels& annotations) {
  annotations.erase(wish_key::kPreserveUntil);
  annotations.erase(wish_key::kAutoPreserved);
}

std::string at_whose_wish(const Preservation& found, const api::Machine& machine) {
  if (!found.wishes.wish)
    return fmt::format("it has failed, MachineLifecyclePolicy {} keeps it",
                       machine.metadata.annotations.value_or_empty(wish_key::kAutoPreserved));
  return fmt::format("annotation {} of the {} says {}", found.wishes.key,
                     found.wishes.by_node ? api::kind::kNode : api::kind::kMachine,
                     lifecycle::to_string(*found.wishes.wish));
}

api::Condition says(std::string_view status, std::string_view why, std::string message,
                    const std::string& problem) {
  if (!problem.empty()) message += (message.empty() ? "" : "; ") + problem;
  return api::conditions::make(api::policy::condition::kPreserved, status, why, message);
}

void add_words(const std::string& words, std::string& problem) {
  if (words.empty()) return;
  problem += (problem.empty() ? "" : "; ") + words;
}

std::optional<api::Condition> condition_of(const Preservation& found, const api::Machine& machine) {
  const std::string& problem = found.wishes.problem;
  const auto no = api::status::kFalse;
  const std::string until = found.until.to_string();
  switch (found.state) {
    case Preserved::Yes:
      return says(api::status::kTrue,
                  found.wishes.wish ? kept_reason::kPreservedAsAsked : kept_reason::kAutoPreserved,
                  fmt::format("until {}: {}", until, at_whose_wish(found, machine)), problem);
    case Preserved::TimeOver: return says(no, kept_reason::kTimeIsOver, "it was until " + until, problem);
    case Preserved::NotYet:
      return says(no, kept_reason::kWaitingForFailure, "once it fails: " + at_whose_wish(found, machine),
                  problem);
    case Preserved::Refused: return says(no, kept_reason::kNotWanted, at_whose_wish(found, machine), problem);
    case Preserved::No: break;
  }
  if (problem.empty()) return std::nullopt;
  return says(no, kept_reason::kInvalidRequest, {}, problem);
}

// Not well, and nothing gives it up.
bool is_left_alone(const Observation& seen, const api::Machine& machine) {
  const auto& list = machine.status.conditions;
  const auto healthy = api::conditions::find(list, api::condition::kNodeHealthy);
  return !seen.policy && seen.policy_known && !lifecycle::has_failed(machine) && healthy != nullptr &&
         healthy->status != api::status::kTrue;
}

}  // namespace

void preserve_machine(const Observation& seen, Plan& plan) {
  if (seen.deleting()) return;
  const api::Machine& machine = *seen.machine;
  const NodeLook look = node_look(seen);
  const Preservation found = preservation(seen, machine);
  auto& annotations = plan.wanted.metadata.annotations;
  remember_node(look, annotations);
  note_preservation_drain(seen, found, plan);
  if (found.state == Preserved::Yes) {
    // What a person has written there and can't be read stays, for the condition names it.
    if (annotations.value_or_empty(wish_key::kPreserveUntil).empty())
      annotations.set(wish_key::kPreserveUntil, found.until.to_string());
    // Others take its place meanwhile.
    if (lifecycle::is_in(machine, lifecycle::Phase::Failed)) annotations.erase(wish_key::kReplacementGranted);
  } else if (found.state != Preserved::TimeOver) {
    end(annotations);
  } else if (!lifecycle::is_lost(machine) && is_node_done(look)) {
    // One that is lost is deleted by its owner, which must not find it asked for anew.
    lifecycle::erase_said(annotations, wish_key::kPreserve);
    end(annotations);
  } else {
    // In the place of one that can't be read, which counts from a condition that ends in this turn.
    annotations.set(wish_key::kPreserveUntil, found.until.to_string());
  }
}

std::string release_in_words(const Observation& seen, const api::Machine& after) {
  const bool released = lifecycle::preserved_until(*seen.machine) && !lifecycle::preserved_until(after) &&
                        !after.metadata.deleting();
  if (!released) return {};
  if (seen.keeper_gone)
    return fmt::format(
        "MachineLifecyclePolicy {}, which preserved this Machine, is gone: it runs on, and no policy "
        "replaces it",
        seen.machine->metadata.annotations.value_or_empty(wish_key::kAutoPreserved));
  if (!is_left_alone(seen, after)) return {};
  return "it is not preserved any more, is not well, and neither a MachineLifecyclePolicy nor a "
         "MachineHealthCheck replaces it: delete it, or let a policy with health.nodeChecks select it";
}

void preserve_node(const Observation& seen, std::optional<NodeChange>& change) {
  const api::Node& node = *seen.node.node;
  const Preservation found = preservation(seen, *seen.machine);
  NodeChange fuller = change.value_or(NodeChange());
  mark_for_autoscaler({.preserved = found.state == Preserved::Yes, .rolling = is_kept_for_rollout(seen)},
                      node, fuller);
  show_on_preserved_node(seen, found, fuller);
  const bool wish_is_over =
      found.state == Preserved::TimeOver && !lifecycle::is_lost(*seen.machine) && asks_for_preservation(node);
  if (wish_is_over) withdraw_wish(node, fuller);
  if (fuller != NodeChange()) change = std::move(fuller);
}

PreservationReport preservation_report(const Observation& seen, const api::Machine& after,
                                       const std::optional<drain::StageReport>& emptying) {
  if (seen.deleting()) return {};
  Preservation found = preservation(seen, after);
  add_words(drain_in_words(after, emptying), found.wishes.problem);
  PreservationReport report{.condition = condition_of(found, after)};
  if (found.state == Preserved::Yes) report.recheck = found.until - seen.now;
  return report;
}

}  // namespace capstan::controllers::machine
