#include "controllers/drain/lists_by_cluster.h"

#include "controllers/drain/cluster_lists.h"

namespace capstan::controllers::drain {
namespace {

// Longer than a rollout pauses between two of its Machines.
constexpr auto kKept = std::chrono::minutes(10);

}  // namespace

std::shared_ptr<ClusterLists> ListsByCluster::of(const api::ObjectKey& cluster) {
  const SteadyTime now = clock_.steady_now();
  return known_.with([&](auto& known) {
    std::erase_if(known, [&](const auto& each) {
      return each.second.lists.use_count() == 1 && now - each.second.asked > kKept;
    });
    Known& entry = known[cluster];
    if (!entry.lists) entry.lists = std::make_shared<ClusterLists>(clock_, threads_);
    entry.asked = now;
    return entry.lists;
  });
}

std::size_t ListsByCluster::size() const {
  return known_.with([](const auto& known) { return known.size(); });
}

}  // namespace capstan::controllers::drain
