#include "controllers/machinedeployment/memory.h"

#include <algorithm>

#include "controllers/machinedeployment/settled.h"

namespace capstan::controllers::machinedeployment {
namespace {

// A policy that refused an adoption is not asked again with every turn.
constexpr Nanoseconds kRefusalHolds = Seconds(60);
constexpr Nanoseconds kQuietHolds = Seconds(60);

}  // namespace

void Memory::refused(const kube::ObjectKey& key, const Effects& effects) {
  const SteadyTime until = clock_.steady_now() + kRefusalHolds;
  refusals_.with([&](auto& all) {
    for (const Unadopted& each : effects.unadopted) {
      if (each.refused) all[key].push_back({.what = each, .until = until});
    }
  });
}

void Memory::set_refused_apart(const kube::ObjectKey& key, Observation& seen) {
  const SteadyTime now = clock_.steady_now();
  refusals_.with([&](auto& all) {
    const auto found = all.find(key);
    if (found == all.end()) return;
    std::erase_if(found->second, [&](const Refusal& refusal) { return now >= refusal.until; });
    for (const Refusal& refusal : found->second) {
      const auto gone = std::erase_if(
          seen.orphans, [&](const auto& orphan) { return orphan->metadata.uid == refusal.what.uid; });
      if (gone > 0) seen.unadopted.push_back(refusal.what);
    }
    if (found->second.empty()) all.erase(found);
  });
}

void Memory::note_waiting(const kube::ObjectKey& key, Observation& seen) {
  waiting_.with([&](auto& all) {
    const auto known = all.find(key);
    for (const auto& set : seen.sets) {
      if (is_settled(*set)) continue;
      Waiting waiting{.set = set->metadata.uid, .since = seen.now};
      if (known != all.end()) {
        const auto before = std::ranges::find(known->second, waiting.set, &Waiting::set);
        if (before != known->second.end()) waiting.since = before->since;
      }
      seen.waiting.push_back(waiting);
    }
    if (!seen.waiting.empty()) {
      all[key] = seen.waiting;
    } else if (known != all.end()) {
      all.erase(known);
    }
  });
}

bool Memory::has_quiet_nodes(const kube::ObjectKey& key) const {
  const SteadyTime now = clock_.steady_now();
  return quiet_until_.with([&](const auto& all) {
    const auto found = all.find(key);
    return found != all.end() && now < found->second;
  });
}

void Memory::note_quiet_nodes(const kube::ObjectKey& key) {
  const SteadyTime until = clock_.steady_now() + kQuietHolds;
  quiet_until_.with([&](auto& all) { all[key] = until; });
}

void Memory::look_at_nodes_again(const kube::ObjectKey& key) {
  quiet_until_.with([&](auto& all) { all.erase(key); });
}

void Memory::forget(const kube::ObjectKey& key) {
  look_at_nodes_again(key);
  refusals_.with([&](auto& all) { all.erase(key); });
  waiting_.with([&](auto& all) { all.erase(key); });
}

}  // namespace capstan::controllers::machinedeployment
