// One condition out of many: summary over several conditions of one object (Ready of a Machine), aggregate
// over one condition of many objects (MachinesReady of a MachineSet). Messages are word for word upstream's:
// people and programs parse them. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/condition.h"
#include "api/names.h"
#include "base/result.h"

namespace capstan::api::conditions {

enum class Priority { Issue, Unknown, Info };

// Changes what a condition counts as; gets what its polarity alone says.
using Reprioritize = Priority (*)(const ConditionView& condition, Priority by_polarity);

// The reason of the result, by the worst thing found.
struct Reasons {
  std::string_view issue = reason::kIssuesReported;
  std::string_view unknown = reason::kUnknownReported;
  std::string_view info = reason::kInfoReported;
};

struct SummaryRules {
  // What the summary is about, most relevant first; a type named twice stands where it was named last.
  std::vector<std::string_view> types = {};
  std::vector<std::string_view> negative = {};           // types whose good status is False
  std::vector<std::string_view> ignore_if_missing = {};  // the others count as Unknown then
  Conditions overrides = {};                             // read instead of the ones in the list
  Reasons reasons = {};
  Reprioritize reprioritize = nullptr;
  void (*edit_lines)(std::vector<std::string>& lines) =
      nullptr;  // one element per condition, before they are joined
};

// Invalid when the rules contradict the list: nothing to sum up, or the target is among its own sources.
Result<Condition> summary(const Conditions& source, std::string_view target, const SummaryRules& rules);

// One object's part in an aggregate; what it refers to outlives it.
struct Contribution {
  std::string_view kind = {};
  std::string_view name = {};
  bool control_plane_machine = false;  // these are named first
  ConditionPlace condition = {};       // null: it does not have the type
};

struct AggregateRules {
  std::string_view source_type = {};
  std::string_view target_type = {};  // empty: the source's
  bool negative_source = false;
  bool negative_target = false;
  Reasons reasons = {};
  Reprioritize reprioritize = nullptr;
};

// `parts` must not be empty: what no object says can't be summed up, the caller knows what that means.
Condition aggregate(std::span<const Contribution> parts, const AggregateRules& rules);

}  // namespace capstan::api::conditions
