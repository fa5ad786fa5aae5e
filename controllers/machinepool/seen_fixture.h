// a_pool_world(): an Observation in words, for tests of decide, report and the end of a pool.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "api/schema/decode.h"
#include "controllers/machinepool/report.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"

namespace capstan::controllers::machinepool {

namespace json = boost::json;

inline constexpr std::string_view kPool = "mp1";
inline const kube::Resource kBoxPools{.group = "infrastructure.cluster.x-k8s.io",
                                      .version = "v1beta2",
                                      .plural = "boxpools",
                                      .kind = "BoxPool"};
inline const kube::Resource kBoxes{
    .group = "infrastructure.cluster.x-k8s.io", .version = "v1beta2", .plural = "boxes", .kind = "Box"};
inline const kube::Resource kConfigs{
    .group = "bootstrap.cluster.x-k8s.io", .version = "v1beta2", .plural = "recipes", .kind = "Recipe"};

// Pool mp1 of cluster c1 that wants three instances of BoxPool mp1, with the data of Recipe mp1.
inline api::MachinePool a_pool(std::int32_t replicas = 3) {
  api::MachinePool pool;
  pool.metadata = builders::metadata_of(api::kind::kMachinePool, kPool);
  pool.metadata.generation = 2;
  pool.metadata.labels.set(api::label::kClusterName, builders::kCluster);
  pool.metadata.finalizers = api::Finalizers(std::vector<Text>{Text(api::finalizer::kMachinePool)});
  pool.spec.cluster_name = Text(builders::kCluster);
  pool.spec.replicas = replicas;
  auto& machine = pool.spec.machine_template.spec;
  machine.cluster_name = Text(builders::kCluster);
  machine.infrastructure_ref = {
      .api_group = Text(kBoxPools.group), .kind = Text(kBoxPools.kind), .name = Text(kPool)};
  machine.bootstrap.config_ref =
      api::ContractRef{.api_group = Text(kConfigs.group), .kind = Text(kConfigs.kind), .name = Text(kPool)};
  machine.deletion.node_deletion_timeout_seconds = 10;
  return pool;
}

inline std::string id_of(std::string_view node) { return "docker:////" + std::string(node); }

class World {
 public:
  World() {
    seen_.now = builders::noon();
    seen_.cluster = builders::a_cluster().shared();
    seen_.reach.problem = "no connection has been made yet";
    infra({});
    bootstrap({});
  }

  api::MachinePool pool = a_pool();

  World& infra(json::object document) {
    seen_.infra = external(kBoxPools, std::move(document));
    return *this;
  }
  World& bootstrap(json::object document) {
    seen_.bootstrap = external(kConfigs, std::move(document));
    return *this;
  }
  // Ready, with these instances.
  World& instances(const std::vector<std::string>& nodes, std::optional<int> replicas = {}) {
    json::array ids;
    for (const auto& node : nodes) ids.push_back(json::value(node.empty() ? "" : id_of(node)));
    return infra(
        {{"spec", {{"providerIDList", std::move(ids)}}},
         {"status", {{"ready", true}, {"replicas", replicas.value_or(static_cast<int>(nodes.size()))}}}});
  }
  World& older_contract() {
    seen_.infra.contract = api::contract::ContractVersion::V1Beta1;
    seen_.bootstrap.contract = api::contract::ContractVersion::V1Beta1;
    return *this;
  }
  World& knows(const std::vector<std::string>& nodes) {
    std::vector<Text> ids;
    for (const auto& node : nodes) ids.emplace_back(id_of(node));
    pool.spec.provider_id_list = std::move(ids);
    return *this;
  }
  World& referred(const std::vector<std::string>& nodes) {
    for (const auto& name : nodes) {
      const api::Node node = builders::a_node(name);
      pool.status.node_refs.push_back({.kind = "Node"_text,
                                       .name = node.metadata.name,
                                       .uid = node.metadata.uid,
                                       .api_version = "v1"_text});
      seen_.former.push_back(std::make_shared<const api::Node>(node));
    }
    return *this;
  }
  World& with(const api::Node& node) {
    seen_.instances.push_back(
        {.provider_id = node.spec.provider_id, .node = std::make_shared<const api::Node>(node)});
    return connected();
  }
  World& without_node(std::string_view name) {
    seen_.instances.push_back({.provider_id = Text(id_of(name))});
    return connected();
  }
  World& connected();
  World& with(const builders::MachineBuilder& machine) {
    seen_.machines.machines.push_back(machine.shared());
    return *this;
  }
  // The provider has an object for each instance.
  World& boxes(const std::vector<std::string>& names) {
    seen_.machines.state = MachinesSeen::State::Known;
    seen_.machines.resource = kBoxes;
    for (const auto& name : names) {
      const json::value document = {{"apiVersion", kBoxes.api_version()},
                                    {"kind", kBoxes.kind},
                                    {"metadata", {{"name", name}, {"namespace", "default"}}},
                                    {"spec", {{"providerID", id_of(name)}}}};
      seen_.machines.objects.push_back(std::make_shared<const api::contract::ContractObject>(
          api::from_json<api::contract::ContractObject>(document).value()));
    }
    return *this;
  }
  template <typename Change>
  World& where(Change&& change) {
    change(seen_);
    return *this;
  }

  Observation seen() const {
    Observation all = seen_;
    all.pool = std::make_shared<const api::MachinePool>(pool);
    all.infra_says = read_infra(all.infra, pool);
    return all;
  }
  Plan plan() const { return decide(seen()); }
  api::MachinePool reported(Effects effects = {}) const {
    const Observation all = seen();
    const Plan planned = decide(all);
    effects.pool = planned.wanted;
    effects.pool.status = pool.status;
    return report(all, planned, effects).after;
  }

 private:
  static ExternalSeen external(const kube::Resource& resource, json::object document) {
    document["apiVersion"] = resource.api_version();
    document["kind"] = resource.kind;
    auto& metadata = document["metadata"];
    if (!metadata.is_object()) metadata = json::object();
    metadata.as_object()["name"] = kPool;
    metadata.as_object()["namespace"] = builders::kNamespace;
    return {.state = ExternalSeen::State::Found,
            .resource = resource,
            .key = {.namespace_ = std::string(builders::kNamespace), .name = std::string(kPool)},
            .object = std::make_shared<const api::contract::ContractObject>(
                api::from_json<api::contract::ContractObject>(document).value())};
  }

  Observation seen_ = {};
};

// Connected is who has a WorkloadCluster; the pure parts never ask it anything.
class SilentCluster final : public kubeconfig::WorkloadCluster {
 public:
  kube::Client& client() override { std::terminate(); }
  const runtime::Store<api::Node>& nodes() const override { std::terminate(); }
  std::vector<runtime::Snapshot<api::Node>> nodes_with(std::string_view) const override { return {}; }
};

inline World& World::connected() {
  seen_.reach = {.connected = true};
  seen_.workload = std::make_shared<SilentCluster>();
  return *this;
}

inline World a_pool_world() { return World(); }

}  // namespace capstan::controllers::machinepool
