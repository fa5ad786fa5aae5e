#include "controllers/machineset/turn_fixture.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/contract/contract_object.h"
#include "controllers/machineset/wanted.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machineset {

namespace {

const kube::Resource& crds() { return kube::resources::custom_resource_definitions(); }

}  // namespace

MachineSetFixture::MachineSetFixture(fakes::Baton& with, bool braked)
    : ControllerFixture(with,
                        {.name = "machineset", .kind = "MachineSet", .concurrency = 3, .braked = braked}) {
  for (const auto& kind : {kInfraMachines, kInfraTemplates, kConfigs, kConfigTemplates, kControlPlanes})
    make(crds(), provider_crd(kind));
}

void MachineSetFixture::make_template(const kube::Resource& resource, std::string_view name) {
  put_provider(
      resource, name,
      {{"spec",
        {{"template", {{"metadata", {{"labels", {{"of", "template"}}}}}, {"spec", {{"size", "large"}}}}}}}});
}

void MachineSetFixture::make_surroundings() {
  make(builders::a_cluster().without_control_plane_ref().build());
  make_template(kInfraTemplates, "ms1");
  make_template(kConfigTemplates, "ms1");
}

void MachineSetFixture::scale(int replicas) {
  patch(kube::resource_of<api::MachineSet>(), "ms1", {{"spec", {{"replicas", replicas}}}});
}

void MachineSetFixture::let_go_of_deleted() {
  for (const auto& machine : machines()) {
    if (!machine.metadata.deleting()) continue;
    patch(kube::resource_of<api::Machine>(), machine.metadata.name.view(),
          {{"metadata", {{"finalizers", nullptr}}}});
  }
}

void MachineSetFixture::put_nodes(const kube::ObjectKey& cluster) {
  for (const std::string& name : machine_names()) {
    workload_clusters.put_node(cluster, builders::a_node(name).build());
    patch(kube::resource_of<api::Machine>(), name, {{"status", {{"nodeRef", {{"name", name}}}}}}, "status");
  }
  settle();
}

void MachineSetFixture::take_any_machine() {
  constexpr std::string_view kDefinition = "machines.cluster.x-k8s.io";
  json::value versions = FixtureServer::read(crds(), kDefinition).at("spec").at("versions");
  versions.at(0).at("schema") = {
      {"openAPIV3Schema", {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}};
  patch(crds(), kDefinition, {{"spec", {{"versions", versions}}}});
}

void MachineSetFixture::make_as_a_set_does(std::string_view name) {
  must(user.patch(
      kube::resource_of<api::Machine>(), key(name),
      kube::apply_intent(api::to_json(*new_machine(adjusted(set(), nullptr), name))),
      {.type = kube::PatchType::Apply, .field_manager = std::string(api::field_manager::kMachineSet)},
      Deadline::never()));
}

void MachineSetFixture::start() {
  start_informers();
  settle(std::chrono::seconds(1));
  start_controller();
  settle();
}

std::vector<json::value> MachineSetFixture::all(const kube::Resource& resource) {
  const auto list = user.list(resource, {.namespace_ = std::string(builders::kNamespace)}, Deadline::never());
  std::vector<json::value> found;
  if (!list) return found;
  for (const auto& item : list->at("items").as_array()) found.push_back(item);
  return found;
}

std::vector<std::string> MachineSetFixture::names_of(const kube::Resource& resource) {
  std::vector<std::string> found;
  for (const auto& item : all(resource)) found.emplace_back(item.at("metadata").at("name").as_string());
  return found;
}

std::vector<api::Machine> MachineSetFixture::machines() {
  std::vector<api::Machine> found;
  for (const auto& item : all(kube::resource_of<api::Machine>()))
    found.push_back(*api::from_json<api::Machine>(item));
  return found;
}

std::string MachineSetFixture::says(std::string_view type) {
  const auto now = set();
  const auto found = api::conditions::find(now.status.conditions, type);
  return found == nullptr ? std::string("absent")
                          : found->status.str() + " " + found->reason.str() + ": " + found->message.str();
}

std::vector<std::string> MachineSetFixture::owners_of(const kube::Resource& resource) {
  std::vector<std::string> found;
  for (const auto& item : all(resource)) {
    const auto object = *api::from_json<api::contract::ContractObject>(item);
    for (const auto& owner : *object.metadata.owner_references) {
      found.push_back(fmt::format("{} {}{}", owner.kind.view(), owner.name.view(),
                                  owner.is_controller() ? ", controller" : ""));
    }
  }
  return found;
}

void in_simulation(const std::function<void(MachineSetFixture&)>& body, bool braked) {
  constexpr std::uint64_t kSeeds = 3;
  under_seeds(
      [&](fakes::Baton& baton) {
        MachineSetFixture stage(baton, braked);
        body(stage);
      },
      kSeeds);
}

std::size_t count_of(const std::vector<std::string>& writes, std::string_view what) {
  return static_cast<std::size_t>(std::ranges::count(writes, what));
}

}  // namespace capstan::controllers::machineset
