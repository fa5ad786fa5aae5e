#include "controllers/drain/drain_watch.h"

#include <algorithm>
#include <atomic>

#include "base/hash.h"
#include "kube/resources.h"

namespace capstan::controllers::drain {

// An informer that tells of the end of a list as well: that a Node has no Pods left is news.
template <kube::Watchable T>
class DrainWatch::Feed final : private kube::WatchHandler<T> {
 public:
  Feed(kube::WatchLoop& loop, kube::Client& client, const kube::WatchTarget& target, Wake wake)
      : store_(target.resource.kind),
        wake_(std::move(wake)),
        watcher_(loop, client, target, *this, hash_bytes(target.field_selector + target.namespace_)) {
    watcher_.start();
  }
  ~Feed() override { stop(); }

  void stop() { watcher_.stop(); }

  // An object that can't be read is one we know nothing of: then nothing is known.
  bool complete() const { return store_.synced() && !unreadable_; }
  std::vector<runtime::Snapshot<T>> all() const { return store_.all(); }

 private:
  void on_init_start() override {
    unreadable_ = false;
    store_.begin_list();
  }
  void on_item(T&& object) override { store_.stage(std::move(object)); }
  void on_init_done(const kube::InitDone& done) override {
    store_.finish_list({.version = api::ResourceVersion::parse(done.version).value_or(api::ResourceVersion()),
                        .keep_missing = done.nameless > 0,
                        .rewound = done.rewound});
    wake_();
  }
  void on_apply(T&& object) override {
    store_.apply(std::move(object));
    wake_();
  }
  void on_delete(T&& last) override {
    store_.remove(runtime::key_of(last), last.metadata.resource_version);
    wake_();
  }
  void on_quarantine(const kube::Quarantine&) override { unreadable_ = true; }

  runtime::Store<T> store_;
  const Wake wake_;
  std::atomic<bool> unreadable_ = false;
  kube::Watcher<T> watcher_;  // last: no call comes once it is gone
};

DrainWatch::DrainWatch(kube::WatchLoop& loop, Cluster cluster, const std::string& node, Wake wake)
    : loop_(loop), cluster_(std::move(cluster)), wake_(std::move(wake)) {
  const kube::WatchTarget target{.resource = kube::resources::pods(),
                                 .field_selector = "spec.nodeName=" + node};
  pods_ = std::make_unique<Feed<api::Pod>>(loop_, cluster_->client(), target, wake_);
}

DrainWatch::~DrainWatch() = default;

void DrainWatch::stop() {
  pods_->stop();
  for (const auto& [namespace_, feed] : budgets_) feed->stop();
}

std::optional<std::vector<api::Pod>> DrainWatch::pods() const {
  if (!pods_->complete()) return {};
  std::vector<api::Pod> pods;
  for (const auto& pod : pods_->all()) pods.push_back(*pod);
  return pods;
}

void DrainWatch::watch_budgets(const std::set<std::string>& namespaces) {
  const auto is_over = [&](const auto& feed) { return !namespaces.contains(feed.first); };
  for (auto& each : budgets_) {
    if (is_over(each)) each.second->stop();
  }
  std::erase_if(budgets_, is_over);
  for (const std::string& name : namespaces) {
    auto& feed = budgets_[name];
    if (feed) continue;
    const kube::WatchTarget target{.resource = kube::resources::pod_disruption_budgets(), .namespace_ = name};
    feed = std::make_unique<Feed<api::PodDisruptionBudget>>(loop_, cluster_->client(), target, wake_);
  }
}

std::optional<std::vector<runtime::Snapshot<api::PodDisruptionBudget>>> DrainWatch::budgets(
    const std::string& namespace_) const {
  const auto feed = budgets_.find(namespace_);
  if (feed == budgets_.end() || !feed->second->complete()) return {};
  return feed->second->all();
}

bool DrainWatch::complete() const {
  return pods_->complete() &&
         std::ranges::all_of(budgets_, [](const auto& feed) { return feed.second->complete(); });
}

// --- volumes ---

// Most of what a kubelet writes into its Node's status is no news here.
class VolumeWatch::Feed final : private kube::WatchHandler<api::NodeVolumes> {
 public:
  Feed(kube::WatchLoop& loop, kube::Client& client, Subject subject, Wake wake)
      : known_(std::move(subject.seen)),
        wake_(std::move(wake)),
        watcher_(loop, client,
                 {.resource = kube::resources::nodes(), .field_selector = "metadata.name=" + subject.node},
                 *this, hash_bytes(subject.node)) {
    watcher_.start();
  }
  ~Feed() override { stop(); }

  void stop() { watcher_.stop(); }

 private:
  void on_init_start() override {}
  void on_item(api::NodeVolumes&& node) override { look(std::move(node)); }
  void on_init_done(const kube::InitDone&) override {}
  void on_apply(api::NodeVolumes&& node) override { look(std::move(node)); }
  void on_delete(api::NodeVolumes&&) override { wake_(); }
  void on_quarantine(const kube::Quarantine&) override {}

  void look(api::NodeVolumes&& node) {
    if (node.status.volumes_attached == known_) return;
    known_ = std::move(node.status.volumes_attached);
    wake_();
  }

  VolumesOfNode known_;  // of the loop's thread
  const Wake wake_;
  kube::Watcher<api::NodeVolumes> watcher_;  // last: no call comes once it is gone
};

VolumeWatch::VolumeWatch(kube::WatchLoop& loop, Cluster cluster, Subject subject, Wake wake)
    : cluster_(std::move(cluster)),
      feed_(std::make_unique<Feed>(loop, cluster_->client(), std::move(subject), std::move(wake))) {}

VolumeWatch::~VolumeWatch() = default;

void VolumeWatch::stop() { feed_->stop(); }

}  // namespace capstan::controllers::drain
