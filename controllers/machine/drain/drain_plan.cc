#include "controllers/machine/drain/drain_plan.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "api/names.h"

namespace capstan::controllers::machine {
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

Verdict judge(const DrainInput& input, const api::Pod& pod) {
  if (given_up(input, pod) || belongs_here(input, pod) || pod.is_mirror())
    return {.treatment = Treatment::Skip};
  if (const auto said = labelled(pod)) return {.treatment = *said};
  const auto labels = input.answers.namespaces.find(pod.metadata.namespace_.view());
  const auto* rule = rule_for(input.rules, pod.metadata.labels,
                              labels == input.answers.namespaces.end() ? api::Labels() : labels->second);
  if (rule == nullptr) return {};
  return {.treatment = rule->treatment, .order = rule->order};
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

std::optional<Time> next_overdue(const DrainPlan& plan) {
  std::optional<Time> next;
  for (const api::Pod* pod : plan.terminating) {
    const Time at = overdue_at(*pod) + Seconds(1);
    if (!next || at < *next) next = at;
  }
  return next;
}

}  // namespace capstan::controllers::machine
