#include "test/simulation/fleet_manifests.h"

#include "api/bootstrap/cloud_config.h"
#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/driver/driver_machine_pool.h"
#include "api/driver/driver_machine_template.h"
#include "api/names.h"
#include "api/policy/fleet_policy.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/schema/crd.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "cmd/crdgen/kinds.h"
#include "kube/typed.h"

namespace capstan::simulation {
namespace {

template <typename T>
Document document(std::string_view name, json::object labels, json::value spec) {
  const auto resource = kube::resource_of<T>();
  return {.resource = resource,
          .object = {{"apiVersion", resource.api_version()},
                     {"kind", resource.kind},
                     {"metadata", {{"name", name}, {"namespace", kNamespace}, {"labels", std::move(labels)}}},
                     {"spec", std::move(spec)}}};
}

template <typename T>
json::value reference(std::string_view name) {
  const auto& info = api::resource<T>;
  return {{"apiGroup", info.group}, {"kind", info.kind}, {"name", name}};
}

json::object worker_labels() { return {{api::label::kClusterName, kCluster}, {kPoolLabel, kDeployment}}; }

template <typename Bootstrap, typename Infrastructure>
json::object machine_spec(std::string_view refs, const std::string& version) {
  return {{"clusterName", kCluster},
          {"version", version},
          {"bootstrap", {{"configRef", reference<Bootstrap>(refs)}}},
          {"infrastructureRef", reference<Infrastructure>(refs)}};
}

}  // namespace

const std::vector<json::value>& fleet_kinds() {
  static const std::vector<json::value> all = [] {
    std::vector<json::value> made;
    for (const auto& versions : crdgen::kinds()) made.push_back(api::crd(versions));
    return made;
  }();
  return all;
}

std::vector<Document> cluster_documents(const std::string& version) {
  const json::object control_plane = {{api::label::kClusterName, kCluster}, {api::label::kControlPlane, ""}};
  return {
      document<api::DriverCluster>(kCluster, {}, json::object()),
      document<api::Cluster>(kCluster, {}, {{"infrastructureRef", reference<api::DriverCluster>(kCluster)}}),
      document<api::DriverMachine>(kControlPlane, {}, {{"class", "small"}}),
      document<api::CloudConfig>(kControlPlane, {}, json::object()),
      document<api::Machine>(kControlPlane, control_plane,
                             machine_spec<api::CloudConfig, api::DriverMachine>(kControlPlane, version)),
      document<api::DriverMachineTemplate>(kDeployment, {}, {{"template", {{"spec", {{"class", "small"}}}}}}),
      document<api::CloudConfigTemplate>(kDeployment, {}, {{"template", {{"spec", json::object()}}}}),
  };
}

Document health_check_document() {
  json::array unhealthy;
  for (const std::string_view status : {"False", "Unknown"})
    unhealthy.push_back({{"type", "Ready"}, {"status", status}, {"timeoutSeconds", 60}});
  return document<api::MachineHealthCheck>(
      kDeployment, {},
      {{"clusterName", kCluster},
       {"selector", {{"matchLabels", worker_labels()}}},
       {"checks", {{"nodeStartupTimeoutSeconds", 300}, {"unhealthyNodeConditions", std::move(unhealthy)}}}});
}

Document policy_document(const Policy& policy) {
  json::object spec = {{"selector", json::object()}};
  json::object health;
  if (policy.shared_cause) health["sharedCause"] = json::object();
  if (policy.life_cycle) {
    health["nodeChecks"] = {{"timeoutSeconds", 60}};
    spec["creation"] = {{"timeoutSeconds", 900}};
    spec["replacement"] = {{"maxInFlight", 1}};
    spec["scaleIn"] = json::object();
    spec["rollout"] = {{"revisionHistoryLimit", kRevisionsKept}};
    spec["preservation"] = {{"autoMax", 1}, {"timeoutSeconds", 120}};
  }
  if (!health.empty()) spec["health"] = std::move(health);
  if (policy.brakes) {
    spec["overshoot"] = json::object();
    spec["deletionGuard"] = {{"percent", kGuardPercent}};
    spec["windows"] = json::array{{{"cron", "*/10 * * * *"},
                                   {"durationSeconds", kWindowOpen.count()},
                                   {"intents", json::array{api::policy::deletion::kScaleIn}}}};
  }
  if (policy.drains_pools) spec["drain"] = {{"machinePools", true}};
  return document<api::MachineLifecyclePolicy>(kDeployment, {}, std::move(spec));
}

Document fleet_policy_document() {
  Document made = document<api::FleetPolicy>(
      api::policy::kFleetPolicyName, {},
      {{"limits", json::array{{{"max", kMostDeletions}, {"windowSeconds", kDeletionsWithin.count()}},
                              {{"scope", api::FleetLimit::kPerCluster},
                               {"max", kMostOfACluster},
                               {"windowSeconds", kOfAClusterWithin.count()}}}}});
  made.object.at("metadata").as_object().erase("namespace");
  return made;
}

Document deployment_document(const Fleet& fleet) {
  const json::object strategy = {
      {"type", "RollingUpdate"},
      {"rollingUpdate", {{"maxSurge", fleet.rollout.surge}, {"maxUnavailable", fleet.rollout.unavailable}}}};
  Document made = document<api::MachineDeployment>(
      kDeployment, worker_labels(),
      {{"clusterName", kCluster},
       {"replicas", fleet.replicas},
       {"selector", {{"matchLabels", worker_labels()}}},
       {"rollout", {{"strategy", strategy}}},
       {"template",
        {{"metadata", {{"labels", worker_labels()}}},
         {"spec",
          machine_spec<api::CloudConfigTemplate, api::DriverMachineTemplate>(kDeployment, fleet.version)}}}});
  if (fleet.one_remediation_at_a_time)
    made.object.at("spec").as_object()["remediation"] = {{"maxInFlight", 1}};
  return made;
}

std::vector<Document> pool_documents(const std::string& version, const Pool& pool) {
  json::object group = {{"class", "small"}};
  if (pool.with_machines) group["withMachines"] = true;
  json::object machine = machine_spec<api::CloudConfig, api::DriverMachinePool>(kPool, version);
  if (pool.drain_timeout > Seconds(0))
    machine["deletion"] = {{"nodeDrainTimeoutSeconds", pool.drain_timeout.count()}};
  return {document<api::DriverMachinePool>(kPool, {}, std::move(group)),
          document<api::CloudConfig>(kPool, {}, json::object()),
          document<api::MachinePool>(kPool, {{api::label::kClusterName, kCluster}},
                                     {{"clusterName", kCluster},
                                      {"replicas", pool.replicas},
                                      {"template", {{"spec", std::move(machine)}}}})};
}

kube::ObjectKey named(std::string_view name) {
  return {.namespace_ = std::string(kNamespace), .name = std::string(name)};
}

}  // namespace capstan::simulation
