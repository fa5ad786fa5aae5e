#include "api/conditions/v1beta1.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "api/conditions/limits.h"
#include "api/names.h"

namespace capstan::api::conditions::v1beta1 {
namespace {

struct Input {
  V1Beta1ConditionPlace condition = {};
  const Contribution* from = nullptr;  // aggregate only
};

constexpr int kGood = 3;
constexpr int kNotMergeable = 99;

int severity_rank(const V1Beta1ConditionView& condition) {
  if (condition.severity == severity::kError) return 0;
  if (condition.severity == severity::kWarning) return 1;
  if (condition.severity == severity::kInfo) return 2;
  return kNotMergeable;
}

int rank(const V1Beta1ConditionView& condition) {
  if (condition.status == status::kFalse) return severity_rank(condition);
  if (condition.status == status::kTrue) return kGood;
  if (condition.status == status::kUnknown) return kGood + 1;
  return kNotMergeable;
}

std::tuple<bool, std::string_view> place(const V1Beta1ConditionView& condition) {
  return {condition.type != v1beta1_condition::kReady, condition.type.view()};
}

auto of_type(std::string_view type) {
  return [type](const V1Beta1ConditionView& each) { return each.type == type; };
}

int worst_rank(const std::vector<Input>& inputs) {
  int worst = kNotMergeable;
  for (const Input& input : inputs) worst = std::min(worst, rank(*input.condition));
  return worst;
}

// The conditions of that rank, in the order of a list.
std::vector<Input> of_rank(std::vector<Input> inputs, int wanted) {
  std::erase_if(inputs, [&](const Input& input) { return rank(*input.condition) != wanted; });
  std::ranges::stable_sort(inputs, {}, [](const Input& input) {
    return std::tuple{place(*input.condition), input.from == nullptr ? std::string_view() : input.from->name};
  });
  return inputs;
}

const Input& spokesman(std::span<const Input> inputs, std::span<const std::string_view> types) {
  for (const auto type : types) {
    const auto found =
        std::ranges::find_if(inputs, [&](const Input& input) { return input.condition->type == type; });
    if (found != inputs.end()) return *found;
  }
  return inputs.front();
}

std::string localized(std::string_view reason, const Contribution* from) {
  if (from == nullptr || reason.find('@') != std::string_view::npos) return std::string(reason);
  return fmt::format("{} @ {}/{}", reason, from->kind, from->name);
}

std::string step_message(const std::vector<Input>& inputs, std::size_t steps) {
  // A True that still has a severity is grouped apart by upstream and not counted.
  const auto done = std::ranges::count_if(inputs, [](const Input& input) {
    return input.condition->status == status::kTrue && input.condition->severity.empty();
  });
  return fmt::format("{} of {} completed", done, steps);
}

struct MergeRules {
  std::string_view target = {};
  std::span<const std::string_view> types = {};
  std::optional<std::size_t> steps = {};  // set: the message counts steps
};

std::optional<V1Beta1Condition> merged(const std::vector<Input>& inputs, const MergeRules& rules) {
  if (inputs.empty()) return {};
  const int lowest = worst_rank(inputs);
  if (lowest == kGood) return yes(rules.target);
  const auto worst = of_rank(inputs, lowest);
  const auto top = *worst.front().condition;

  const Input& speaker = spokesman(worst, rules.types);
  const std::string reason = localized(speaker.condition->reason, speaker.from);
  const std::string message =
      rules.steps ? step_message(inputs, *rules.steps) : speaker.condition->message.str();
  if (top.status == status::kFalse) return no(rules.target, reason, top.severity, message);
  return unknown(rules.target, reason, message);
}

bool listed(std::span<const std::string_view> types, std::string_view type) {
  return std::ranges::find(types, type) != types.end();
}

// How many steps the counter counts to; nothing when there is no counter.
std::optional<std::size_t> steps(const std::vector<Input>& inputs, const SummaryRules& rules) {
  if (!rules.step_counter) return {};
  if (rules.step_counter_only_for) {
    const auto& only = *rules.step_counter_only_for;
    const auto counted = [&](const Input& input) { return listed(only, input.condition->type); };
    if (!std::ranges::all_of(inputs, counted)) return {};
    return only.size();
  }
  return rules.types.empty() ? inputs.size() : rules.types.size();
}

}  // namespace

V1Beta1ConditionPlace find(const V1Beta1Conditions& list, std::string_view type) {
  return place_of(list, of_type(type));
}

bool is_true(const V1Beta1Conditions& list, std::string_view type) {
  const auto found = find(list, type);
  return found != nullptr && found->status == status::kTrue;
}

bool is_false(const V1Beta1Conditions& list, std::string_view type) {
  const auto found = find(list, type);
  return found != nullptr && found->status == status::kFalse;
}

V1Beta1Condition yes(std::string_view type) { return {.type = Text(type), .status = Text(status::kTrue)}; }

V1Beta1Condition no(std::string_view type, std::string_view reason, std::string_view severity,
                    std::string_view message) {
  return {.type = Text(type),
          .status = Text(status::kFalse),
          .severity = Text(severity),
          .reason = Text(reason),
          .message = FreeText(message)};
}

V1Beta1Condition unknown(std::string_view type, std::string_view reason, std::string_view message) {
  return {.type = Text(type),
          .status = Text(status::kUnknown),
          .reason = Text(reason),
          .message = FreeText(message)};
}

bool set(V1Beta1Conditions& list, V1Beta1Condition wanted, Time now) {
  make_acceptable(wanted);
  const auto existing = std::ranges::find_if(list, of_type(wanted.type));
  if (existing == list.end()) {
    if (!wanted.last_transition_time.is_set()) wanted.last_transition_time = now;
    list.push_back(std::move(wanted));
  } else {
    if (same_state(*existing, wanted)) return false;
    wanted.last_transition_time = now;
    wanted.unknown = existing->unknown;
    list.replace(existing, std::move(wanted));
  }
  sort(list);
  return true;
}

bool remove(V1Beta1Conditions& list, std::string_view type) { return erase_if(list, of_type(type)) > 0; }

void sort(V1Beta1Conditions& list) { list.sort_by(place); }

bool same_state(const V1Beta1ConditionView& left, const V1Beta1ConditionView& right) {
  return left.type == right.type && left.status == right.status && left.reason == right.reason &&
         left.severity == right.severity && left.message == right.message;
}

std::optional<V1Beta1Condition> summary(const V1Beta1Conditions& source, const SummaryRules& rules) {
  std::vector<Input> inputs;
  for (auto each = source.begin(); each != source.end(); ++each) {
    const bool wanted = rules.types.empty() || listed(rules.types, each->type);
    if (wanted && each->type != v1beta1_condition::kReady) inputs.push_back({.condition = each.place()});
  }
  return merged(inputs,
                {.target = v1beta1_condition::kReady, .types = rules.types, .steps = steps(inputs, rules)});
}

std::optional<V1Beta1Condition> mirror(V1Beta1ConditionPlace ready, std::string_view target,
                                       const std::optional<Fallback>& fallback) {
  if (ready != nullptr) {
    V1Beta1Condition copy = *ready;
    copy.type = Text(target);
    copy.unknown = {};
    return copy;
  }
  if (!fallback) return {};
  if (fallback->value) return yes(target);
  return no(target, fallback->reason, fallback->severity, fallback->message);
}

std::optional<V1Beta1Condition> aggregate(std::span<const Contribution> parts, std::string_view target) {
  std::vector<Input> inputs;
  for (const auto& part : parts) {
    if (part.ready != nullptr) inputs.push_back({.condition = part.ready, .from = &part});
  }
  return merged(inputs, {.target = target, .steps = parts.size()});
}

}  // namespace capstan::api::conditions::v1beta1
