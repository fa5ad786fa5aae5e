#include "controllers/safety/freeze.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/freeze.h"
#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/lifecycle/annotations.h"

namespace capstan::controllers::safety {
namespace {

namespace annotation = api::policy::annotation;
namespace reason = api::policy::reason;

constexpr std::size_t kShownOfValue = 100;

bool is_asked_for(const api::ObjectMeta& object, std::string_view key) {
  const Text* value = object.annotations.find(key);
  return value != nullptr && *value != "false";
}

// machine-controller-manager's label, which those two kinds alone have.
std::string freezing_alias(const Freezer& freezer) {
  const bool may_have_it =
      freezer.kind == api::kind::kMachineSet || freezer.kind == api::kind::kMachineDeployment;
  const std::string_view alias = lifecycle::mcm_alias_of(annotation::kFreeze);
  if (!may_have_it || alias.empty()) return {};
  const auto flag = lifecycle::flag_in(freezer.metadata->labels, "label", annotation::kFreeze);
  return flag.is_on && flag.key == alias ? fmt::format("label {}", alias) : std::string();
}

// And what it says; empty: there is none.
std::string freezing_key(const Freezer& freezer) {
  const auto says = api::policy::freeze_said_on(*freezer.metadata);
  if (says) return fmt::format("annotation {}: {:?}", annotation::kFreeze, says->substr(0, kShownOfValue));
  const bool says_no = freezer.metadata->annotations.contains(annotation::kFreeze);
  return says_no ? std::string() : freezing_alias(freezer);
}

std::string_view reason_of(const Freezer& freezer, bool is_itself) {
  return freezer.kind == api::kind::kCluster && !is_itself ? reason::kFrozenByCluster
                                                           : reason::kFrozenByAnnotation;
}

std::string by_number_in_words(const NumberSeen& seen, const OvershootLimits& limits) {
  return fmt::format(
      "frozen, no Machine is made: {} Machines are there, and {} are too many for {} replicas, a surge of {} "
      "and a margin of {}; opens with {} or fewer, or for a minute by the annotation {}: \"true\"",
      seen.there, limits.high, seen.wanted.replicas, seen.wanted.surge, limits.high - seen.wanted.most(),
      limits.low, annotation::kUnfreeze);
}

std::optional<Seconds> thaw_left(const NumberSeen& seen) {
  if (!seen.thawed.is_set()) return std::nullopt;
  const Seconds since = seen.now - seen.thawed;
  // A time that is far ahead of our clock is no thaw: it would hold until then.
  const bool holds = since < kThawHolds && since > -kThawHolds;
  return holds ? std::optional(kThawHolds - std::max(since, Seconds(0))) : std::nullopt;
}

}  // namespace

Frozen frozen_by_annotation(std::span<const Freezer> lineage) {
  if (is_off(Safeguard::Freeze)) return {};
  for (const Freezer& each : lineage) {
    const std::string by = freezing_key(each);
    if (by.empty()) continue;
    return {.reason = reason_of(each, &each == &lineage.front()),
            .why = fmt::format("frozen by the {} of {} {}: none of its {} is made, "
                               "replaced or deleted, but by a user, until that is taken off",
                               by, each.kind, each.metadata->name.view(),
                               each.kind == api::kind::kMachinePool ? "instances" : "Machines")};
  }
  return {};
}

bool asks_for_thaw(const api::ObjectMeta& object) {
  return is_asked_for(object, annotation::kUnfreeze) ||
         (lifecycle::accepts_mcm_aliases() && is_asked_for(object, annotation::kUnfreezeOfMcm));
}

Time thawed_at(const api::ObjectMeta& object, Time now) {
  if (asks_for_thaw(object)) return now;
  return Time::parse(object.annotations.value_or_empty(annotation::kUnfrozenAt)).value_or(Time());
}

void note_thaw(api::ObjectMeta& object, Time now) {
  if (!asks_for_thaw(object)) return;
  object.annotations.erase(annotation::kUnfreeze);
  if (lifecycle::accepts_mcm_aliases()) object.annotations.erase(annotation::kUnfreezeOfMcm);
  object.annotations.set(annotation::kUnfrozenAt, now.to_string());
}

bool was_frozen_by_number(const api::Conditions& conditions, Time thawed) {
  const auto said = api::conditions::find(conditions, api::policy::condition::kFrozen);
  if (said == nullptr || said->status != api::status::kTrue || said->reason != reason::kOvershooting)
    return false;
  return !thawed.is_set() || Time(said->last_transition_time) > thawed;
}

Frozen frozen_by_number(const api::PolicyOvershoot& policy, const NumberSeen& seen) {
  if (is_off(Safeguard::Freeze)) return {};
  if (const auto left = thaw_left(seen)) return {.recheck = left};
  const auto limits = overshoot_limits(policy, seen.wanted);
  if (!overshoots(seen.there, limits, seen.was_frozen)) return {};
  return {.reason = reason::kOvershooting, .why = by_number_in_words(seen, limits)};
}

}  // namespace capstan::controllers::safety
