#include "controllers/machinedeployment/turn_fixture.h"

#include <algorithm>
#include <tuple>

#include "api/conditions/conditions.h"

namespace capstan::controllers::machinedeployment {

std::expected<apiserver::ObjectPtr, apiserver::Response> Gatekeeper::mutate(
    const apiserver::AdmissionReviewRequest& request, std::vector<std::string>&) {
  return request.object;
}

std::optional<apiserver::Response> Gatekeeper::validate(const apiserver::AdmissionReviewRequest& request,
                                                        std::vector<std::string>&) {
  const bool concerned = request.user.name == "manager" && request.name == "stray";
  asked += concerned ? 1 : 0;
  return concerned ? answer : std::nullopt;
}

MachineDeploymentFixture::MachineDeploymentFixture(fakes::Baton& with, Seconds server_is_late)
    : ServerParts{.servers_clock = {with, server_is_late}},
      ControllerFixture(with, {.clock = servers_clock, .admission = &gatekeeper},
                        {.name = "machinedeployment", .kind = "MachineDeployment", .concurrency = 3}) {
  for (const auto& kind : {kInfraTemplates, kConfigTemplates})
    make(kube::resources::custom_resource_definitions(), provider_crd(kind));
}

void MachineDeploymentFixture::make_template(const kube::Resource& resource, std::string_view name) {
  put_provider(resource, name, {{"spec", {{"template", {{"spec", {{"size", "large"}}}}}}}});
}

void MachineDeploymentFixture::make_templates() {
  make_template(kInfraTemplates, "md1");
  make_template(kConfigTemplates, "md1");
}

void MachineDeploymentFixture::make_fleet(const api::MachineDeployment& deployment) {
  make(a_cluster().without_control_plane_ref().build());
  make_templates();
  make(deployment);
}

void MachineDeploymentFixture::start() {
  start_informers();
  settle(Seconds(1));
  start_controller();
  settle();
}

std::vector<api::MachineSet> MachineDeploymentFixture::sets() {
  const auto listed = kube::list<api::MachineSet>(user, {}, Deadline::never());
  std::vector<api::MachineSet> found = listed->items;
  std::ranges::sort(found, {}, [](const auto& set) {
    return std::tuple(set.metadata.creation_timestamp, set.metadata.name.view());
  });
  return found;
}

std::vector<std::int32_t> MachineDeploymentFixture::sizes() {
  std::vector<std::int32_t> found;
  for (const auto& set : sets()) found.push_back(set.spec.replicas.value_or(-1));
  return found;
}

std::string MachineDeploymentFixture::says(std::string_view type) {
  const auto now = deployment();
  const auto found = api::conditions::find(now.status.conditions, type);
  return found == nullptr ? std::string("absent")
                          : found->status.str() + " " + found->reason.str() + ": " + found->message.str();
}

void MachineDeploymentFixture::play_sets() {
  const std::string current(deployment().metadata.annotations.value_or_empty(annotation::kRevision));
  for (const auto& set : sets()) {
    if (set.metadata.deleting()) continue;
    api::MachineSet after = set;
    after.status.replicas = after.status.available_replicas = after.status.ready_replicas = set.spec.replicas;
    after.status.up_to_date_replicas =
        set.metadata.annotations.value_or_empty(annotation::kRevision) == current ? *set.spec.replicas : 0;
    after.status.observed_generation = set.metadata.generation;
    must(kube::patch_status(user, set, after, Deadline::never()));
  }
}

void in_simulation(const Story& story, Seconds server_is_late) {
  constexpr std::uint64_t kSeeds = 3;
  under_seeds(
      [&](fakes::Baton& baton) {
        MachineDeploymentFixture stage(baton, server_is_late);
        story(stage);
      },
      kSeeds);
}

void at_rest(const Story& story, Seconds server_is_late) {
  const auto settled = [&](MachineDeploymentFixture& stage) {
    stage.make_fleet(a_machine_deployment().replicas(3).version("v1.33.0"));
    stage.start();
    stage.play_sets();
    stage.settle();
    stage.writes.clear();
    stage.events.events.clear();
    story(stage);
  };
  in_simulation(settled, server_is_late);
}

}  // namespace capstan::controllers::machinedeployment
