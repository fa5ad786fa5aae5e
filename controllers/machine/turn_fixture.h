// A management cluster with one Machine on its way, for tests of whole turns: the embedded API server, real
// caches, the real queue and gate, the Machine controller; providers, the user and the workload cluster are
// played by the test. Everything the controller writes is recorded. Runs inside a Baton.
#pragma once

#include <atomic>
#include <boost/json.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/contract/contract_object.h"
#include "apiserver/api.h"
#include "controllers/machine/reconciler.h"
#include "kube/watch_loop.h"
#include "runtime/controller.h"
#include "runtime/dynamic_informers.h"
#include "runtime/informer.h"
#include "test/fakes/baton.h"
#include "test/fakes/fake_workload_clusters.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/recorded_events.h"
#include "test/fakes/scripted_client.h"

namespace capstan::controllers::machine {

namespace json = boost::json;

// One write of the controller: "patch machines/status m1", and what was sent.
struct Write {
  std::string what = {};
  json::value body = {};
};

// Hands everything on and remembers the writes.
class RecordingClient final : public kube::Client {
 public:
  explicit RecordingClient(kube::Client& inner) : inner_(inner) {}
  std::vector<Write> writes = {};
  int reads = 0;
  std::optional<Error> refusal = {};                                       // of every list
  std::string refused = {};                                                // this write is forbidden
  std::map<std::pair<std::string, std::string>, Error> seen_instead = {};  // by a get, by plural and name

  Result<json::value> get(const kube::Resource& resource, const kube::ObjectKey& key,
                          const Deadline& deadline) override {
    ++reads;
    const auto instead = seen_instead.find({resource.plural, key.name});
    if (instead != seen_instead.end()) return fail(instead->second);
    return inner_.get(resource, key, deadline);
  }
  Result<json::value> list(const kube::Resource& resource, const kube::ListOptions& options,
                           const Deadline& deadline) override {
    ++reads;
    if (refusal) return fail(*refusal);
    return inner_.list(resource, options, deadline);
  }
  Result<json::value> create(const kube::Resource& resource, const kube::ObjectKey& key,
                             const json::value& object, const kube::WriteOptions& options,
                             const Deadline& deadline) override {
    writes.push_back({"create " + resource.plural + " " + key.name, object});
    return inner_.create(resource, key, object, options, deadline);
  }
  Result<json::value> replace(const kube::Resource& resource, const kube::ObjectKey& key,
                              const json::value& object, std::string_view subresource,
                              const kube::WriteOptions& options, const Deadline& deadline) override {
    writes.push_back({"replace " + resource.plural + " " + key.name, object});
    return inner_.replace(resource, key, object, subresource, options, deadline);
  }
  Result<json::value> patch(const kube::Resource& resource, const kube::ObjectKey& key,
                            const json::value& body, const kube::PatchOptions& options,
                            const Deadline& deadline) override {
    const std::string part = options.subresource.empty() ? "" : "/" + options.subresource;
    writes.push_back({"patch " + resource.plural + part + " " + key.name, body});
    if (writes.back().what == refused) return fail(Code::Forbidden, "may not " + refused);
    return inner_.patch(resource, key, body, options, deadline);
  }
  Result<void> remove(const kube::Resource& resource, const kube::ObjectKey& key,
                      const kube::DeleteOptions& options, const Deadline& deadline) override {
    writes.push_back({"delete " + resource.plural + " " + key.name, nullptr});
    return inner_.remove(resource, key, options, deadline);
  }
  Result<void> evict(const kube::ObjectKey& pod, const kube::DeleteOptions& options,
                     const Deadline& deadline) override {
    writes.push_back({"evict " + pod.name, nullptr});
    return inner_.evict(pod, options, deadline);
  }
  Result<json::value> get_path(std::string_view path, const Deadline& deadline) override {
    return inner_.get_path(path, deadline);
  }
  Result<json::value> post_path(std::string_view path, const json::value& body,
                                const Deadline& deadline) override {
    return inner_.post_path(path, body, deadline);
  }
  std::unique_ptr<kube::Stream> list_stream(const kube::Resource& resource, const kube::ListOptions& options,
                                            kube::StreamSink& sink) override {
    return inner_.list_stream(resource, options, sink);
  }
  std::unique_ptr<kube::Stream> watch(const kube::Resource& resource, const kube::WatchOptions& options,
                                      kube::StreamSink& sink) override {
    return std::make_unique<Watch>(inner_.watch(resource, options, sink), open_watches);
  }

