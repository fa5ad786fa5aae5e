#include "cmd/dev/sample.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/names.h"
#include "api/schema/yaml.h"

namespace capstan::dev {
namespace {

namespace json = boost::json;

constexpr std::string_view kInfrastructure = "infrastructure.cluster.x-k8s.io";
constexpr std::string_view kBootstrap = "bootstrap.cluster.x-k8s.io";
constexpr std::string_view kVersion = "v1beta2";

json::value reference(std::string_view group, std::string_view kind, const std::string& name) {
  return {{"apiGroup", group}, {"kind", kind}, {"name", name}};
}

json::object document(std::string_view group, std::string_view kind, const std::string& name,
                      const SampleOptions& options) {
  return {{"apiVersion", fmt::format("{}/{}", group, kVersion)},
          {"kind", kind},
          {"metadata", {{"name", name}, {"namespace", options.namespace_}}}};
}

json::value cluster(const std::string& name, const SampleOptions& options) {
  json::object object = document(api::group::kCluster, api::kind::kCluster, name, options);
  object["spec"] = {{"clusterNetwork", {{"pods", {{"cidrBlocks", json::array{"10.128.0.0/12"}}}}}},
                    {"infrastructureRef", reference(kInfrastructure, "DriverCluster", name)}};
  return object;
}

// A cluster counts as initialized once a control plane Machine of it has a Node.
json::value control_plane(const std::string& cluster, const std::string& name, const SampleOptions& options) {
  json::object object = document(api::group::kCluster, api::kind::kMachine, name, options);
  object["metadata"].as_object()["labels"] = {{api::label::kClusterName, cluster},
                                              {api::label::kControlPlane, ""}};
  object["spec"] = {{"clusterName", cluster},
                    {"version", options.version},
                    {"bootstrap", {{"configRef", reference(kBootstrap, "CloudConfig", name)}}},
                    {"infrastructureRef", reference(kInfrastructure, "DriverMachine", name)}};
  return object;
}

json::value deployment(const std::string& cluster, const SampleOptions& options) {
  const std::string name = cluster + "-workers";
  const json::object labels = {{api::label::kClusterName, cluster}, {"pool", name}};
  json::object object = document(api::group::kCluster, api::kind::kMachineDeployment, name, options);
  object["spec"] = {
      {"clusterName", cluster},
      {"replicas", options.machines},
      {"selector", {{"matchLabels", labels}}},
      {"rollout",
       {{"strategy",
         {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxSurge", 1}, {"maxUnavailable", 0}}}}}}},
      {"template",
       {{"metadata", {{"labels", labels}}},
        {"spec",
         {{"clusterName", cluster},
          {"version", options.version},
          {"bootstrap", {{"configRef", reference(kBootstrap, "CloudConfigTemplate", name)}}},
          {"infrastructureRef", reference(kInfrastructure, "DriverMachineTemplate", name)}}}}}};
  return object;
}

json::object pool_infrastructure(const std::string& name, bool with_machines, const SampleOptions& options) {
  json::object object = document(kInfrastructure, "DriverMachinePool", name, options);
  json::object spec = {{"class", "small"}};
  if (with_machines) spec["withMachines"] = true;
  object["spec"] = std::move(spec);
  return object;
}

json::object pool(const std::string& cluster, const std::string& name, int instances,
                  const SampleOptions& options) {
  json::object object = document(api::group::kCluster, api::kind::kMachinePool, name, options);
  object["spec"] = {{"clusterName", cluster},
                    {"replicas", instances},
                    {"template",
                     {{"spec",
                       {{"clusterName", cluster},
                        {"version", options.version},
                        {"bootstrap", {{"configRef", reference(kBootstrap, "CloudConfig", name)}}},
                        {"infrastructureRef", reference(kInfrastructure, "DriverMachinePool", name)}}}}}};
  return object;
}

// Its references name objects, not templates.
void add_pool(const std::string& cluster, const std::string& name, int instances, bool with_machines,
              const SampleOptions& options, std::vector<json::value>& documents) {
  if (instances <= 0) return;
  documents.push_back(pool_infrastructure(name, with_machines, options));
  json::object cloud_config = document(kBootstrap, "CloudConfig", name, options);
  cloud_config["spec"] = json::object();
  documents.push_back(std::move(cloud_config));
  documents.push_back(pool(cluster, name, instances, options));
}

json::value with_template(json::object object, json::value spec) {
  object["spec"] = {{"template", {{"spec", std::move(spec)}}}};
  return object;
}

}  // namespace

std::vector<json::value> sample(const SampleOptions& options) {
  std::vector<json::value> documents;
  for (int i = 1; i <= options.clusters; ++i) {
    const std::string name = options.clusters == 1 ? "demo" : fmt::format("demo-{}", i);
    const std::string workers = name + "-workers";
    documents.push_back(document(kInfrastructure, "DriverCluster", name, options));
    documents.push_back(cluster(name, options));
    const std::string leader = name + "-control-plane-0";
    json::object driver_machine = document(kInfrastructure, "DriverMachine", leader, options);
    driver_machine["spec"] = {{"class", "small"}};
    documents.push_back(std::move(driver_machine));
    json::object cloud_config = document(kBootstrap, "CloudConfig", leader, options);
    cloud_config["spec"] = json::object();
    documents.push_back(std::move(cloud_config));
    documents.push_back(control_plane(name, leader, options));
    documents.push_back(with_template(document(kInfrastructure, "DriverMachineTemplate", workers, options),
                                      {{"class", "small"}}));
    documents.push_back(
        with_template(document(kBootstrap, "CloudConfigTemplate", workers, options), json::object()));
    documents.push_back(deployment(name, options));
    add_pool(name, name + "-pool", options.pool, false, options, documents);
    add_pool(name, name + "-machine-pool", options.pool_machines, true, options, documents);
  }
  return documents;
}

std::string sample_yaml(const SampleOptions& options) {
  std::string text = "# A fleet on the simulated cloud. Made by: capstan-dev up --print-sample\n";
  for (const json::value& one : sample(options)) text += "---\n" + api::write_yaml(one);
  return text;
}

}  // namespace capstan::dev
