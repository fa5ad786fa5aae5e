#include "controllers/lifecycle/preservation.h"

#include <fmt/format.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/lifecycle/annotations.h"
#include "controllers/lifecycle/phase.h"

namespace capstan::controllers::lifecycle {
namespace {

namespace annotation = api::policy::annotation;

constexpr std::size_t kShownOfAWish = 32;  // of a value that means nothing

std::optional<Wish> wish_in(const api::Labels& annotations, std::string_view key) {
  const auto value = said(annotations, key);
  return value ? parse_wish(value->value) : std::nullopt;
}

std::string_view key_in(const api::Labels& annotations) {
  const auto value = said(annotations, annotation::kPreserve);
  return value ? value->key : annotation::kPreserve;
}

std::string problem_with(const api::Labels& annotations, std::string_view on) {
  const auto value = said(annotations, annotation::kPreserve);
  if (!value) return {};
  if (parse_wish(value->value)) return overruled_alias(annotations, annotation::kPreserve);
  return fmt::format("annotation {} of the {}: {:?} is ignored, now, when-failed or false is meant",
                     value->key, on, value->value.substr(0, kShownOfAWish));
}

void add_problem(const std::string& problem, Wishes& wishes) {
  if (problem.empty()) return;
  wishes.problem += (wishes.problem.empty() ? "" : "; ") + problem;
}

bool is_wanted(const Wishes& wishes, const PreservationFacts& facts) {
  if (wishes.wish == Wish::Now) return true;
  const bool when_failed =
      wishes.wish ? wishes.wish == Wish::WhenFailed : is_auto_preserved(facts.machine) && !facts.keeper_gone;
  if (!when_failed) return false;
  const bool goes_on =
      preserved_until(facts.machine) && (!facts.rules.release_on_recovery || is_lost(facts.machine));
  return goes_on || has_failed(facts.machine);
}

Preserved state_of(const Wishes& wishes, const PreservationFacts& facts) {
  if (wishes.wish == Wish::Never) return Preserved::Refused;
  if (is_wanted(wishes, facts)) {
    const auto until = preserved_until(facts.machine);
    return until && *until <= facts.now ? Preserved::TimeOver : Preserved::Yes;
  }
  return wishes.wish == Wish::WhenFailed ? Preserved::NotYet : Preserved::No;
}

std::optional<Time> written_end(std::string_view text) {
  const auto until = Time::parse(text);
  return until && until->is_set() ? std::optional(*until) : std::nullopt;
}

// By what the Machine itself says, so that all who ask get the same answer.
std::optional<Time> end_without_one(const api::Machine& machine) {
  const auto kept = api::conditions::find(machine.status.conditions, api::policy::condition::kPreserved);
  if (kept == nullptr || kept->status != api::status::kTrue) return std::nullopt;
  const auto own = whole_number(machine.metadata, annotation::kPreserveTimeout, kSecondsOfAPreservation);
  return kept->last_transition_time + Seconds(own.value.value_or(api::PolicyPreservation::kTimeoutSeconds));
}

std::string problem_with_end(const api::Labels& annotations) {
  const auto text = annotations.value_or_empty(annotation::kPreserveUntil);
  if (text.empty() || written_end(text)) return {};
  return fmt::format("annotation {}: {:?} is ignored, a time like 2026-01-01T12:00:00Z is meant",
                     annotation::kPreserveUntil, text.substr(0, kShownOfAWish));
}

}  // namespace

std::optional<Wish> parse_wish(std::string_view value) {
  for (const Wish wish : {Wish::Now, Wish::WhenFailed, Wish::Never})
    if (value == to_string(wish)) return wish;
  return std::nullopt;
}

std::string_view to_string(Wish wish) {
  switch (wish) {
    case Wish::Now: return "now";
    case Wish::WhenFailed: return "when-failed";
    case Wish::Never: return "false";
  }
  return {};
}

Wishes wishes_for(const api::Machine& machine, const NodeLook& look) {
  Wishes own{.wish = wish_in(machine.metadata.annotations, annotation::kPreserve),
             .key = key_in(machine.metadata.annotations),
             .problem = problem_with(machine.metadata.annotations, api::kind::kMachine)};
  const auto remembered = is_off(Safeguard::NodesWish)
                              ? std::nullopt
                              : wish_in(machine.metadata.annotations, annotation::kPreserveFromNode);
  Wishes last_word = remembered ? Wishes{.wish = remembered, .by_node = true} : own;
  if (!look.known) return last_word;
  if (look.node == nullptr) return own.wish ? own : last_word;
  const auto& node = look.node->metadata.annotations;
  if (const auto wish = wish_in(node, annotation::kPreserve))
    return {
        .wish = wish, .by_node = true, .key = key_in(node), .problem = problem_with(node, api::kind::kNode)};
  if (!said(node, annotation::kPreserve)) return own;
  Wishes unclear = last_word;
  unclear.problem = problem_with(node, api::kind::kNode);
  return unclear;
}

bool was_preserved(const api::Machine& machine) {
  return machine.metadata.annotations.contains(annotation::kPreserveUntil);
}

PreservationRules preservation_rules(const api::MachineLifecyclePolicySpec* policy) {
  if (policy == nullptr || !policy->preservation) return {};
  const auto& group = *policy->preservation;
  return {.timeout = Seconds(group.timeout_seconds.value_or(api::PolicyPreservation::kTimeoutSeconds)),
          .release_on_recovery = group.on_recovery == api::PolicyPreservation::kRelease};
}

Preservation preservation_of(const PreservationFacts& facts) {
  Preservation found{.wishes = wishes_for(facts.machine, facts.node)};
  found.state = state_of(found.wishes, facts);
  const auto own =
      whole_number(facts.machine.metadata, annotation::kPreserveTimeout, kSecondsOfAPreservation);
  add_problem(own.problem, found.wishes);
  const Seconds timeout = own.value ? Seconds(*own.value) : facts.rules.timeout;
  if (found.state != Preserved::Yes && found.state != Preserved::TimeOver) return found;
  found.until = preserved_until(facts.machine).value_or(facts.now + timeout);
  add_problem(problem_with_end(facts.machine.metadata.annotations), found.wishes);
  return found;
}

bool has_failed(const api::Machine& machine) {
  const auto& list = machine.status.conditions;
  return is_in(machine, Phase::Failed) ||
         (api::conditions::is_false(list, api::condition::kHealthCheckSucceeded) &&
          api::conditions::is_false(list, api::condition::kOwnerRemediated));
}

bool is_lost(const api::Machine& machine) { return has_failed(machine) || is_in(machine, Phase::Unhealthy); }

bool is_auto_preserved(const api::Machine& machine) {
  return machine.metadata.annotations.contains(annotation::kAutoPreserved);
}

std::optional<Time> preserved_until(const api::Machine& machine) {
  const auto said = machine.metadata.annotations.value_or_empty(annotation::kPreserveUntil);
  if (said.empty()) return std::nullopt;
  const auto until = written_end(said);
  return until ? until : end_without_one(machine);
}

bool is_preserved_failure(const api::Machine& machine) {
  return !machine.metadata.deleting() && has_failed(machine) && preserved_until(machine).has_value();
}

bool is_kept(const api::Machine& machine, const NodeLook& look, Time now) {
  if (is_off(Safeguard::Preservation)) return false;
  if (const auto until = preserved_until(machine)) return *until > now;
  const auto wish = wishes_for(machine, look).wish;
  return wish ? *wish != Wish::Never : is_auto_preserved(machine);
}

}  // namespace capstan::controllers::lifecycle
