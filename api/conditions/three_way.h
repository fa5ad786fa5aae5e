// Condition lists are shared arrays: several controllers write to one list. What we changed (before -> after)
// is put on top of what the server has now (latest). Types we own win; for the others a change by another
// writer that disagrees with ours is a Conflict. Used after a refused patch. Pure.
#pragma once

#include <span>
#include <string_view>

#include "api/meta/condition.h"
#include "base/result.h"

namespace capstan::api::conditions {

struct ThreeWay {
  Conditions before = {};
  Conditions after = {};
  std::span<const std::string_view> owned = {};
};
Result<Conditions> merge_into(Conditions latest, const ThreeWay& change);

struct ThreeWayV1Beta1 {
  V1Beta1Conditions before = {};
  V1Beta1Conditions after = {};
  std::span<const std::string_view> owned = {};
};
Result<V1Beta1Conditions> merge_into(V1Beta1Conditions latest, const ThreeWayV1Beta1& change, Time now);

}  // namespace capstan::api::conditions
