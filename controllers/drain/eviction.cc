#include "controllers/drain/eviction.h"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/drain/drain_message.h"
#include "controllers/drain/pace.h"
#include "kubeconfig/reach.h"

namespace capstan::controllers::drain {
namespace {

using Budget = runtime::Snapshot<api::PodDisruptionBudget>;

constexpr std::string_view kViolates = "Cannot evict pod as it would violate the pod's disruption budget.";
constexpr std::size_t kLongestFailure = 512;

bool covers(const api::PodDisruptionBudget& budget, const api::Pod& pod) {
  if (budget.metadata.namespace_ != pod.metadata.namespace_ || !budget.spec.selector) return false;
  const auto selector = api::Selector::from(*budget.spec.selector);
  return selector && selector->matches(pod.metadata.labels);
}

// A Pod that is not ready costs nothing while the budget has what it needs, or if the budget says so.
bool is_free(const api::PodDisruptionBudget& budget, const api::Pod& pod) {
  if (pod.ready()) return false;
  if (budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow") return true;
  return budget.status.desired_healthy > 0 && budget.status.current_healthy >= budget.status.desired_healthy;
}

bool allows(const api::PodDisruptionBudget& budget, const api::Pod& pod) {
  if (is_free(budget, pod)) return true;
  return budget.status.observed_generation >= budget.metadata.generation &&
         budget.status.disruptions_allowed > 0;
}

bool needs_no_budget(const api::Pod& pod) { return pod.finished() || pod.status.phase == "Pending"; }

bool has_cause(const Error& error, std::string_view reason) {
  return std::ranges::any_of(error.causes, [&](const Cause& cause) { return cause.reason == reason; });
}

// As the API server says it.
std::string numbers_of(const api::PodDisruptionBudget& budget) {
  return fmt::format("The disruption budget {} needs {} healthy pods and has {} currently",
                     budget.metadata.name.view(), budget.status.desired_healthy,
                     budget.status.current_healthy);
}

std::string bounded(std::string text) {
  if (text.size() <= kLongestFailure) return text;
  std::size_t end = kLongestFailure;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;  // between characters
  text.resize(end);
  return text + "...";
}

}  // namespace

// --- what it depends on ---

bool Outlook::same_pod(const Outlook& other) const {
  return labels == other.labels && annotations == other.annotations && ready == other.ready &&
         phase == other.phase;
}

Outlook outlook_of(const api::Pod& pod, const Budgets* budgets) {
  Outlook outlook{.open = budgets != nullptr && seems_evictable(pod, *budgets),
                  .labels = pod.metadata.labels,
                  .annotations = pod.metadata.annotations,
                  .ready = pod.ready(),
                  .phase = pod.status.phase};
  if (budgets == nullptr) return outlook;
  for (const Budget& budget : covering(pod, *budgets)) {
    outlook.budgets += fmt::format("{} {} {}\n", budget->metadata.name.view(), budget->metadata.uid.str(),
                                   budget->metadata.resource_version.str());
  }
  return outlook;
}

Budgets covering(const api::Pod& pod, const Budgets& budgets) {
  Budgets over;
  std::ranges::copy_if(budgets, std::back_inserter(over),
                       [&](const Budget& budget) { return covers(*budget, pod); });
  std::ranges::sort(over, {}, [](const Budget& budget) { return budget->metadata.name.view(); });
  return over;
}

bool seems_evictable(const api::Pod& pod, const Budgets& budgets) {
  if (needs_no_budget(pod)) return true;
  const Budgets over = covering(pod, budgets);
  // The API server refuses Pods with two budgets.
  return over.empty() || (over.size() == 1 && allows(*over.front(), pod));
}

void spend(const api::Pod& pod, bool accepted, Budgets& budgets) {
  if (needs_no_budget(pod)) return;
  for (Budget& budget : budgets) {
    if (!covers(*budget, pod) || is_free(*budget, pod)) continue;
    api::PodDisruptionBudget spent = *budget;
    spent.status.disruptions_allowed = accepted ? std::max(spent.status.disruptions_allowed - 1, 0) : 0;
    budget = std::make_shared<const api::PodDisruptionBudget>(std::move(spent));
  }
}

// --- when ---

namespace {

// A budget that was open all the time and refused nevertheless, or a webhook that did: only something new
// helps.
bool is_worth_asking_again(const Attempt& last, const Outlook& now) {
  if (last.accepted || !now.open) return false;
  if (!now.same_pod(last.outlook)) return true;
  return last.by_budget && (!last.outlook.open || now.budgets != last.outlook.budgets);
}

}  // namespace

Time next_eviction(const EvictionQuestion& question) {
  if (question.last == nullptr) return question.started;
  const Attempt& last = *question.last;
  if (question.now != nullptr && is_worth_asking_again(last, *question.now)) return last.at;
  // A budget may stay closed as long as the drain lasts; what a server answers for a moment may not.
  const bool briefly = !last.accepted && !last.by_budget && last.failing_since.is_set();
  return last.at + pause_after(last.at - (briefly ? last.failing_since : question.started));
}

// --- answers ---

// A Conflict means that the Pod of that name has another uid.
EvictionAnswer answer_of(const Error& error) {
  if (error.code == Code::NotFound) return EvictionAnswer::Gone;
  if (is_our_own_brake(error)) return EvictionAnswer::CrowdedOut;
  return error.code == Code::Conflict ? EvictionAnswer::Replaced : EvictionAnswer::Failed;
}

bool is_our_own_brake(const Error& error) {
  return error.code == Code::RateLimited && error.reason == kubeconfig::kCrowdedOut;
}

bool is_budget_refusal(const Error& error) {
  return error.code == Code::RateLimited && has_cause(error, "DisruptionBudget");
}

std::string failure_of(const Error& error) {
  if (error.code == Code::Forbidden && has_cause(error, "NamespaceTerminating"))
    return std::string(kNamespaceGoes);
  if (error.code != Code::RateLimited || error.causes.empty()) return bounded(error.message);
  std::string text = error.message;
  for (const Cause& cause : error.causes)
    text += (&cause == &error.causes.front() ? " " : ",") + cause.message;
  return bounded(std::move(text));
}

std::string failure_by_now(const Attempt& last, const Budgets& covering) {
  if (covering.size() > 1 && !last.by_budget) {
    std::vector<std::string> names;
    for (const Budget& budget : covering) names.push_back(budget->metadata.name.str());
    return fmt::format("{} ({}: leave one of them)", last.failure, some_of(names, 3));
  }
  if (covering.size() != 1 || !last.by_budget) return last.failure;
  const api::PodDisruptionBudget& budget = *covering.front();
  // Other things it may say, that it failed to count for example, are its own words.
  const std::string start =
      fmt::format("{} The disruption budget {} needs ", kViolates, budget.metadata.name.view());
  if (!last.failure.starts_with(start)) return last.failure;
  return fmt::format("{} {}", kViolates, numbers_of(budget));
}

}  // namespace capstan::controllers::drain
