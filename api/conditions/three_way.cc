#include "api/conditions/three_way.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "base/try.h"

namespace capstan::api::conditions {
namespace {

enum class Verdict { Apply, Keep, Clash };

// What differs between the two generations: how one condition gets into a list, and when two say the same.
struct Modern {
  static ConditionPlace find(const Conditions& list, std::string_view type) {
    return conditions::find(list, type);
  }
  static bool same(const ConditionView& left, const ConditionView& right) { return same_state(left, right); }
  void put(Conditions& list, const ConditionView& wanted) const {
    set(list, wanted, wanted.observed_generation, wanted.last_transition_time);
  }
  static void drop(Conditions& list, std::string_view type) { remove(list, type); }
};

struct Older {
  Time now = {};
  static V1Beta1ConditionPlace find(const V1Beta1Conditions& list, std::string_view type) {
    return v1beta1::find(list, type);
  }
  static bool same(const V1Beta1ConditionView& left, const V1Beta1ConditionView& right) {
    return v1beta1::same_state(left, right);
  }
  void put(V1Beta1Conditions& list, const V1Beta1ConditionView& wanted) const {
    v1beta1::set(list, wanted, now);
  }
  static void drop(V1Beta1Conditions& list, std::string_view type) { v1beta1::remove(list, type); }
};

Failure clash(std::string_view type) {
  return fail(Code::Conflict, fmt::format("condition {} was changed by somebody else in the meantime", type));
}

// We wrote `after` where `before` was; `latest` is there now.
template <typename Generation, typename One>
Verdict judge_write(Place<One> before, const ViewOf<One>& after, Place<One> latest) {
  if (before == nullptr) {
    if (latest == nullptr) return Verdict::Apply;
    return Generation::same(*latest, after) ? Verdict::Keep : Verdict::Clash;
  }
  if (latest == nullptr) return Verdict::Clash;
  if (*latest == *before) return Verdict::Apply;
  return Generation::same(*latest, after) ? Verdict::Keep : Verdict::Clash;
}

template <typename Generation, typename List, typename Change>
Result<void> write_changes(const Generation& generation, List& latest, const Change& change) {
  for (const auto& after : change.after) {
    const auto before = Generation::find(change.before, after.type);
    if (before != nullptr && *before == after) continue;
    const bool owned = std::ranges::find(change.owned, after.type.view()) != change.owned.end();
    const Verdict verdict =
        owned ? Verdict::Apply : judge_write<Generation>(before, after, Generation::find(latest, after.type));
    if (verdict == Verdict::Clash) return clash(after.type);
    if (verdict == Verdict::Apply) generation.put(latest, after);
  }
  return {};
}

template <typename Generation, typename List, typename Change>
Result<void> write_removals(List& latest, const Change& change) {
  for (const auto& before : change.before) {
    if (Generation::find(change.after, before.type) != nullptr) continue;
    const bool owned = std::ranges::find(change.owned, before.type.view()) != change.owned.end();
    const auto there = Generation::find(latest, before.type);
    if (!owned && there != nullptr && !Generation::same(*there, before)) return clash(before.type);
    Generation::drop(latest, before.type);
  }
  return {};
}

template <typename Generation, typename List, typename Change>
Result<List> merged(const Generation& generation, List latest, const Change& change) {
  TRY(write_changes(generation, latest, change));
  TRY(write_removals<Generation>(latest, change));
  return latest;
}

}  // namespace

Result<Conditions> merge_into(Conditions latest, const ThreeWay& change) {
  return merged(Modern{}, std::move(latest), change);
}

Result<V1Beta1Conditions> merge_into(V1Beta1Conditions latest, const ThreeWayV1Beta1& change, Time now) {
  return merged(Older{.now = now}, std::move(latest), change);
}

}  // namespace capstan::api::conditions
