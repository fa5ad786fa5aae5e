// The older condition generation (status.deprecated.v1beta1.conditions), which providers on old libraries
// still read: it has a severity, and a transition time that moves with any change. Pure functions; `now` is
// an argument.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/condition.h"

namespace capstan::api::conditions::v1beta1 {

V1Beta1ConditionPlace find(const V1Beta1Conditions& list, std::string_view type);
bool is_true(const V1Beta1Conditions& list, std::string_view type);
bool is_false(const V1Beta1Conditions& list, std::string_view type);

// True says nothing more; False says why and how bad it is.
V1Beta1Condition yes(std::string_view type);
V1Beta1Condition no(std::string_view type, std::string_view reason, std::string_view severity,
                    std::string_view message = {});
V1Beta1Condition unknown(std::string_view type, std::string_view reason, std::string_view message = {});

// Adds or overwrites; false when that changes nothing. Status, reason, severity or message: whichever moves,
// the transition time moves too.
bool set(V1Beta1Conditions& list, V1Beta1Condition wanted, Time now);
bool remove(V1Beta1Conditions& list, std::string_view type);
// Ready first, the rest by name.
void sort(V1Beta1Conditions& list);
bool same_state(const V1Beta1ConditionView& left, const V1Beta1ConditionView& right);

struct SummaryRules {
  // Most relevant first: decides whose reason and message are shown. Conditions that are missing don't count.
  std::vector<std::string_view> types = {};
  bool step_counter = false;  // the message is "1 of 2 completed"
  // Only while every condition there is one of these; they are also what is counted then.
  std::optional<std::vector<std::string_view>> step_counter_only_for = {};
};
// Ready out of the others: the worst of False/Error, False/Warning, False/Info, True, Unknown. Nothing when
// none exists.
std::optional<V1Beta1Condition> summary(const V1Beta1Conditions& source, const SummaryRules& rules);

struct Fallback {
  bool value = false;
  std::string_view reason = {};  // this and the rest for false only
  std::string_view severity = {};
  std::string message = {};
};
// `ready` of another object under our type; without it the fallback, without both nothing.
std::optional<V1Beta1Condition> mirror(V1Beta1ConditionPlace ready, std::string_view target,
                                       const std::optional<Fallback>& fallback = {});

// What it refers to outlives it.
struct Contribution {
  std::string_view kind = {};
  std::string_view name = {};
  V1Beta1ConditionPlace ready = {};  // null: not reported, counts as not completed
};
// Ready of many objects as a step counter; the reason names the object it comes from. Nothing when no object
// reports.
std::optional<V1Beta1Condition> aggregate(std::span<const Contribution> parts, std::string_view target);

}  // namespace capstan::api::conditions::v1beta1
