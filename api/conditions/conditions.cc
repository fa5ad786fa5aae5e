#include "api/conditions/conditions.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "api/conditions/limits.h"
#include "api/names.h"

namespace capstan::api::conditions {
namespace {

constexpr std::array kFirst = {
    condition::kAvailable,
    condition::kReady,
    condition::kUpToDate,
    condition::kRemoteConnectionProbe,
    condition::kBootstrapConfigReady,
    condition::kInfrastructureReady,
    condition::kControlPlaneInitialized,
    condition::kControlPlaneAvailable,
    condition::kWorkersAvailable,
    condition::kCertificatesAvailable,
    condition::kInitialized,
    condition::kEtcdClusterHealthy,
    condition::kControlPlaneComponentsHealthy,
    condition::kNodeHealthy,
    condition::kNodeReady,
    condition::kNodeKubeadmLabelsAndTaintsSet,
    condition::kEtcdPodHealthy,
    condition::kEtcdMemberHealthy,
    condition::kApiServerPodHealthy,
    condition::kControllerManagerPodHealthy,
    condition::kSchedulerPodHealthy,
    condition::kHealthCheckSucceeded,
    condition::kOwnerRemediated,
    condition::kTopologyReconciled,
    condition::kUpdating,
    condition::kRollingOut,
    condition::kRemediating,
    condition::kScalingDown,
    condition::kScalingUp,
    condition::kMachinesReady,
    condition::kControlPlaneMachinesReady,
    condition::kWorkerMachinesReady,
    condition::kMachinesUpToDate,
    condition::kControlPlaneMachinesUpToDate,
    condition::kWorkerMachinesUpToDate,
};
constexpr std::array kLast = {condition::kPaused, condition::kDeleting};

std::size_t rank(std::string_view type) {
  const auto first = std::ranges::find(kFirst, type);
  if (first != kFirst.end()) return static_cast<std::size_t>(first - kFirst.begin());
  const auto last = std::ranges::find(kLast, type);
  if (last != kLast.end()) return kFirst.size() + 1 + static_cast<std::size_t>(last - kLast.begin());
  return kFirst.size();
}

bool has_status(const Conditions& list, std::string_view type, std::string_view wanted) {
  const auto found = find(list, type);
  return found != nullptr && found->status == wanted;
}

auto of_type(std::string_view type) {
  return [type](const ConditionView& each) { return each.type == type; };
}

}  // namespace

ConditionPlace find(const Conditions& list, std::string_view type) { return place_of(list, of_type(type)); }

bool is_true(const Conditions& list, std::string_view type) { return has_status(list, type, status::kTrue); }

bool is_false(const Conditions& list, std::string_view type) {
  return has_status(list, type, status::kFalse);
}

Condition make(std::string_view type, std::string_view status, std::string_view reason,
               std::string_view message) {
  return {.type = Text(type), .status = Text(status), .reason = Text(reason), .message = FreeText(message)};
}

bool set(Conditions& list, Condition wanted, std::int64_t generation, Time now) {
  wanted.observed_generation = generation;
  if (!wanted.last_transition_time.is_set()) wanted.last_transition_time = now;
  make_acceptable(wanted);
  const auto existing = std::ranges::find_if(list, of_type(wanted.type));
  if (existing == list.end()) {
    list.push_back(std::move(wanted));
  } else {
    if (same_state(*existing, wanted)) return false;
    if (existing->status == wanted.status) wanted.last_transition_time = existing->last_transition_time;
    wanted.unknown = existing->unknown;
    list.replace(existing, std::move(wanted));
  }
  sort(list);
  return true;
}

bool remove(Conditions& list, std::string_view type) { return erase_if(list, of_type(type)) > 0; }

void sort(Conditions& list) {
  list.sort_by([](const ConditionView& each) { return std::tuple{rank(each.type), each.type.view()}; });
}

bool same_state(const ConditionView& left, const ConditionView& right) {
  return left.type == right.type && left.status == right.status &&
         left.observed_generation == right.observed_generation && left.reason == right.reason &&
         left.message == right.message;
}

}  // namespace capstan::api::conditions
