#include "api/contract/foreign_conditions.h"

#include <fmt/core.h>

#include <boost/json.hpp>
#include <cassert>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "api/contract/expect.h"
#include "api/contract/what_is_read.h"
#include "api/names.h"
#include "api/schema/decode.h"
#include "base/try.h"

namespace capstan::api::contract {
namespace {

namespace json = boost::json;

Result<void> check(const Foreign& object, const Condition& condition) {
  const auto broken = [&](std::string_view what) {
    return fail(Code::Invalid, fmt::format("{}: {}", object.describe(), what));
  };
  if (condition.type.empty()) return broken("a condition has no type");
  if (condition.status == status::kTrue || condition.status == status::kFalse ||
      condition.status == status::kUnknown) {
    return {};
  }
  return broken(fmt::format("condition {}: status must be True, False or Unknown, not \"{}\"",
                            condition.type.view(), condition.status.view()));
}

Result<Condition> read_one(const Foreign& object, const json::value& from) {
  auto condition = from_json<Condition>(from);
  if (!condition) return Failure(condition.error().context(object.describe() + ": condition"));
  TRY(check(object, *condition));
  if (condition->reason.empty()) condition->reason = Text(reason::kNoReasonReported);
  condition->unknown = {};
  return condition;
}

// The list of the newest generation that has one. Something else than a list counts as not reported.
std::optional<json::value> condition_list(const Foreign& object) {
  for (const auto& path : {path::kV1Beta2Conditions, path::kConditions}) {
    auto found = object.at(path);
    if (found && found->is_array()) return found;
  }
  return {};
}

}  // namespace

Result<Conditions> read_conditions(const Foreign& object) {
  Conditions conditions;
  const auto list = condition_list(object);
  if (!list) return conditions;
  for (const auto& each : list->as_array()) {
    if (!each.is_object()) continue;
    conditions.push_back(TRY(read_one(object, each)));
  }
  return conditions;
}

Result<std::optional<Condition>> read_condition(const Foreign& object, std::string_view type) {
  assert(is_condition_read(type) && "the cache does not keep it: add it to what_is_read.cc");
  const auto all = TRY(read_conditions(object));
  const auto found = conditions::find(all, type);
  if (found == nullptr) return std::nullopt;
  return *found;
}

std::optional<V1Beta1Condition> read_v1beta1_ready(const Foreign& object) {
  const auto list = object.at(path::kConditions);
  if (!list || !list->is_array()) return {};
  for (const auto& each : list->as_array()) {
    auto condition = from_json<V1Beta1Condition>(each);
    if (!condition) return {};
    condition->unknown = {};
    if (condition->type == v1beta1_condition::kReady) return *condition;
  }
  return {};
}

}  // namespace capstan::api::contract
