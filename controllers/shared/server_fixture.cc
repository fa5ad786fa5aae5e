#include "controllers/shared/server_fixture.h"

#include <utility>

#include "api/policy/fleet_policy.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/schema/crd.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"

namespace capstan::controllers {

kube::Resource provider_resource(std::string_view group, std::string_view kind, std::string_view plural) {
  return {.group = std::string(group),
          .version = "v1beta2",
          .plural = std::string(plural),
          .kind = std::string(kind)};
}

json::value provider_crd(const kube::Resource& resource, std::string_view contract) {
  const json::value schema = {
      {"openAPIV3Schema", {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}};
  json::object labels;
  labels["cluster.x-k8s.io/" + std::string(contract)] = resource.version;
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata", {{"name", resource.plural + "." + resource.group}, {"labels", std::move(labels)}}},
          {"spec",
           {{"group", resource.group},
            {"scope", "Namespaced"},
            {"names",
             {{"plural", resource.plural}, {"kind", resource.kind}, {"listKind", resource.kind + "List"}}},
            {"versions", json::array{{{"name", resource.version},
                                      {"served", true},
                                      {"storage", true},
                                      {"subresources", {{"status", json::object()}}},
                                      {"schema", schema}}}}}}};
}

FixtureServer::FixtureServer(fakes::Baton& with, const apiserver::ApiOptions& options)
    : baton(with), api(options), user(api, with, {.user = "user", .user_agent = "kubectl/1"}) {
  install_kinds();
}

void FixtureServer::install_kinds() {
  for (const json::value& crd :
       {api::crd<api::Cluster>(), api::crd<api::Machine>(), api::crd<api::MachineSet>(),
        api::crd<api::MachineDeployment>(), api::crd<api::MachinePool>(), api::crd<api::MachineHealthCheck>(),
        api::crd<api::MachineDrainRule>(), api::crd<api::MachineLifecyclePolicy>(),
        api::crd<api::FleetPolicy>()}) {
    make(kube::resources::custom_resource_definitions(), crd);
  }
}

void FixtureServer::make(const kube::Resource& resource, json::value object) {
  auto& metadata = object.as_object()["metadata"].as_object();
  for (const std::string_view servers : {"uid", "resourceVersion", "generation", "creationTimestamp"})
    metadata.erase(servers);
  must(user.create(resource, key_in(resource, ""), object, {}, Deadline::never()));
}

void FixtureServer::put(const kube::Resource& resource, const json::value& object) {
  make(resource, object);
  const auto* status = object.as_object().if_contains("status");
  if (status == nullptr) return;
  const std::string_view name = object.at("metadata").at("name").as_string();
  patch(resource, name, {{"status", *status}}, "status");
}

void FixtureServer::put_provider(const kube::Resource& resource, std::string_view name, json::object rest) {
  rest["apiVersion"] = resource.api_version();
  rest["kind"] = resource.kind;
  rest["metadata"] = {{"name", name}, {"namespace", builders::kNamespace}};
  make(resource, std::move(rest));
}

void FixtureServer::patch(const kube::Resource& resource, std::string_view name, const json::value& body,
                          std::string_view subresource) {
  must(user.patch(resource, key_in(resource, name), body, {.subresource = std::string(subresource)},
                  Deadline::never()));
}

void FixtureServer::remove(const kube::Resource& resource, std::string_view name) {
  must(user.remove(resource, key_in(resource, name), {}, Deadline::never()));
}

void FixtureServer::remove_and_orphan(const kube::Resource& resource, std::string_view name) {
  must(user.remove(resource, key_in(resource, name), {.propagation = kube::Propagation::Orphan},
                   Deadline::never()));
}

void FixtureServer::run_cluster_controllers() {
  while (api.run_controllers()) {
  }
}

json::value FixtureServer::read(const kube::Resource& resource, std::string_view name) {
  return user.get(resource, key_in(resource, name), Deadline::never()).value();
}

bool FixtureServer::exists(const kube::Resource& resource, std::string_view name) {
  return user.get(resource, key_in(resource, name), Deadline::never()).has_value();
}

kube::ObjectKey FixtureServer::key(std::string_view name) {
  return {.namespace_ = std::string(builders::kNamespace), .name = std::string(name)};
}

kube::ObjectKey FixtureServer::key_in(const kube::Resource& resource, std::string_view name) {
  return resource.namespaced ? key(name) : kube::ObjectKey{.namespace_ = {}, .name = std::string(name)};
}

void under_seeds(const std::function<void(fakes::Baton&)>& body, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    fakes::Baton baton({.seed = seed});
    const auto report = baton.run([&] { body(baton); });
    ASSERT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

}  // namespace capstan::controllers
