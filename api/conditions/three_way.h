// Condition lists are shared arrays: several controllers write to one list. What we changed (before -> after)
// is put on top of what the server has now (latest). Types we own win; for the others a change by somebody
// else that disagrees with ours is a Conflict. Used after a refused patch. Pure.
#pragma once

#include <span>
#include <string_view>

#include "api/meta/condition.h"
#include "base/result.h"

namespace capstan::api::conditions {

struct ThreeWay {
  std::span<const Condition> before = {};
  std::span<const Condition> after = {};
  std::span<const std::string_view> owned = {};
};
Result<Conditions> merge_into(Conditions latest, const ThreeWay& change);

struct ThreeWayV1Beta1 {
  std::span<const V1Beta1Condition> before = {};
  std::span<const V1Beta1Condition> after = {};
  std::span<const std::string_view> owned = {};
};
Result<V1Beta1Conditions> merge_into(V1Beta1Conditions latest, const ThreeWayV1Beta1& change, Time now);

}  // namespace capstan::api::conditions
