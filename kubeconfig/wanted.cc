#include "kubeconfig/wanted.h"

#include <functional>
#include <memory>
#include <utility>

#include "api/names.h"
#include "api/v1beta2/cluster_state.h"
#include "kubeconfig/workload_registry.h"

namespace capstan::kubeconfig {
namespace {

using ClusterChange = runtime::Change<api::Cluster>;

bool is_provisioned(const runtime::Snapshot<api::Cluster>& cluster) {
  return cluster && cluster->status.initialization.infrastructure_provisioned.value_or(false);
}

bool is_initialized(const runtime::Snapshot<api::Cluster>& cluster) {
  return api::control_plane_initialized(*cluster);
}

// Its control plane has come up, or it is reached in another way.
bool may_answer_now(const ClusterChange& change) {
  return is_initialized(change.before) != is_initialized(change.after) ||
         change.before->spec.control_plane_endpoint != change.after->spec.control_plane_endpoint;
}

// In one place of a shard's index: a Cluster and whose of its objects they are.
std::string place(std::string_view namespace_, std::string_view cluster) {
  return std::string(namespace_) + "/" + std::string(cluster);
}

template <typename T>
runtime::IndexValues by_cluster_and_filter(const T& object) {
  const Text* filter = object.metadata.labels.find(api::label::kWatchFilter);
  if (filter == nullptr) return {};
  return {{Text(place(object.metadata.namespace_, object.spec.cluster_name)), *filter}};
}

bool is_labelled(const api::ObjectMeta& object, std::string_view filter) {
  const Text* label = object.labels.find(api::label::kWatchFilter);
  return label != nullptr && *label == filter;
}

// The members of one kind that a shard has in other managers' Clusters.
template <typename T>
class Members {
 public:
  Members(runtime::Store<T>& store, std::string filter)
      : store_(store), filter_(std::move(filter)), index_(store.add_index(by_cluster_and_filter<T>)) {}

  bool any_in(const api::Cluster& cluster) const {
    return store_.count(index_, {place(cluster.metadata.namespace_, cluster.metadata.name), filter_}) > 0;
  }
  // Calls for the Cluster of a member that came or went.
  void on_move(std::function<void(const runtime::ObjectKey&)> call) {
    store_.subscribe([filter = filter_, call = std::move(call)](const runtime::Change<T>& change) {
      const bool was = change.before && is_labelled(change.before->metadata, filter);
      const bool is = change.after && is_labelled(change.after->metadata, filter);
      const T& object = change.object();
      if (was != is) call({object.metadata.namespace_.str(), object.spec.cluster_name.str()});
    });
  }

 private:
  runtime::Store<T>& store_;
  const std::string filter_;
  const runtime::IndexId<T> index_;
};

// Keeps the registry's wishes like the caches. Handlers of several stores call it, each on its own thread.
class Follower {
 public:
  using Concerns = std::function<bool(const api::Cluster&)>;
  Follower(const runtime::Store<api::Cluster>& clusters, WorkloadRegistry& registry, Concerns concerns)
      : clusters_(clusters), registry_(registry), concerns_(std::move(concerns)) {}

  void on_cluster(const ClusterChange& change) const {
    const runtime::ObjectKey key = runtime::key_of(change.object());
    const Wish wish = wish_after(change);
    if (wish == Wish::Anew) registry_.forget(key);
    if (wish == Wish::Hurry) registry_.hurry(key);  // nothing happens to a cluster that is not wanted
    if ((wish != Wish::Nothing && wish != Wish::Hurry) || is_relabelled(change)) align(key);
  }

  // What another thread has wished meanwhile by an older state of the caches is put right.
  void align(const runtime::ObjectKey& key) const {
    bool wanted = false;
    do {
      wanted = is_wanted(key);
      wanted ? registry_.want(key) : registry_.forget(key);
    } while (is_wanted(key) != wanted);
  }

 private:
  bool is_wanted(const runtime::ObjectKey& key) const {
    const auto cluster = clusters_.get(key);
    return is_provisioned(cluster) && concerns_(*cluster);
  }
  static bool is_relabelled(const ClusterChange& change) {
    return change.before && change.after && change.before->metadata.labels != change.after->metadata.labels;
  }

  const runtime::Store<api::Cluster>& clusters_;
  WorkloadRegistry& registry_;
  const Concerns concerns_;
};

std::shared_ptr<Follower> followed(runtime::Store<api::Cluster>& clusters, WorkloadRegistry& registry,
                                   Follower::Concerns concerns) {
  auto follower = std::make_shared<Follower>(clusters, registry, std::move(concerns));
  clusters.subscribe([follower](const ClusterChange& change) { follower->on_cluster(change); });
  return follower;
}

}  // namespace

Wish wish_after(const ClusterChange& change) {
  const bool was = is_provisioned(change.before);
  const bool is = is_provisioned(change.after);
  if (!is) return was ? Wish::Forget : Wish::Nothing;
  if (!was) return Wish::Want;
  if (change.before->metadata.uid != change.after->metadata.uid) return Wish::Anew;
  return may_answer_now(change) ? Wish::Hurry : Wish::Nothing;
}

void follow(runtime::Store<api::Cluster>& clusters, WorkloadRegistry& registry) {
  followed(clusters, registry, [](const api::Cluster&) { return true; });
}

void follow(runtime::Store<api::Cluster>& clusters, const Shard& shard, WorkloadRegistry& registry) {
  auto machines = std::make_shared<Members<api::Machine>>(shard.machines, shard.watch_filter);
  auto pools = std::make_shared<Members<api::MachinePool>>(shard.machine_pools, shard.watch_filter);
  const auto follower = followed(
      clusters, registry, [machines, pools, filter = shard.watch_filter](const api::Cluster& cluster) {
        return is_labelled(cluster.metadata, filter) || machines->any_in(cluster) || pools->any_in(cluster);
      });
  const auto align = [follower](const runtime::ObjectKey& cluster) { follower->align(cluster); };
  machines->on_move(align);
  pools->on_move(align);
}

}  // namespace capstan::kubeconfig
