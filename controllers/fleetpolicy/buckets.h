// The buckets of a FleetPolicy's status in one turn: those that no window reaches any more are left out, and
// Machines that are gone are added by the minute in which their deletion began. Used by decide.h. Pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "api/policy/fleet_policy.h"

namespace capstan::controllers::fleetpolicy {

class Buckets {
 public:
  Buckets(std::span<const api::FleetBucket> before, const api::FleetPolicySpec& spec, Time now);

  // One whose deletion was never seen to begin counts from now on: a grant may be used late.
  void add(const api::FleetGrant& gone);
  // The oldest first.
  const std::vector<api::FleetBucket>& all() const { return buckets_; }
  // When the next one leaves a window; nothing: there is none.
  std::optional<Seconds> next_change() const;
  // When the last one is over; nothing: there is none.
  std::optional<Seconds> end() const;

 private:
  bool is_over(const api::FleetBucket& bucket) const;

  const api::FleetPolicySpec& spec_;
  const Time now_;
  std::vector<api::FleetBucket> buckets_ = {};
};

}  // namespace capstan::controllers::fleetpolicy
