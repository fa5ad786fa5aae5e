#include "controllers/drain/drain_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "api/names.h"
#include "controllers/drain/drain_message.h"

namespace capstan::controllers::drain {
namespace {

struct Verdict {
  Treatment treatment = Treatment::Drain;
  std::int32_t order = 0;
};
struct Judged {
  const api::Pod* pod = nullptr;
  Verdict verdict = {};
};

Verdict judge(const DrainInput& input, const api::Pod& pod);
std::vector<Judged> to_go(const DrainInput& input, DrainPlan& plan);
void place(const Judged& judged, std::int32_t lowest, Time now, DrainPlan& plan);

}  // namespace

DrainPlan drain_plan(const DrainInput& input) {
  DrainPlan plan;
  const std::vector<Judged> pods = to_go(input, plan);
  std::int32_t lowest = std::numeric_limits<std::int32_t>::max();
  for (const Judged& judged : pods) lowest = std::min(lowest, judged.verdict.order);
  for (const Judged& judged : pods) place(judged, lowest, input.now, plan);
  return plan;
}

namespace {

std::vector<Judged> to_go(const DrainInput& input, DrainPlan& plan) {
  DrainPlan::Pods sorted;
  for (const auto& pod : input.pods) sorted.push_back(&pod);
  std::ranges::sort(sorted, {}, [](const api::Pod* pod) {
    return std::tuple(pod->metadata.namespace_.view(), pod->metadata.name.view());
  });
  std::vector<Judged> pods;
  for (const api::Pod* pod : sorted) {
    const Verdict verdict = judge(input, *pod);
    if (verdict.treatment == Treatment::Skip) {
      plan.skipped.push_back(pod);
    } else {
      pods.push_back({.pod = pod, .verdict = verdict});
    }
  }
  return pods;
}

// --- one Pod ---

constexpr Seconds kUnreachableSkip{1};

const api::OwnerReference* daemon_set_of(const api::Pod& pod) {
  const auto* controller = pod.metadata.controller();
  return controller != nullptr && controller->kind == api::kind::kDaemonSet ? controller : nullptr;
}

api::ObjectKey key_of(const api::Pod& pod, const api::OwnerReference& owner) {
  return {pod.metadata.namespace_.str(), owner.name.str()};
}

// Its DaemonSet would put it back at once, and its Node is the only one it is good for.
bool belongs_here(const DrainInput& input, const api::Pod& pod) {
  const auto* owner = daemon_set_of(pod);
  return owner != nullptr && !pod.finished() &&
         input.answers.living_daemon_sets.contains(key_of(pod, *owner));
}

bool given_up(const DrainInput& input, const api::Pod& pod) {
  return input.unreachable && pod.metadata.deleting() &&
         input.now - pod.metadata.deletion_timestamp > kUnreachableSkip;
}

// "Skip", "wait-completed" and "waitcompleted", whatever the case; other values say nothing.
std::optional<Treatment> labelled(const api::Pod& pod) {
  const auto* label = pod.metadata.labels.find(api::label::kDrain);
  if (label == nullptr) return {};
  std::string value = label->str();
  std::ranges::transform(value, value.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (value == "skip") return Treatment::Skip;
  if (const auto dash = value.find('-'); dash != std::string::npos) value.erase(dash, 1);
  if (value == "waitcompleted") return Treatment::WaitCompleted;
  return {};
}

bool stays(const DrainInput& input, const api::Pod& pod) {
  return given_up(input, pod) || belongs_here(input, pod) || pod.is_mirror();
}

bool listens_to_rules(const DrainInput& input, const api::Pod& pod) {
  return !stays(input, pod) && !labelled(pod);
}

// In the order of their names.
std::vector<const DrainRule*> matching_rules(const DrainInput& input, const api::Pod& pod) {
  const auto labels = input.answers.namespaces.find(pod.metadata.namespace_.view());
  return rules_matching(input.rules, pod.metadata.labels,
                        labels == input.answers.namespaces.end() ? api::Labels() : labels->second);
}

Verdict judge(const DrainInput& input, const api::Pod& pod) {
  if (stays(input, pod)) return {.treatment = Treatment::Skip};
  if (const auto said = labelled(pod)) return {.treatment = *said};
  const auto rules = matching_rules(input, pod);
  if (rules.empty()) return {};
  return {.treatment = rules.front()->treatment, .order = rules.front()->order};
}

// --- now or later ---

Time overdue_at(const api::Pod& pod) { return pod.metadata.deletion_timestamp + kGraceSlack; }

void place(const Judged& judged, std::int32_t lowest, Time now, DrainPlan& plan) {
  const api::Pod* pod = judged.pod;
  const bool first = judged.verdict.order == lowest;
  if (judged.verdict.treatment == Treatment::WaitCompleted) {
    (first ? plan.wait_completed : plan.wait_later).push_back(pod);
  } else if (pod->metadata.deleting()) {
    (now > overdue_at(*pod) ? plan.overdue : plan.terminating).push_back(pod);
  } else {
    (first ? plan.evict : plan.evict_later).push_back(pod);
  }
}

}  // namespace

DrainQuestions questions_about(std::span<const api::Pod> pods, std::span<const DrainRule> rules) {
  DrainQuestions questions;
  const bool ask_namespaces = ask_for_namespaces(rules);
  for (const auto& pod : pods) {
    const auto* owner = daemon_set_of(pod);
    if (owner != nullptr && !pod.finished()) questions.daemon_sets.insert(key_of(pod, *owner));
    if (ask_namespaces) questions.namespaces.insert(pod.metadata.namespace_.str());
  }
  return questions;
}

std::optional<Time> next_by_time(const DrainPlan& plan, bool unreachable) {
  std::optional<Time> next;
  for (const api::Pod* pod : plan.terminating) {
    const Time at = unreachable ? pod->metadata.deletion_timestamp + kUnreachableSkip : overdue_at(*pod);
    if (!next || at < *next) next = at;
  }
  if (next) *next = *next + Seconds(1);
  return next;
}

// --- rules against rules ---

namespace {

std::string said(const DrainRule& rule) {
  switch (rule.treatment) {
    case Treatment::Skip: return rule.name + " (Skip)";
    case Treatment::WaitCompleted: return rule.name + " (WaitCompleted)";
    case Treatment::Drain: break;
  }
  return fmt::format("{} (Drain, order {})", rule.name, rule.order);
}

bool agree(const DrainRule& left, const DrainRule& right) {
  return left.treatment == right.treatment && left.order == right.order;
}

// Of those that match the Pod: the first, and those that want something else. Empty when they agree.
std::vector<const DrainRule*> at_odds(const DrainInput& input, const api::Pod& pod) {
  std::vector<const DrainRule*> rules;
  for (const DrainRule* rule : matching_rules(input, pod)) {
    if (rules.empty() || !agree(*rules.front(), *rule)) rules.push_back(rule);
  }
  if (rules.size() == 1) rules.clear();
  return rules;
}

Contradiction described(std::span<const DrainRule* const> rules, const std::vector<std::string>& pods) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> others;
  for (const DrainRule* rule : rules.subspan(1)) others.push_back(said(*rule));
  Contradiction contradiction{.between =
                                  fmt::format("{} and {}", said(*rules.front()), some_of(others, kShown))};
  contradiction.line = fmt::format(
      "MachineDrainRules {} contradict each other about {} {}: {} counts, its name comes first; change "
      "spec.pods so that only one of them matches, or delete one",
      contradiction.between, pods.size() == 1 ? "Pod" : "Pods", some_of(pods, kShown), rules.front()->name);
  return contradiction;
}

}  // namespace

std::vector<Contradiction> contradictions(const DrainInput& input) {
  std::map<std::vector<const DrainRule*>, std::vector<std::string>> pods;
  for (const api::Pod& pod : input.pods) {
    if (!listens_to_rules(input, pod)) continue;
    auto rules = at_odds(input, pod);
    if (rules.empty()) continue;
    pods[std::move(rules)].push_back(pod.metadata.namespace_.str() + "/" + pod.metadata.name.str());
  }
  std::vector<Contradiction> found;
  for (auto& [rules, names] : pods) {
    std::ranges::sort(names);
    found.push_back(described(rules, names));
  }
  std::ranges::sort(found, {}, &Contradiction::between);
  return found;
}

}  // namespace capstan::controllers::drain
