// Whether one more deletion fits into the limits of the FleetPolicy, from what its status holds: grants of
// Machines that are there, and buckets of those that are gone. Used by the controller of the FleetPolicy, one
// turn long. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/policy/fleet_policy.h"
#include "kube/resource.h"

namespace capstan::controllers::safety {

// Machines that are no control plane's: what percentages are of.
struct WorkerCounts {
  std::int32_t fleet = 0;
  std::map<kube::ObjectKey, std::int32_t> by_cluster = {};
};

// Of the deletion that asks.
struct FleetPlace {
  kube::ObjectKey cluster = {};
  std::string_view reason = {};
};

class FleetLimits {
 public:
  // Both live longer.
  FleetLimits(const api::FleetPolicySpec& spec, const WorkerCounts& workers);

  // What the status holds; buckets that have left a limit's window by now count no more.
  void count(std::span<const api::FleetGrant> grants);
  void count(std::span<const api::FleetBucket> buckets, Time now);
  void take(const FleetPlace& place);

  // The number in spec.limits of the first limit without a place; nothing: there is one in each.
  std::optional<std::size_t> full(const FleetPlace& place) const;
  // When windows have left enough behind for one more; nothing: first a Machine that holds a place has to go.
  std::optional<Time> free_from(std::size_t limit, const FleetPlace& place) const;
  // Why that one is full, in words: "spec.limits[0] (1 within 10m0s in all Clusters) is full until 2026-...".
  std::string describe(std::size_t limit, const FleetPlace& place) const;

 private:
  struct Leaving {
    Time at = {};
    kube::ObjectKey cluster = {};
    std::int32_t count = 0;
  };
  struct Taken {
    std::int32_t fleet = 0;
    std::map<kube::ObjectKey, std::int32_t> by_cluster = {};
    std::vector<Leaving> leaving = {};
  };
  void add(std::size_t limit, const FleetPlace& place, std::int32_t count);
  std::int32_t allowed(const api::FleetLimit& limit, const kube::ObjectKey& cluster) const;
  std::int32_t taken(std::size_t limit, const kube::ObjectKey& cluster) const;

  const api::FleetPolicySpec& spec_;
  const WorkerCounts& workers_;
  std::vector<Taken> taken_;  // as many as there are limits
};

// A bucket counts until its whole minute has left the window.
Time leaves_window(const api::FleetBucket& bucket, Seconds window);
// Of all limits; zero: there are none.
Seconds longest_window(const api::FleetPolicySpec& spec);

}  // namespace capstan::controllers::safety
