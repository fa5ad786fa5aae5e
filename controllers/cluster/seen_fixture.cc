#include "controllers/cluster/seen_fixture.h"

#include <memory>

#include "api/schema/decode.h"

namespace capstan::controllers::cluster {

namespace {

void refer(Referred& referred, const std::optional<api::ContractRef>& reference, std::string_view plural) {
  if (!reference) return;
  referred.wanted = true;
  referred.kind = reference->kind.str();
  referred.key = {.namespace_ = std::string(builders::kNamespace), .name = reference->name.str()};
  referred.resource = {.group = reference->api_group.str(),
                       .version = "v1beta2",
                       .plural = std::string(plural),
                       .kind = referred.kind};
}

}  // namespace

api::OwnerReference by_cluster() {
  auto owner = builders::controller_of(api::kind::kCluster, "c1");
  owner.controller.reset();
  owner.block_owner_deletion.reset();
  return owner;
}

Seen::Seen(const api::Cluster& cluster) {
  seen_.now = builders::noon();
  seen_.cluster = std::make_shared<const api::Cluster>(cluster);
  seen_.reach = {.connected = true, .last_success = builders::noon()};
  refer(seen_.infrastructure, cluster.spec.infrastructure_ref, "dockerclusters");
  refer(seen_.control_plane, cluster.spec.control_plane_ref, "kubeadmcontrolplanes");
}

Seen& Seen::infrastructure(std::string_view body, bool owned) {
  return put(seen_.infrastructure, body, owned);
}

Seen& Seen::control_plane(std::string_view body, bool owned) { return put(seen_.control_plane, body, owned); }

Seen& Seen::infrastructure_of(std::string_view other) {
  seen_.infrastructure.claim = {.other = std::string(other), .other_owns = true};
  return *this;
}

Seen& Seen::control_plane_of(std::string_view other) {
  seen_.control_plane.claim = {.other = std::string(other), .other_owns = true};
  return *this;
}

Seen& Seen::infrastructure_without_labels(std::string_view problem, bool exists) {
  auto& referred = seen_.infrastructure;
  referred.problem = problem;
  referred.asked_live = true;
  if (!exists) return *this;
  put(referred, "{}", true);
  referred.live = referred.object->metadata;
  referred.object.reset();
  return *this;
}

Seen& Seen::old_contract() {
  seen_.infrastructure.contract = api::contract::ContractVersion::V1Beta1;
  seen_.control_plane.contract = api::contract::ContractVersion::V1Beta1;
  return *this;
}

Seen& Seen::machine(const api::Machine& machine) {
  auto& list = is_control_plane(machine) ? seen_.descendants.control_plane_machines
                                         : seen_.descendants.worker_machines;
  list.push_back(std::make_shared<const api::Machine>(machine));
  return *this;
}

Seen& Seen::set(const api::MachineSet& set) {
  seen_.descendants.sets.push_back(std::make_shared<const api::MachineSet>(set));
  return *this;
}

Seen& Seen::deployment(const api::MachineDeployment& deployment) {
  seen_.descendants.deployments.push_back(std::make_shared<const api::MachineDeployment>(deployment));
  return *this;
}

Seen& Seen::pool(const api::MachinePool& pool) {
  seen_.descendants.pools.push_back(std::make_shared<const api::MachinePool>(pool));
  return *this;
}

Seen& Seen::reach(kubeconfig::Reach reach) {
  seen_.reach = std::move(reach);
  return *this;
}

api::Cluster Seen::reported(Effects effects) const {
  const Plan plan = decide(seen_);
  effects.cluster = *seen_.cluster;
  for (const Action& action : plan.actions) {
    if (const auto* written = std::get_if<WriteEndpoint>(&action))
      effects.cluster.spec.control_plane_endpoint = written->to;
  }
  return report(seen_, plan, effects);
}

Seen& Seen::put(Referred& referred, std::string_view body, bool owned) {
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
  referred.claim = claim_on(made.metadata, *seen_.cluster, [](std::string_view) { return false; }, {});
  referred.object = std::make_shared<const api::contract::ContractObject>(std::move(made));
  return *this;
}

}  // namespace capstan::controllers::cluster
