#include "test/fakes/fake_workload_clusters.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "kube/stub_client.h"
#include "kubeconfig/gated_client.h"
#include "kubeconfig/node_index.h"

namespace capstan::fakes {

using kubeconfig::Reach;
using NodeChange = runtime::Change<api::Node>;

namespace {

// Callers' deadlines are of their own clock, simulated or not: one of ours beside it would be long over when
// the machine was started less than their hour ago.
constexpr Nanoseconds kNever = std::chrono::hours(24 * 365 * 100);

}  // namespace

class FakeWorkloadClusters::Cluster final : public kubeconfig::WorkloadCluster {
 public:
  Cluster(kube::Client& client, Threads& threads, const Clock& clock)
      : gate_(client, threads, clock, {.in_flight = 0, .request_timeout = kNever}) {}

  kube::Client& client() override { return gate_; }
  const runtime::Store<api::Node>& nodes() const override { return nodes_.store(); }
  std::vector<runtime::Snapshot<api::Node>> nodes_with(std::string_view provider_id) const override {
    return nodes_.with(provider_id);
  }

  runtime::Store<api::Node>& store() { return nodes_.store(); }
  void lose(std::string why) { gate_.shut(std::move(why)); }

 private:
  kubeconfig::NodeStore nodes_;
  kubeconfig::GatedClient gate_;
};

FakeWorkloadClusters::FakeWorkloadClusters() : silent_(std::make_unique<kube::StubClient>()) {}
FakeWorkloadClusters::~FakeWorkloadClusters() = default;

void FakeWorkloadClusters::connect(const ObjectKey& cluster, kube::Client* client, Time at) {
  auto fresh = std::make_shared<Cluster>(client != nullptr ? *client : *silent_, threads_, clock_);
  fresh->store().subscribe([this, cluster](const NodeChange& change) {
    const auto handlers = inside_.with([](const Inside& inside) { return inside.node_handlers; });
    for (const auto& handler : handlers) handler(cluster, change);
  });
  const auto [nodes, version, before] = inside_.with([&](Inside& inside) {
    Known& known = inside.clusters[cluster];
    return std::tuple(known.nodes, inside.version, std::exchange(known.connected, nullptr));
  });
  if (before) before->lose("connected anew");
  fresh->store().begin_list();
  for (const auto& [name, node] : nodes) fresh->store().stage(node);
  fresh->store().finish_list({.version = api::ResourceVersion(version)});
  inside_.with([&](Inside& inside) {
    Known& known = inside.clusters[cluster];
    known.connected = fresh;
    known.reach = {.connected = true, .last_success = at, .insecure = known.reach.insecure};
  });
  call_reach_handlers(cluster);
}

void FakeWorkloadClusters::lose(const ObjectKey& cluster, std::string problem, Time since) {
  const auto lost = inside_.with([&](Inside& inside) {
    Known& known = inside.clusters[cluster];
    known.reach.connected = false;
    known.reach.first_failure = since;
    known.reach.problem = problem;
    return std::exchange(known.connected, nullptr);
  });
  if (lost) lost->lose(std::move(problem));
  call_reach_handlers(cluster);
}

void FakeWorkloadClusters::set_reach(const ObjectKey& cluster, Reach reach) {
  inside_.with([&](Inside& inside) {
    Known& known = inside.clusters[cluster];
    reach.connected = known.connected != nullptr;
    known.reach = std::move(reach);
  });
  call_reach_handlers(cluster);
}

void FakeWorkloadClusters::put_node(const ObjectKey& cluster, api::Node node) {
  const auto version = inside_.with([](Inside& inside) { return ++inside.version; });
  node.metadata.resource_version = api::ResourceVersion(version);
  mirror_node(cluster, std::move(node));
}

void FakeWorkloadClusters::mirror_node(const ObjectKey& cluster, api::Node node) {
  const auto connected = inside_.with([&](Inside& inside) {
    Known& known = inside.clusters[cluster];
    known.nodes.insert_or_assign(std::string(node.metadata.name.view()), node);
    return known.connected;
  });
  if (connected) connected->store().apply(std::move(node));
}

void FakeWorkloadClusters::remove_node(const ObjectKey& cluster, std::string_view name) {
  const auto [connected, version] = inside_.with([&](Inside& inside) {
    Known& known = inside.clusters[cluster];
    if (const auto at = known.nodes.find(name); at != known.nodes.end()) known.nodes.erase(at);
    return std::pair(known.connected, ++inside.version);
  });
  if (connected) connected->store().remove({.name = std::string(name)}, api::ResourceVersion(version));
}

Result<std::shared_ptr<kubeconfig::WorkloadCluster>> FakeWorkloadClusters::get(const ObjectKey& cluster) {
  return inside_.with([&](Inside& inside) -> Result<std::shared_ptr<kubeconfig::WorkloadCluster>> {
    const Known& known = inside.clusters[cluster];
    if (known.connected) return known.connected;
    return fail(Code::NotConnected,
                fmt::format("workload cluster {}: {}", cluster.describe(), known.reach.problem));
  });
}

Reach FakeWorkloadClusters::reach(const ObjectKey& cluster) const {
  return inside_.with([&](const Inside& inside) {
    const auto known = inside.clusters.find(cluster);
    return known == inside.clusters.end() ? Known().reach : known->second.reach;
  });
}

void FakeWorkloadClusters::on_reach_change(ClusterHandler handler) {
  inside_.with([&](Inside& inside) { inside.cluster_handlers.push_back(std::move(handler)); });
}

void FakeWorkloadClusters::on_node_change(NodeHandler handler) {
  inside_.with([&](Inside& inside) { inside.node_handlers.push_back(std::move(handler)); });
}

void FakeWorkloadClusters::call_reach_handlers(const ObjectKey& cluster) const {
  const auto handlers = inside_.with([](const Inside& inside) { return inside.cluster_handlers; });
  for (const auto& handler : handlers) handler(cluster);
}

}  // namespace capstan::fakes
