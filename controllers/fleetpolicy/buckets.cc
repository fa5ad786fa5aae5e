#include "controllers/fleetpolicy/buckets.h"

#include <algorithm>
#include <tuple>

#include "controllers/safety/fleet_limits.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::fleetpolicy {
namespace {

constexpr std::int64_t kMinute = 60;

auto identity_of(const api::FleetBucket& bucket) {
  return std::tie(bucket.minute, bucket.namespace_, bucket.cluster_name, bucket.reason);
}

}  // namespace

Buckets::Buckets(std::span<const api::FleetBucket> before, const api::FleetPolicySpec& spec, Time now)
    : spec_(spec), now_(now) {
  for (const api::FleetBucket& bucket : before)
    if (!is_over(bucket)) buckets_.push_back(bucket);
}

bool Buckets::is_over(const api::FleetBucket& bucket) const {
  return safety::leaves_window(bucket, safety::longest_window(spec_)) <= now_;
}

void Buckets::add(const api::FleetGrant& gone) {
  const std::int64_t begun = (gone.begun_at.is_set() ? gone.begun_at : now_).unix_seconds();
  const api::FleetBucket one{.minute = Time::from_unix(begun - begun % kMinute),
                             .namespace_ = gone.namespace_,
                             .cluster_name = gone.cluster_name,
                             .reason = gone.reason,
                             .count = 1};
  if (is_over(one)) return;
  const auto at = std::ranges::lower_bound(buckets_, identity_of(one), {}, identity_of);
  if (at != buckets_.end() && identity_of(*at) == identity_of(one)) {
    ++at->count;
  } else {
    buckets_.insert(at, one);
  }
}

std::optional<Seconds> Buckets::next_change() const {
  std::optional<Seconds> soonest;
  for (const api::FleetBucket& bucket : buckets_) {
    for (const api::FleetLimit& limit : spec_.limits) {
      const Seconds left = safety::leaves_window(bucket, limit.window()) - now_;
      if (left > Seconds(0)) recheck_within(soonest, left);
    }
  }
  return soonest;
}

std::optional<Seconds> Buckets::end() const {
  if (buckets_.empty()) return std::nullopt;
  return safety::leaves_window(buckets_.back(), safety::longest_window(spec_)) - now_;
}

}  // namespace capstan::controllers::fleetpolicy
