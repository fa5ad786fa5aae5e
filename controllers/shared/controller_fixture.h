// ControllerFixture: a management cluster with one controller in it, for tests of its whole turns: the
// embedded API server, real caches and watches, the real queue and gate, virtual time. The test plays users,
// providers and workload clusters. ControllerRun is the controller alone: a second one on the same server
// knows only what stands on objects, as after a restart. Runs inside a Baton.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/shared/deps.h"
#include "controllers/shared/server_fixture.h"
#include "kube/watch_loop.h"
#include "runtime/controller.h"
#include "runtime/dynamic_informers.h"
#include "test/fakes/counted_names.h"
#include "test/fakes/fake_workload_clusters.h"
#include "test/fakes/faulty_client.h"
#include "test/fakes/recording_client.h"
#include "test/fakes/shut_brake.h"

namespace capstan::controllers {

struct ControllerRunOptions {
  std::string name = {};                       // "machineset"
  std::string kind = {};                       // "MachineSet"
  Nanoseconds pace = std::chrono::seconds(1);  // between two turns of one object
  std::size_t concurrency = 2;
  std::string watch_filter = {};
  bool braked = false;  // nothing destructive may happen
};

// What a controller stands on; all of its own but the server.
class ControllerSurroundings {
 public:
  ControllerSurroundings(const ControllerSurroundings&) = delete;
  ControllerSurroundings& operator=(const ControllerSurroundings&) = delete;

  // What the controller asked of the server since the last call.
  std::vector<std::string> requests() { return client.take(); }
  // Changes of that kind reach its cache that much later.
  void delay_watch(std::string_view kind, Nanoseconds span);
  const Deps& deps() const { return deps_; }
  Host host();
  runtime::Queue& queue() { return controller_->queue(); }

  fakes::MemoryClient memory;
  // Of requests and watches; without one they go well.
  std::function<fakes::Fault(const fakes::FaultPoint&)> choose = {};
  Nanoseconds fault_span = std::chrono::seconds(2);  // of what is slow or late
  std::vector<std::string> writes = {};              // that took place: "create Machine"
  fakes::FaultyClient network;
  fakes::RecordingClient client;
  Caches caches;
  fakes::FakeWorkloadClusters workload_clusters;
  fakes::CountedNames generated_names;

 protected:
  ControllerSurroundings(FixtureServer& server, ControllerRunOptions options);
  ~ControllerSurroundings() = default;

  void carry(runtime::Reconciler& reconciler);  // makes the controller of it
  void start_informers();
  void start_controller();
  bool stop_controller();  // false: there is nothing to stop
  void stop_informers();

  FixtureServer& server_;

 private:
  void watch_kinds();
  template <typename T>
  void watch(runtime::Store<T>& store, const kube::Resource& resource);

  const ControllerRunOptions options_;
  kube::WatchLoop loop_;
  runtime::OpenBrake open_brake_;
  fakes::ShutBrake shut_brake_;
  SeededRandomness randomness_{1};
  runtime::DynamicInformers informers_;
  const Deps deps_;
  std::optional<runtime::Controller> controller_ = {};
  std::optional<runtime::ExternalRefs> externals_ = {};
  std::vector<std::function<void()>> starts_ = {};
  std::vector<std::function<void()>> stops_ = {};
  bool running_ = false;
};

template <typename R>
class ControllerRun : public ControllerSurroundings {
 public:
  ControllerRun(FixtureServer& server, const ControllerRunOptions& options)
      : ControllerSurroundings(server, options), reconciler_(deps()) {
    carry(reconciler_);
    reconciler_.bind(host());
    reconciler_.add_triggers(queue());
  }
  ~ControllerRun() { stop(); }

  // Call it once everything is as the controller shall find it.
  void start() {
    start_informers();
    server_.settle();
    start_controller();
    server_.settle();
  }
  void stop() {
    if (!stop_controller()) return;
    // What a reconciler watches by itself wakes a queue that goes before it does.
    if constexpr (requires { reconciler_.stop_drains(); }) reconciler_.stop_drains();
    stop_informers();
  }

 private:
  R reconciler_;
};

template <typename R>
class ControllerFixture : public FixtureServer, public ControllerRun<R> {
 public:
  ControllerFixture(fakes::Baton& with, const ControllerRunOptions& options)
      : FixtureServer(with), ControllerRun<R>(*this, options) {}
  ControllerFixture(fakes::Baton& with, const apiserver::ApiOptions& of_the_server,
                    const ControllerRunOptions& options)
      : FixtureServer(with, of_the_server), ControllerRun<R>(*this, options) {}
};

}  // namespace capstan::controllers
