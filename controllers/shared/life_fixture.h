// One life of a controller, for tests of restarts: caches, queue and reconciler of its own, so that the next
// life knows only what stands on objects. Its server, users and events are those of a Stage, which is not
// started itself. Runs inside a Baton.
#pragma once

#include "controllers/shared/stage_fixture.h"

namespace capstan::controllers {

template <typename R>
class Life {
 public:
  Life(Stage<R>& stage, std::string_view name, std::string_view kind,
       Nanoseconds pace = std::chrono::seconds(1))
      : stage_(stage),
        memory_(stage.api, stage.baton, {.user_agent = "manager/1"}),
        client(memory_),
        loop_(stage.baton, stage.baton),
        informers_({.loop = loop_, .client = memory_}),
        deps_{.clock = stage.baton,
              .threads = stage.baton,
              .client = client,
              .caches = caches,
              .workload_clusters = workload_clusters,
              .events = stage.events,
              .names = names_,
              .brake = brake_},
        reconciler_(deps_),
        controller_(
            {.clock = stage.baton, .threads = stage.baton, .client = client, .randomness = randomness_},
            {.name = std::string(name), .kind = std::string(kind), .concurrency = 2, .queue = {.pace = pace}},
            reconciler_),
        externals_(informers_, caches.crds, {.group = api::group::kCluster, .kind = kind},
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
    if constexpr (requires { reconciler_.rest(); }) reconciler_.rest();
    for (auto& stop : stop_) stop();
  }
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  // Call it once its workload clusters are as it shall find them.
  void start() {
    for (auto& start_one : start_) start_one();
    stage_.settle();
    controller_.start();
    started_ = true;
    stage_.settle();
  }
  // What it asked of the server since the last call.
  std::vector<std::string> requests() { return std::exchange(client.notes, {}); }

 private:
  class Names final : public NameGenerator {
   public:
    std::string suffix(std::size_t length) override { return std::string(length, 'x'); }
  };

  template <typename T>
  void watch(runtime::Store<T>& store, const kube::Resource& resource) {
    auto informer =
        std::make_shared<runtime::Informer<T>>(runtime::InformerDeps{.loop = loop_, .client = memory_},
                                               kube::WatchTarget{.resource = resource}, store);
    start_.push_back([informer] { informer->start(); });
    stop_.push_back([informer] { informer->stop(); });
  }
  template <typename T>
  void watch_kind(runtime::Store<T>& store) {
    watch(store, kube::resource_of<T>());
  }

  Stage<R>& stage_;
  fakes::MemoryClient memory_;

 public:
  NotingClient client;
  Caches caches;
  fakes::FakeWorkloadClusters workload_clusters;

 private:
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
