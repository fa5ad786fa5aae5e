#include "controllers/machine/drain/eviction.h"

#include <algorithm>

#include "controllers/machine/drain/drain_message.h"
#include "controllers/machine/drain/pace.h"

namespace capstan::controllers::machine {
namespace {

using Budget = runtime::Snapshot<api::PodDisruptionBudget>;

bool covers(const api::PodDisruptionBudget& budget, const api::Pod& pod) {
  if (!budget.spec.selector) return false;
  const auto selector = api::Selector::from(*budget.spec.selector);
  return selector && selector->matches(pod.metadata.labels);
}

// A Pod that is not ready costs nothing while the budget has what it needs.
bool allows(const api::PodDisruptionBudget& budget, const api::Pod& pod) {
  const auto& status = budget.status;
  if (status.observed_generation < budget.metadata.generation) return false;
  if (status.disruptions_allowed > 0) return true;
  return !pod.ready() && status.desired_healthy > 0 && status.current_healthy >= status.desired_healthy;
}

bool has_cause(const Error& error, std::string_view reason) {
  return std::ranges::any_of(error.causes, [&](const Cause& cause) { return cause.reason == reason; });
}

}  // namespace

bool seems_evictable(const api::Pod& pod, std::span<const Budget> budgets) {
  if (pod.finished() || pod.status.phase == "Pending") return true;
  std::size_t covering = 0;
  bool allowed = true;
  for (const Budget& budget : budgets) {
    if (budget->metadata.namespace_ != pod.metadata.namespace_ || !covers(*budget, pod)) continue;
    ++covering;
    allowed = allowed && allows(*budget, pod);
  }
  return allowed && covering <= 1;  // the API server refuses Pods with two budgets
}

Time next_eviction(const EvictionQuestion& question) {
  if (question.last == nullptr) return question.started;
  const Attempt& last = *question.last;
  if (!last.accepted && question.hopeful && !last.hopeful) return last.at;
  return last.at + pause_after(last.at - question.started);
}

// A Conflict means that the Pod of that name has another uid.
EvictionAnswer answer_of(const Error& error) {
  if (error.code == Code::NotFound) return EvictionAnswer::Gone;
  return error.code == Code::Conflict ? EvictionAnswer::Replaced : EvictionAnswer::Failed;
}

bool is_budget_refusal(const Error& error) {
  return error.code == Code::RateLimited && has_cause(error, "DisruptionBudget");
}

std::string failure_of(const Error& error) {
  if (error.code == Code::Forbidden && has_cause(error, "NamespaceTerminating"))
    return std::string(kNamespaceGoes);
  if (error.code != Code::RateLimited || error.causes.empty()) return error.message;
  std::string text = error.message;
  for (const Cause& cause : error.causes)
    text += (&cause == &error.causes.front() ? " " : ",") + cause.message;
  return text;
}

}  // namespace capstan::controllers::machine
