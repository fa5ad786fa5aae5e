// One life of a controller on a StageServer: caches, queue, gate and reconciler of its own, so that the next
// life knows only what stands on objects. Workload clusters are played by the test. Runs inside a Baton.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controllers/shared/deps.h"
#include "controllers/shared/referrers.h"
#include "controllers/shared/stage_server_fixture.h"
#include "kube/watch_loop.h"
#include "runtime/controller.h"
#include "runtime/dynamic_informers.h"
#include "runtime/informer.h"
#include "test/fakes/fake_workload_clusters.h"

namespace capstan::controllers {

template <typename R>
class Life {
 public:
  Life(StageServer& server, std::string_view name, std::string_view kind,
       Nanoseconds pace = std::chrono::seconds(1))
      : memory(server.api, server.baton, {.user_agent = "manager/1"}),
        client(memory),
        server_(server),
        loop_(server.baton, server.baton),
        informers_({.loop = loop_, .client = memory}),
        deps_{.clock = server.baton,
              .threads = server.baton,
              .client = client,
              .caches = caches,
              .workload_clusters = workload_clusters,
              .events = server.events,
              .names = names_,
              .brake = brake_},
        reconciler_(deps_),
        controller_(
            {.clock = server.baton, .threads = server.baton, .client = client, .randomness = randomness_},
            {.name = std::string(name), .kind = std::string(kind), .concurrency = 2, .queue = {.pace = pace}},
            reconciler_),
        externals_(
            informers_, caches.crds,
            {.group = api::group::kCluster, .kind = kind, .referrers = referrers_of_kind(caches, kind)},
            controller_.queue()) {
    reconciler_.bind({controller_.consistency(), externals_, controller_.queue()});
    reconciler_.add_triggers(controller_.queue());
    watch(caches.crds, kube::resources::custom_resource_definitions());
    watch_kind(caches.clusters);
    watch_kind(caches.machines);
    watch_kind(caches.machine_sets);
    watch_kind(caches.machine_deployments);
    watch_kind(caches.machine_pools);
    watch_kind(caches.machine_health_checks);
    watch_kind(caches.machine_lifecycle_policies);
  }
  ~Life() {
    if (started_) controller_.stop();
    // What a reconciler watches by itself wakes a queue that goes before it does.
    if constexpr (requires { reconciler_.stop_drains(); }) reconciler_.stop_drains();
    for (auto& stop : stop_) stop();
  }
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  // Call it once the world is as the controller shall find it.
  void start() {
    for (auto& start_one : start_) start_one();
    server_.settle();
    controller_.start();
    started_ = true;
    server_.settle();
  }
  // What the controller asked of the server since the last call.
  std::vector<std::string> requests() { return std::exchange(client.notes, {}); }

  fakes::MemoryClient memory;
  NotingClient client;
  Caches caches;
  fakes::FakeWorkloadClusters workload_clusters;

 private:
  class Names final : public NameGenerator {
   public:
    std::string suffix(std::size_t length) override { return std::string(length, 'x'); }
  };

  template <typename T>
  void watch(runtime::Store<T>& store, const kube::Resource& resource) {
    auto informer =
        std::make_shared<runtime::Informer<T>>(runtime::InformerDeps{.loop = loop_, .client = memory},
                                               kube::WatchTarget{.resource = resource}, store);
    start_.push_back([informer] { informer->start(); });
    stop_.push_back([informer] { informer->stop(); });
  }
  template <typename T>
  void watch_kind(runtime::Store<T>& store) {
    watch(store, kube::resource_of<T>());
  }

  StageServer& server_;
  kube::WatchLoop loop_;
  Names names_;
  runtime::OpenBrake brake_;
  SeededRandomness randomness_{1};
  runtime::DynamicInformers informers_;
  Deps deps_;
  R reconciler_;
  runtime::Controller controller_;
  runtime::ExternalRefs externals_;
  std::vector<std::function<void()>> start_ = {};
  std::vector<std::function<void()>> stop_ = {};
  bool started_ = false;
};

}  // namespace capstan::controllers
