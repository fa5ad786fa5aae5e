#include "controllers/shared/controller_fixture.h"

#include <memory>
#include <utility>

#include "controllers/shared/referrers.h"
#include "runtime/informer.h"

namespace capstan::controllers {

ControllerSurroundings::ControllerSurroundings(FixtureServer& server, ControllerRunOptions options)
    : memory(server.api, server.baton, {.user = "manager", .user_agent = "manager/1"}),
      network(memory, server.baton, server.baton,
              {.choose = [this](const auto& at) { return choose ? choose(at) : fakes::Fault::None; },
               .span = [this] { return fault_span; },
               .on_effect =
                   [this](const fakes::FaultPoint& at) {
                     writes.push_back(std::string(to_string(at.call)) + " " + std::string(at.kind));
                   }}),
      client(network),
      server_(server),
      options_(std::move(options)),
      loop_(server.baton, server.baton),
      informers_({.loop = loop_, .client = network}),
      deps_{.clock = server.baton,
            .threads = server.baton,
            .client = client,
            .caches = caches,
            .workload_clusters = workload_clusters,
            .events = server.events,
            .names = generated_names,
            .brake = options_.braked ? static_cast<const runtime::Brake&>(shut_brake_) : open_brake_,
            .watch_filter = options_.watch_filter} {
  watch_kinds();
}

void ControllerSurroundings::delay_watch(std::string_view kind, Nanoseconds span) {
  fault_span = span;
  choose = [kind = std::string(kind)](const fakes::FaultPoint& at) {
    return at.call == fakes::Call::Piece && at.kind == kind ? fakes::Fault::Stale : fakes::Fault::None;
  };
}

Host ControllerSurroundings::host() {
  return {.consistency = controller_->consistency(), .externals = *externals_, .queue = controller_->queue()};
}

void ControllerSurroundings::carry(runtime::Reconciler& reconciler) {
  controller_.emplace(
      runtime::ControllerDeps{
          .clock = deps_.clock, .threads = deps_.threads, .client = client, .randomness = randomness_},
      runtime::ControllerOptions{.name = options_.name,
                                 .kind = options_.kind,
                                 .concurrency = options_.concurrency,
                                 .queue = {.pace = options_.pace}},
      reconciler);
  externals_.emplace(informers_, caches.crds,
                     runtime::ExternalRefs::Owner{.group = api::group::kCluster,
                                                  .kind = options_.kind,
                                                  .referrers = referrers_of_kind(caches, options_.kind)},
                     controller_->queue());
}

template <typename T>
void ControllerSurroundings::watch(runtime::Store<T>& store, const kube::Resource& resource) {
  auto informer =
      std::make_shared<runtime::Informer<T>>(runtime::InformerDeps{.loop = loop_, .client = network},
                                             kube::WatchTarget{.resource = resource}, store);
  starts_.push_back([informer] { informer->start(); });
  stops_.push_back([informer] { informer->stop(); });
}

void ControllerSurroundings::watch_kinds() {
  watch(caches.crds, kube::resources::custom_resource_definitions());
  watch(caches.clusters, kube::resource_of<api::Cluster>());
  watch(caches.machines, kube::resource_of<api::Machine>());
  watch(caches.machine_sets, kube::resource_of<api::MachineSet>());
  watch(caches.machine_deployments, kube::resource_of<api::MachineDeployment>());
  watch(caches.machine_pools, kube::resource_of<api::MachinePool>());
  watch(caches.machine_health_checks, kube::resource_of<api::MachineHealthCheck>());
  watch(caches.machine_drain_rules, kube::resource_of<api::MachineDrainRule>());
  watch(caches.machine_lifecycle_policies, kube::resource_of<api::MachineLifecyclePolicy>());
  watch(caches.fleet_policies, kube::resource_of<api::FleetPolicy>());
}

void ControllerSurroundings::start_informers() {
  for (const auto& start : starts_) start();
}

void ControllerSurroundings::start_controller() {
  controller_->start();
  running_ = true;
}

bool ControllerSurroundings::stop_controller() {
  if (!std::exchange(running_, false)) return false;
  controller_->stop();
  return true;
}

void ControllerSurroundings::stop_informers() {
  for (const auto& stop : stops_) stop();
}

}  // namespace capstan::controllers
