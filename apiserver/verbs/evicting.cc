#include <fmt/format.h>

#include "apiserver/controllers/disruption.h"
#include "apiserver/document/conditions.h"
#include "apiserver/document/document.h"
#include "apiserver/document/selectors.h"
#include "apiserver/verbs/subresources.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/writing.h"

namespace capstan::apiserver {
namespace {

constexpr int kAttempts = 16;
constexpr std::int64_t kLookAgainSeconds = 10;

Response too_few(std::string cause, std::int64_t retry_after) {
  return too_many_requests("Cannot evict pod as it would violate the pod's disruption budget.", retry_after,
                           {{.reason = "DisruptionBudget", .message = std::move(cause)}});
}

// Pods that have ended, have not begun, or are going already: no budget counts them.
bool goes_anyway(const json::object& pod) {
  const auto phase = text_at(pod, {"status", "phase"});
  return is_deleting(pod) || phase == "Succeeded" || phase == "Failed" || phase == "Pending";
}

std::vector<std::pair<StoredKey, ObjectPtr>> budgets_over(const Core& core, const json::object& pod) {
  std::vector<std::pair<StoredKey, ObjectPtr>> found;
  const auto page = core.storage.list(kBudgetCollection, {.namespace_ = std::string(namespace_of(pod))});
  for (const auto& [key, budget] : page->items) {
    if (LabelSelector::from_object(find(*budget, {"spec", "selector"})).matches(pod))
      found.emplace_back(key, budget);
  }
  return found;
}

// A pod that is not ready costs its budget nothing, if the budget says so or has what it needs.
bool costs_nothing(const json::object& pod, const json::object& budget) {
  if (condition_status(pod, "Ready") == "True") return false;
  if (text_at(budget, {"spec", "unhealthyPodEvictionPolicy"}) == "AlwaysAllow") return true;
  const auto desired = integer_at(budget, {"status", "desiredHealthy"}).value_or(0);
  return desired > 0 && integer_at(budget, {"status", "currentHealthy"}).value_or(0) >= desired;
}

// The server itself spends the budget, and the record of ownership says so.
void own_spending(const Core& core, json::object& spent, const json::object& before) {
  const auto kind = core.registry.find("policy", "poddisruptionbudgets");
  Request request{.verb = Verb::Update, .user_agent = "kube-apiserver/v1.36.3"};
  const Target target{.type = kind.type,
                      .strategy = kind.strategy,
                      .version = &kind.type->storage_version(),
                      .collection = std::string(kBudgetCollection),
                      .subresource = "status"};
  own_update(core, target, request, spent, &before);
}

// Takes one disruption out of the budget, or says why there is none. Null: the budget was written
// meanwhile.
std::optional<Response> spend(Core& core, const StoredKey& key, const ObjectPtr& budget, const Target& pod,
                              bool dry_run, bool& again) {
  const auto generation = integer_at(*budget, {"metadata", "generation"}).value_or(0);
  const auto observed = integer_at(*budget, {"status", "observedGeneration"}).value_or(0);
  if (observed < generation) {
    return too_few(fmt::format("The disruption budget {} is still being processed by the server.", key.name),
                   kLookAgainSeconds);
  }
  const auto allowed = integer_at(*budget, {"status", "disruptionsAllowed"}).value_or(0);
  if (allowed < 0) {
    return forbidden({.group = "policy", .plural = "poddisruptionbudget", .name = key.name},
                     "pdb disruptions allowed is negative");
  }
  if (allowed == 0) {
    return too_few(fmt::format("The disruption budget {} needs {} healthy pods and has {} currently",
                               key.name, integer_at(*budget, {"status", "desiredHealthy"}).value_or(0),
                               integer_at(*budget, {"status", "currentHealthy"}).value_or(0)),
                   0);
  }
  if (dry_run) return {};
  const auto now = core.options.clock.now();
  auto spent = *budget;
  auto& status = object_in(spent, "status");
  status["disruptionsAllowed"] = allowed - 1;
  set_disruption_allowed(status, observed, now);
  object_in(status, "disruptedPods")[pod.key.name] = timestamp(now);
  own_spending(core, spent, *budget);
  again = core.storage.replace(kBudgetCollection, key, budget, std::move(spent)) == nullptr;
  return {};
}

std::optional<Response> refused_by_budget(Core& core, const Target& target, const json::object& pod,
                                          bool dry_run) {
  if (core.has(Defect::DisruptionBudgetIgnored)) return {};
  for (int i = 0; i < kAttempts; ++i) {
    const auto budgets = budgets_over(core, pod);
    if (budgets.empty()) return {};
    if (budgets.size() > 1) {
      return status_error(
          500, "",
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
    }
    const auto& [key, budget] = budgets.front();
    if (costs_nothing(pod, *budget)) return {};
    bool again = false;
    if (auto refusal = spend(core, key, budget, target, dry_run, again)) return refusal;
    if (!again) return {};
  }
  return too_few("The disruption budget is being written by many.", kLookAgainSeconds);
}

void note_disruption(Core& core, const Target& target) {
  const auto pod = core.storage.find(target.collection, target.key);
  if (!pod) return;
  auto marked = *pod;
  auto& status = object_in(marked, "status");
  set_condition(status, "DisruptionTarget", true, "EvictionByEvictionAPI", "Eviction API: evicting",
                core.options.clock.now());
  for (auto& condition : status["conditions"].get_array()) {
    if (condition.is_object()) condition.get_object().emplace("lastProbeTime", nullptr);
  }
  core.storage.replace(target.collection, target.key, pod, std::move(marked));
}

Response evicted() {
  return {.status = 201,
          .object = std::make_shared<const json::object>(json::object{{"kind", "Status"},
                                                                      {"apiVersion", "v1"},
                                                                      {"metadata", json::object()},
                                                                      {"status", "Success"},
                                                                      {"code", 201}})};
}

}  // namespace

Response evict_pod(Core& core, const Target& target, const Request& request) {
  if (request.verb != Verb::Create) return method_not_supported(target.subject(), to_string(request.verb));
  const auto* body = request.body.value.if_object();
  if (body == nullptr) return bad_request("the body is not an Eviction");
  if (const auto name = name_of(*body); !name.empty() && name != target.key.name) {
    return bad_request("name in URL does not match name in Eviction object");
  }
  const auto pod = core.storage.find(target.collection, target.key);
  if (!pod) return not_found(target.subject());

  Request removal = request;
  removal.verb = Verb::Delete;
  removal.subresource.clear();
  const auto* options = body->if_contains("deleteOptions");
  removal.body = {.value = options == nullptr ? json::value(nullptr) : *options};
  Target whole = target;
  whole.subresource.clear();
  if (!goes_anyway(*pod)) {
    if (auto refusal = refused_by_budget(core, target, *pod, request.query.dry_run)) return *refusal;
    if (!request.query.dry_run) note_disruption(core, target);
  }
  auto removed = delete_object(core, whole, removal);
  return removed.ok() ? evicted() : removed;
}

}  // namespace capstan::apiserver
