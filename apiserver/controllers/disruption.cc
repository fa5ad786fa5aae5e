#include "apiserver/controllers/disruption.h"

#include <algorithm>

#include "apiserver/document/conditions.h"
#include "apiserver/document/document.h"
#include "apiserver/document/selectors.h"
#include "apiserver/internal_write.h"
#include "base/time.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kOurselves = "kube-apiserver";  // what evictions write as
constexpr Seconds kDisruptionTimeout{120};  // an evicted pod that is still there was not evicted after all

bool counts(const json::object& pod) {
  const auto phase = text_at(pod, {"status", "phase"});
  return !is_deleting(pod) && phase != "Succeeded" && phase != "Failed";
}

// Another field manager keeps this status: a test that wants exact answers.
bool kept_by_others(const json::object& budget) {
  const auto* owners = array_at(budget, {"metadata", "managedFields"});
  return owners != nullptr && std::ranges::any_of(*owners, [](const json::value& entry) {
           return entry.is_object() && text_at(entry.get_object(), {"subresource"}) == "status" &&
                  text_at(entry.get_object(), {"manager"}) != kOurselves;
         });
}

// How many pods there should be: as many as the owners of those there are want, or those that are there.
std::int64_t expected_pods(const Core& core, const std::vector<ObjectPtr>& pods) {
  std::map<std::string, std::int64_t> wanted;
  std::int64_t alone = 0;
  for (const auto& pod : pods) {
    const auto* owners = array_at(*pod, {"metadata", "ownerReferences"});
    const json::object* controller = nullptr;
    for (std::size_t i = 0; owners != nullptr && i < owners->size(); ++i) {
      const auto* owner = (*owners)[i].if_object();
      if (owner != nullptr && flag_at(*owner, {"controller"})) controller = owner;
    }
    ObjectPtr found;
    if (controller != nullptr && text_at(*controller, {"kind"}) == "ReplicaSet") {
      found = core.storage.find("replicasets.apps", {.namespace_ = std::string(namespace_of(*pod)),
                                                     .name = std::string(text_at(*controller, {"name"}))});
    }
    if (found)
      wanted[std::string(uid_of(*found))] = integer_at(*found, {"spec", "replicas"}).value_or(1);
    else
      ++alone;
  }
  for (const auto& [uid, replicas] : wanted) alone += replicas;
  return alone;
}

// A count or a share of `total`, shares rounded up.
std::int64_t amount(const json::value& value, std::int64_t total) {
  if (const auto* number = value.if_int64()) return *number;
  const auto text = text_of(value);
  const auto percent = std::atoll(std::string(text.substr(0, text.find('%'))).c_str());
  return (total * percent + 99) / 100;
}

// Evictions under way that have not shown yet in the pods.
json::object disruptions_pending(const json::object& budget, const std::vector<ObjectPtr>& pods,
                                 WallTime now) {
  json::object pending;
  const auto* disrupted = object_at(budget, {"status", "disruptedPods"});
  if (disrupted == nullptr) return pending;
  for (const auto& one : *disrupted) {
    const bool there = std::ranges::any_of(
        pods, [&](const auto& pod) { return name_of(*pod) == std::string_view(one.key()); });
    const auto since = Time::parse(text_of(one.value()));
    if (there && since && since->wall() + kDisruptionTimeout > now) pending.emplace(one.key(), one.value());
  }
  return pending;
}

json::object budget_status(const Core& core, const json::object& budget) {
  const auto now = core.options.clock.now();
  const auto selector = LabelSelector::from_object(find(budget, {"spec", "selector"}));
  std::vector<ObjectPtr> pods;
  const auto page = core.storage.list("pods", {.namespace_ = std::string(namespace_of(budget))});
  for (const auto& [key, pod] : page->items) {
    if (counts(*pod) && selector.matches(*pod)) pods.push_back(pod);
  }
  auto pending = disruptions_pending(budget, pods, now);
  const auto healthy = std::ranges::count_if(pods, [&](const auto& pod) {
    return condition_status(*pod, "Ready") == "True" && !pending.contains(name_of(*pod));
  });
  const auto* most_unavailable = find(budget, {"spec", "maxUnavailable"});
  const auto* least_available = find(budget, {"spec", "minAvailable"});
  const bool counted =
      most_unavailable != nullptr || (least_available != nullptr && least_available->is_string());
  const auto expected = counted ? expected_pods(core, pods) : static_cast<std::int64_t>(pods.size());
  std::int64_t desired = 0;
  if (most_unavailable != nullptr)
    desired = std::max<std::int64_t>(expected - amount(*most_unavailable, expected), 0);
  if (least_available != nullptr) desired = amount(*least_available, expected);

  json::object status;
  const auto generation = integer_at(budget, {"metadata", "generation"}).value_or(0);
  status["observedGeneration"] = generation;
  if (!pending.empty()) status["disruptedPods"] = std::move(pending);
  status["disruptionsAllowed"] = expected <= 0 ? 0 : std::max<std::int64_t>(healthy - desired, 0);
  status["currentHealthy"] = healthy;
  status["desiredHealthy"] = desired;
  status["expectedPods"] = expected;
  if (const auto* conditions = find(budget, {"status", "conditions"})) status["conditions"] = *conditions;
  set_disruption_allowed(status, generation, now);
  return status;
}

}  // namespace

void set_disruption_allowed(json::object& status, std::int64_t generation, WallTime now) {
  const bool allowed = integer_at(status, {"disruptionsAllowed"}).value_or(0) > 0;
  set_condition(status, "DisruptionAllowed", allowed, allowed ? "SufficientPods" : "InsufficientPods", "",
                now);
  for (auto& condition : status["conditions"].get_array()) {
    if (condition.is_object() && text_at(condition.get_object(), {"type"}) == "DisruptionAllowed") {
      condition.get_object()["observedGeneration"] = generation;
    }
  }
}

bool update_budgets(Core& core) {
  bool wrote = false;
  const auto page = core.storage.list(kBudgetCollection, {});
  for (const auto& [key, budget] : page->items) {
    if (kept_by_others(*budget)) continue;
    wrote = edit_stored(core, kBudgetCollection, key,
                        [&](json::object& object) {
                          auto status = budget_status(core, object);
                          if (object["status"] == json::value(status)) return false;
                          object["status"] = std::move(status);
                          return true;
                        }) ||
            wrote;
  }
  return wrote;
}

}  // namespace capstan::apiserver
