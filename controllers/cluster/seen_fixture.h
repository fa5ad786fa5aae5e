// Observations for tests of decide and report, in words: a Cluster, its provider objects, what belongs to it.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "api/schema/decode.h"
#include "controllers/cluster/decide.h"
#include "controllers/cluster/effects.h"
#include "controllers/cluster/report.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::cluster {

namespace json = boost::json;

inline api::OwnerReference by_cluster() {
  auto owner = builders::controller_of(api::kind::kCluster, "c1");
  owner.controller.reset();
  owner.block_owner_deletion.reset();
  return owner;
}

class Seen {
 public:
  explicit Seen(const api::Cluster& cluster) {
    world_.now = builders::noon();
    world_.cluster = std::make_shared<const api::Cluster>(cluster);
    world_.reach = {.connected = true, .last_success = builders::noon()};
    refer(world_.infrastructure, cluster.spec.infrastructure_ref, "dockerclusters");
    refer(world_.control_plane, cluster.spec.control_plane_ref, "kubeadmcontrolplanes");
  }

  // `body` is JSON with spec and status.
  Seen& infrastructure(std::string_view body, bool owned = true) {
    return put(world_.infrastructure, body, owned);
  }
  Seen& control_plane(std::string_view body, bool owned = true) {
    return put(world_.control_plane, body, owned);
  }
  // A Cluster of that name owns the object that this one refers to as well.
  Seen& infrastructure_of(std::string_view other) {
    world_.infrastructure.claim = {.other = std::string(other), .other_owns = true};
    return *this;
  }
  Seen& control_plane_of(std::string_view other) {
    world_.control_plane.claim = {.other = std::string(other), .other_owns = true};
    return *this;
  }
  // The API server was asked about a kind that no cache can show.
  Seen& infrastructure_without_labels(std::string_view problem, bool exists) {
    auto& referred = world_.infrastructure;
    referred.problem = problem;
    referred.asked_live = true;
    if (!exists) return *this;
    put(referred, "{}", true);
    referred.live = referred.object->metadata;
    referred.object.reset();
    return *this;
  }
  Seen& old_contract() {
    world_.infrastructure.contract = api::contract::ContractVersion::V1Beta1;
    world_.control_plane.contract = api::contract::ContractVersion::V1Beta1;
    return *this;
  }
  Seen& machine(const api::Machine& machine) {
    auto& list = is_control_plane(machine) ? world_.descendants.control_plane_machines
                                           : world_.descendants.worker_machines;
    list.push_back(std::make_shared<const api::Machine>(machine));
    return *this;
  }
  Seen& set(const api::MachineSet& set) {
    world_.descendants.sets.push_back(std::make_shared<const api::MachineSet>(set));
    return *this;
  }
  Seen& deployment(const api::MachineDeployment& deployment) {
    world_.descendants.deployments.push_back(std::make_shared<const api::MachineDeployment>(deployment));
    return *this;
  }
  Seen& pool(const api::MachinePool& pool) {
    world_.descendants.pools.push_back(std::make_shared<const api::MachinePool>(pool));
    return *this;
  }
  Seen& reach(kubeconfig::Reach reach) {
    world_.reach = std::move(reach);
    return *this;
  }
  template <typename Fn>
  Seen& with(Fn&& change) {
    std::forward<Fn>(change)(world_);
    return *this;
  }
  const Observation& operator*() const { return world_; }

  // What the status becomes when every action succeeds.
  api::Cluster reported() const { return reported({}); }
  api::Cluster reported(Effects effects) const {
    const Plan plan = decide(world_);
    effects.cluster = *world_.cluster;
    for (const Action& action : plan.actions) {
      if (const auto* written = std::get_if<WriteEndpoint>(&action))
        effects.cluster.spec.control_plane_endpoint = written->to;
    }
    return report(world_, plan, effects);
  }

 private:
  static void refer(Referred& referred, const std::optional<api::ContractRef>& reference,
                    std::string_view plural) {
    if (!reference) return;
    referred.wanted = true;
    referred.kind = reference->kind.str();
    referred.key = {.namespace_ = std::string(builders::kNamespace), .name = reference->name.str()};
    referred.resource = {.group = reference->api_group.str(),
                         .version = "v1beta2",
                         .plural = std::string(plural),
                         .kind = referred.kind};
  }

  Seen& put(Referred& referred, std::string_view body, bool owned) {
    auto document = json::parse(body);
    auto& object = document.as_object();
    object["apiVersion"] = referred.resource.api_version();
    object["kind"] = referred.kind;
    if (!object.contains("metadata")) object["metadata"] = json::object();
    object["metadata"].as_object()["name"] = referred.key.name;
    object["metadata"].as_object()["namespace"] = referred.key.namespace_;
    auto made = api::from_json<api::contract::ContractObject>(document).value();
    if (owned) {
      made.metadata.labels.set(api::label::kClusterName, "c1");
      made.metadata.owner_references = api::OwnerReferences({by_cluster()});
    }
    referred.claim = claim_on(made.metadata, *world_.cluster, [](std::string_view) { return false; }, {});
    referred.object = std::make_shared<const api::contract::ContractObject>(std::move(made));
    return *this;
  }

  Observation world_ = {};
};

}  // namespace capstan::controllers::cluster