  std::atomic<int> open_watches = 0;

 private:
  class Watch final : public kube::Stream {
   public:
    Watch(std::unique_ptr<kube::Stream> stream, std::atomic<int>& open)
        : stream_(std::move(stream)), open_(open) {
      ++open_;
    }
    ~Watch() override { --open_; }

   private:
    const std::unique_ptr<kube::Stream> stream_;
    std::atomic<int>& open_;
  };

  kube::Client& inner_;
};

class MachineWorld {
 public:
  explicit MachineWorld(fakes::Baton& baton, std::string watch_filter = {});
  ~MachineWorld();

  // --- the user and the owner ---
  // A Cluster c1 that runs, and m1 as upstream's core makes it: its objects first, to be taken over.
  void make_cluster();
  void make_machine();
  void make_clones();
  // A paused control plane Machine, so that Nodes of workers are drained.
  void make_control_plane_machine();
  void make(const kube::Resource& resource, json::value object);
  void patch(const kube::Resource& resource, std::string_view name, const json::value& body,
             std::string_view subresource = {});
  void remove(const kube::Resource& resource, std::string_view name);

  // --- the providers ---
  void bootstrap_is_done();
  void infrastructure_is_done();

  void node_is_there(bool ready = true);

  // Starts the controller; call it when all is there that the controller is to find, or before.
  void start();
  void stop();  // for fixtures that subscribed to its caches and go first
  void settle(Nanoseconds span = std::chrono::seconds(3));

  api::Machine machine() const;
  bool exists(const kube::Resource& resource, std::string_view name);
  std::vector<std::string> what_was_written() const;
  void forget_what_happened();
  std::vector<std::string> what_the_node_got() const;

  fakes::Baton& baton;
  apiserver::Api api;
  fakes::MemoryClient user;
  fakes::MemoryClient memory;
  RecordingClient client;
  fakes::ScriptedClient node_api;
  RecordingClient workload;
  Caches caches;
  fakes::FakeWorkloadClusters workload_clusters;
  fakes::RecordedEvents events;

 private:
  class Names final : public NameGenerator {
   public:
    std::string suffix(std::size_t length) override { return std::string(length, 'x'); }
  };

  kube::WatchLoop loop_;
  Names names_;
  runtime::OpenBrake brake_;
  SeededRandomness randomness_{1};
  runtime::DynamicInformers informers_;
  Deps deps_;
  Reconciler reconciler_;
  runtime::Controller controller_;
  runtime::ExternalRefs externals_;
  runtime::Informer<api::CustomResourceDefinition> crd_informer_;
  runtime::Informer<api::Cluster> cluster_informer_;
  runtime::Informer<api::Machine> machine_informer_;
  runtime::Informer<api::MachineSet> set_informer_;
  runtime::Informer<api::MachineDeployment> deployment_informer_;
  runtime::Informer<api::MachineDrainRule> rule_informer_;
  runtime::Informer<api::MachinePool> pool_informer_;
  bool started_ = false;
};

extern const kube::Resource kDockerMachines;
extern const kube::Resource kKubeadmConfigs;
const kube::Resource& machines();
const kube::Resource& clusters();

// Under five seeds, so that no test depends on who is faster.
void in_simulation(const std::function<void(MachineWorld&)>& body, const std::string& watch_filter = {});

}  // namespace capstan::controllers::machine
