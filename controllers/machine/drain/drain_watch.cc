#include "controllers/machine/drain/drain_watch.h"

#include <algorithm>

#include "kube/resources.h"

namespace capstan::controllers::machine {

template <kube::Watchable T>
DrainWatch::Feed<T>::Feed(const runtime::InformerDeps& deps, const kube::WatchTarget& target,
                          const Wake& wake)
    : store(target.resource.kind), informer(deps, target, store) {
  store.subscribe([wake](const runtime::Change<T>&) { wake(); });
  informer.start();
}

DrainWatch::DrainWatch(kube::WatchLoop& loop, Cluster cluster, const std::string& node, Wake wake)
    : loop_(loop),
      cluster_(std::move(cluster)),
      wake_(std::move(wake)),
      pods_({.loop = loop, .client = cluster_->client()},
            {.resource = kube::resources::pods(), .field_selector = "spec.nodeName=" + node}, wake_) {}

std::optional<std::vector<api::Pod>> DrainWatch::pods() const {
  if (!pods_.store.synced()) return {};
  std::vector<api::Pod> pods;
  for (const auto& pod : pods_.store.all()) pods.push_back(*pod);
  return pods;
}

void DrainWatch::watch_budgets(const std::string& namespace_) {
  auto& feed = budgets_[namespace_];
  if (feed) return;
  const kube::WatchTarget target{.resource = kube::resources::pod_disruption_budgets(),
                                 .namespace_ = namespace_};
  feed = std::make_unique<Feed<api::PodDisruptionBudget>>(
      runtime::InformerDeps{.loop = loop_, .client = cluster_->client()}, target, wake_);
}

std::optional<std::vector<runtime::Snapshot<api::PodDisruptionBudget>>> DrainWatch::budgets(
    const std::string& namespace_) const {
  const auto feed = budgets_.find(namespace_);
  if (feed == budgets_.end() || !feed->second->store.synced()) return {};
  return feed->second->store.all();
}

bool DrainWatch::complete() const {
  return pods_.store.synced() &&
         std::ranges::all_of(budgets_, [](const auto& feed) { return feed.second->store.synced(); });
}

}  // namespace capstan::controllers::machine
