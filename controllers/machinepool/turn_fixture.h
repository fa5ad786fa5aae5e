// MachinePoolFixture: a management cluster with pool mp1 of Cluster c1, its provider's objects and the
// MachinePool controller, and an API server of c1 that knows the Nodes put there, for tests of whole turns.
// Both providers are played by the test. in_simulation() plays a test under five seeds. Runs inside a Baton.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/machinepool/reconciler.h"
#include "controllers/machinepool/seen_fixture.h"
#include "controllers/shared/controller_fixture.h"

namespace capstan::controllers::machinepool {

inline const kube::Resource& kCrds = kube::resources::custom_resource_definitions();
inline const kube::Resource kMachines = kube::resource_of<api::Machine>();
inline const kube::Resource kPools = kube::resource_of<api::MachinePool>();
inline const kube::Resource kClusters = kube::resource_of<api::Cluster>();
inline const kube::Resource kAttachments{.group = "storage.k8s.io",
                                         .version = "v1",
                                         .plural = "volumeattachments",
                                         .kind = "VolumeAttachment",
                                         .namespaced = false};
inline const kube::ObjectKey kTheCluster{.namespace_ = "default", .name = "c1"};

// The API server of c1. Drains that are under way when a test ends watch it until the controller is gone.
class WorkloadServer {
 public:
  explicit WorkloadServer(fakes::Baton& with)
      : workload_api_({.clock = with}), workload_memory_(workload_api_, with), workload(workload_memory_) {}

  // Without an owner, Ready.
  void make_pod(std::string_view name, std::string_view on, std::string_view app = "web");
  bool has_pod(std::string_view name);
  // For the Pods of app "web".
  void make_budget(std::string_view name, int may_be_missing);
  void relax_budget(std::string_view name, int may_be_missing);
  // What Pod "web" had on it: claim default/data.
  void attach_disk(std::string_view node);
  void detach_disk();
  // So many writes have been there that the versions of the server are ahead of those the fake cache gives:
  // as in life, the cache has not seen what we wrote last.
  void let_the_watch_be_late();
  void let_workload_controllers_run();
  api::Node node(std::string_view name);
  bool node_exists(std::string_view name);

 protected:
  void make_in_workload(const kube::Resource& resource, const json::value& object);
  void patch_node(std::string_view name, const json::value& body);

  apiserver::Api workload_api_;
  fakes::MemoryClient workload_memory_;

 public:
  fakes::RecordingClient workload;
};

class MachinePoolFixture : public WorkloadServer, public ControllerFixture<Reconciler> {
 public:
  explicit MachinePoolFixture(fakes::Baton& with, Nanoseconds pace = std::chrono::seconds(1),
                              std::string_view contract = "v1beta2");

  // --- the user and the providers ---
  void make_pool(const api::MachinePool& pool = a_pool(2));
  void bootstrap_is_done(std::string_view secret = "data");
  void infrastructure_has(const std::vector<std::string>& nodes, json::object status = {});
  void make_box(std::string_view name);
  void connect() { workload_clusters.connect(kTheCluster, &workload); }
  // Two Nodes, all well.
  void run_two();

  // --- Nodes, on the server and in the cache ---
  void make_node(api::Node node);
  // What the server knows of it, now in the cache.
  void watch_node(std::string_view name);
  void annotate_node(std::string_view name, std::string_view key, std::string_view value);
  void cordon_node(std::string_view name);

  // --- what has become of it ---
  Time now_minus(Seconds span);
  api::MachinePool pool() { return read<api::MachinePool>(kPool); }
  std::string shown(std::string_view type);
  std::vector<std::string> refs();
};

void in_simulation(const std::function<void(MachinePoolFixture&)>& body,
                   Nanoseconds pace = std::chrono::seconds(1));

}  // namespace capstan::controllers::machinepool
