#include "controllers/safety/fleet_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "base/safeguards.h"

namespace capstan::controllers::safety {
namespace {

constexpr Seconds kBucketSpan{60};

// Left out it is for all of them, as the default of its schema says.
bool is_about(const api::FleetLimit& limit, std::string_view reason) {
  return limit.reasons.empty() ||
         std::ranges::any_of(limit.reasons, [&](const Text& each) { return each == reason; });
}

kube::ObjectKey cluster_named_in(const auto& entry) {
  return {.namespace_ = entry.namespace_.str(), .name = entry.cluster_name.str()};
}

std::int32_t count_at(const std::map<kube::ObjectKey, std::int32_t>& counts, const kube::ObjectKey& cluster) {
  const auto found = counts.find(cluster);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

FleetLimits::FleetLimits(const api::FleetPolicySpec& spec, const WorkerCounts& workers)
    : spec_(spec), workers_(workers), taken_(spec.limits.size()) {}

void FleetLimits::count(std::span<const api::FleetGrant> grants) {
  for (const api::FleetGrant& grant : grants)
    take({.cluster = cluster_named_in(grant), .reason = grant.reason.view()});
}

void FleetLimits::count(std::span<const api::FleetBucket> buckets, Time now) {
  for (const api::FleetBucket& bucket : buckets) {
    const FleetPlace place{.cluster = cluster_named_in(bucket), .reason = bucket.reason.view()};
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const Time at = leaves_window(bucket, spec_.limits[i].window());
      if (at <= now) continue;
      add(i, place, bucket.count);
      if (is_about(spec_.limits[i], place.reason))
        taken_[i].leaving.push_back({.at = at, .cluster = place.cluster, .count = bucket.count});
    }
  }
}

void FleetLimits::take(const FleetPlace& place) {
  for (std::size_t i = 0; i < taken_.size(); ++i) add(i, place, 1);
}

void FleetLimits::add(std::size_t limit, const FleetPlace& place, std::int32_t count) {
  if (!is_about(spec_.limits[limit], place.reason)) return;
  taken_[limit].fleet += count;
  taken_[limit].by_cluster[place.cluster] += count;
}

std::optional<std::size_t> FleetLimits::full(const FleetPlace& place) const {
  if (is_off(Safeguard::FleetLimits)) return std::nullopt;
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    const api::FleetLimit& limit = spec_.limits[i];
    if (is_about(limit, place.reason) && taken(i, place.cluster) >= allowed(limit, place.cluster)) return i;
  }
  return std::nullopt;
}

std::int32_t FleetLimits::taken(std::size_t limit, const kube::ObjectKey& cluster) const {
  return spec_.limits[limit].is_per_cluster() ? count_at(taken_[limit].by_cluster, cluster)
                                              : taken_[limit].fleet;
}

// A limit that means nothing lets none begin: what it was to hold back can't be known. A share is of one at
// least: a Cluster without Machines would keep its orphans for ever.
std::int32_t FleetLimits::allowed(const api::FleetLimit& limit, const kube::ObjectKey& cluster) const {
  const std::int32_t workers =
      limit.is_per_cluster() ? count_at(workers_.by_cluster, cluster) : workers_.fleet;
  return scaled_value(limit.max, std::max(workers, 1), Rounding::Up).value_or(0);
}

std::optional<Time> FleetLimits::free_from(std::size_t limit, const FleetPlace& place) const {
  std::vector<Leaving> leaving = taken_[limit].leaving;
  std::ranges::sort(leaving, {}, &Leaving::at);
  std::int32_t left = taken(limit, place.cluster);
  for (const Leaving& each : leaving) {
    if (spec_.limits[limit].is_per_cluster() && each.cluster != place.cluster) continue;
    left -= each.count;
    if (left < allowed(spec_.limits[limit], place.cluster)) return each.at;
  }
  return std::nullopt;
}

std::string FleetLimits::describe(std::size_t limit, const FleetPlace& place) const {
  const api::FleetLimit& each = spec_.limits[limit];
  const std::string name =
      fmt::format("spec.limits[{}] ({} within {} in {})", limit, each.max.to_string(),
                  format_duration(each.window()), each.is_per_cluster() ? "each Cluster" : "all Clusters");
  if (allowed(each, place.cluster) <= 0) return name + " allows none";
  const auto free = free_from(limit, place);
  if (free) return fmt::format("{} is full until {}", name, free->to_string());
  return name + " is full, with Machines that were allowed to go and are still there";
}

Time leaves_window(const api::FleetBucket& bucket, Seconds window) {
  return bucket.minute + kBucketSpan + window;
}

Seconds longest_window(const api::FleetPolicySpec& spec) {
  Seconds longest{0};
  for (const api::FleetLimit& limit : spec.limits) longest = std::max(longest, limit.window());
  return longest;
}

}  // namespace capstan::controllers::safety
