#include "controllers/machinedeployment/counters.h"

#include <algorithm>
#include <map>

#include "api/v1beta2/version_order.h"

namespace capstan::controllers::machinedeployment {
namespace {

// What is no version comes last, by its bytes.
bool is_older(const api::VersionCount& left, const api::VersionCount& right) {
  const auto first = Version::parse_tolerant(left.version.view());
  const auto second = Version::parse_tolerant(right.version.view());
  if (first.has_value() != second.has_value()) return first.has_value();
  if (first && second) {
    const auto order = api::compare_with_build(*first, *second);
    if (order == api::VersionOrder::Older) return true;
    if (order == api::VersionOrder::Newer) return false;
  }
  return left.version < right.version;
}

}  // namespace

std::optional<std::int32_t> sum_of(SetSnapshots sets,
                                   std::optional<std::int32_t> api::MachineSetStatus::* field) {
  std::optional<std::int32_t> sum;
  for (const auto& set : sets) {
    const auto& number = set->status.*field;
    if (number) sum = sum.value_or(0) + *number;
  }
  return sum;
}

V1Beta1Counters v1beta1_counters(SetSnapshots sets) {
  V1Beta1Counters sums;
  for (const auto& set : sets) {
    sums.spec += set->spec.replicas.value_or(0);
    const auto& old = set->status.deprecated;
    if (!old || !old->v1beta1) continue;
    sums.ready += old->v1beta1->ready_replicas;
    sums.available += old->v1beta1->available_replicas;
  }
  return sums;
}

api::List<api::VersionCount> versions_of(SetSnapshots sets) {
  std::map<Text, std::int32_t> counts;
  for (const auto& set : sets) {
    for (const auto& each : set->status.versions) counts[each.version] += each.replicas.value_or(0);
  }
  api::List<api::VersionCount> versions;
  for (const auto& [version, replicas] : counts) {
    if (replicas > 0) versions.push_back({.version = version, .replicas = replicas});
  }
  std::sort(versions.begin(), versions.end(), is_older);
  return versions;
}

}  // namespace capstan::controllers::machinedeployment
