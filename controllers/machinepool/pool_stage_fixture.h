// A stage for whole turns of the MachinePool controller: pool mp1 of Cluster c1 with its provider's objects,
// an API server for c1 that knows the Nodes put there, and both providers played by the test.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "api/conditions/conditions.h"
#include "controllers/machinepool/reconciler.h"
#include "controllers/machinepool/seen_fixture.h"
#include "controllers/shared/stage_fixture.h"

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

 protected:
  apiserver::Api workload_api_;
  fakes::MemoryClient workload_memory_;

 public:
  NotingClient workload;
};

// Pool mp1 of Cluster c1 with its provider's objects; the API server of c1 knows the Nodes put there.
class PoolStage : public WorkloadServer, public Stage<Reconciler> {
 public:
  explicit PoolStage(fakes::Baton& with, Nanoseconds pace = std::chrono::seconds(1),
                     std::string_view contract = "v1beta2")
      : WorkloadServer(with), Stage(with, "machinepool", api::kind::kMachinePool, pace) {
    for (const auto& kind : {kBoxPools, kBoxes, kConfigs}) make(kCrds, provider_crd(kind, contract));
    put(builders::a_cluster().infrastructure_provisioned().build());
  }

  void make_pool(const api::MachinePool& pool = a_pool(2)) {
    put_provider(kConfigs, kPool);
    put_provider(kBoxPools, kPool);
    json::value document = api::to_json(pool);
    document.at("metadata").as_object().erase("finalizers");
    make(kPools, std::move(document));
  }
  void bootstrap_is_done(std::string_view secret = "data") {
    patch(kConfigs, kPool,
          {{"status", {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", secret}}}},
          "status");
  }
  void infrastructure_has(const std::vector<std::string>& nodes, json::object status = {}) {
    json::array ids;
    for (const auto& node : nodes) ids.push_back(json::value(id_of(node)));
    patch(kBoxPools, kPool, {{"spec", {{"providerIDList", std::move(ids)}}}});
    if (!status.contains("initialization")) status["ready"] = true;
    if (!status.contains("replicas")) status["replicas"] = nodes.size();
    patch(kBoxPools, kPool, {{"status", std::move(status)}}, "status");
  }
  void make_box(std::string_view name) {
    json::object box = {
        {"apiVersion", kBoxes.api_version()},
        {"kind", kBoxes.kind},
        {"metadata",
         {{"name", name},
          {"namespace", "default"},
          {"labels", {{"cluster.x-k8s.io/cluster-name", "c1"}, {"cluster.x-k8s.io/pool-name", kPool}}}}},
        {"spec", {{"providerID", id_of(name)}}}};
    make(kBoxes, std::move(box));
  }
  // In the cache and on the server.
  void make_node(api::Node node) {
    const json::value document = {{"apiVersion", "v1"},
                                  {"kind", "Node"},
                                  {"metadata", {{"name", node.metadata.name.view()}}},
                                  {"spec", {{"providerID", node.spec.provider_id.view()}}}};
    const auto made = workload_memory_.create(kube::resources::nodes(), {}, document, {}, Deadline::never());
    ASSERT_TRUE(made) << made.error().describe();
    node.metadata.uid = api::Uid(std::string_view(made->at("metadata").at("uid").as_string()));
    workload_clusters.put_node(kTheCluster, node);
  }
  // So many writes have been there that the versions of the server are ahead of those the fake cache gives:
  // as in life, the cache has not seen what we wrote last.
  void let_the_watch_be_late() {
    for (int i = 0; i < 1200; ++i) {
      const json::value document = {
          {"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "other-" + std::to_string(i)}}}};
      ASSERT_TRUE(workload_memory_.create(kube::resources::nodes(), {}, document, {}, Deadline::never()));
    }
  }
  // What the server knows of it, now in the cache.
  void watch_node(std::string_view name) {
    const auto live =
        workload_memory_.get(kube::resources::nodes(), {.name = std::string(name)}, Deadline::never());
    ASSERT_TRUE(live);
    auto node = api::from_json<api::Node>(*live).value();
    node.status = builders::a_node(name).build().status;
    workload_clusters.put_node(kTheCluster, node);
  }
  bool node_exists(std::string_view name) {
    return workload_memory_.get(kube::resources::nodes(), {.name = std::string(name)}, Deadline::never())
        .has_value();
  }
  // Without an owner, Ready.
  void make_pod(std::string_view name, std::string_view on, std::string_view app = "web") {
    const kube::ObjectKey key{.namespace_ = "default", .name = std::string(name)};
    const json::value pod = {
        {"apiVersion", "v1"},
        {"kind", "Pod"},
        {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{"app", app}}}}},
        {"spec",
         {{"nodeName", on},
          {"terminationGracePeriodSeconds", 0},
          {"containers", json::array{{{"name", "c"}, {"image", "i"}}}}}}};
    const auto made = workload_memory_.create(kube::resources::pods(), key, pod, {}, Deadline::never());
    ASSERT_TRUE(made) << made.error().describe();
    const json::value running = {
        {"status",
         {{"phase", "Running"}, {"conditions", json::array{{{"type", "Ready"}, {"status", "True"}}}}}}};
    ASSERT_TRUE(workload_memory_.patch(kube::resources::pods(), key, running, {.subresource = "status"},
                                       Deadline::never()));
  }
  bool has_pod(std::string_view name) {
    return workload_memory_
        .get(kube::resources::pods(), {.namespace_ = "default", .name = std::string(name)}, Deadline::never())
        .has_value();
  }
  // For the Pods of app "web".
  void make_budget(std::string_view name, int may_be_missing) {
    const json::value budget = {
        {"apiVersion", "policy/v1"},
        {"kind", "PodDisruptionBudget"},
        {"metadata", {{"name", name}, {"namespace", "default"}}},
        {"spec", {{"selector", {{"matchLabels", {{"app", "web"}}}}}, {"maxUnavailable", may_be_missing}}}};
    const auto made = workload_memory_.create(kube::resources::pod_disruption_budgets(),
                                              {.namespace_ = "default", .name = std::string(name)}, budget,
                                              {}, Deadline::never());
    ASSERT_TRUE(made) << made.error().describe();
    let_workload_controllers_run();
  }
  void relax_budget(std::string_view name, int may_be_missing) {
    const auto changed = workload_memory_.patch(
        kube::resources::pod_disruption_budgets(), {.namespace_ = "default", .name = std::string(name)},
        {{"spec", {{"maxUnavailable", may_be_missing}}}}, {}, Deadline::never());
    ASSERT_TRUE(changed) << changed.error().describe();
    let_workload_controllers_run();
  }
  // What Pod "web" had on it: claim default/data.
  void attach_disk(std::string_view node) {
    const auto put = [&](const kube::Resource& kind, std::string_view name, const json::value& object) {
      const auto made =
          workload_memory_.create(kind, {.name = std::string(name)}, object, {}, Deadline::never());
      ASSERT_TRUE(made) << made.error().describe();
    };
    put({.version = "v1", .plural = "persistentvolumes", .kind = "PersistentVolume", .namespaced = false},
        "pv",
        {{"apiVersion", "v1"},
         {"kind", "PersistentVolume"},
         {"metadata", {{"name", "pv"}}},
         {"spec",
          {{"capacity", {{"storage", "1Gi"}}},
           {"accessModes", json::array{"ReadWriteOnce"}},
           {"csi", {{"driver", "disk"}, {"volumeHandle", "h"}}},
           {"claimRef", {{"kind", "PersistentVolumeClaim"}, {"namespace", "default"}, {"name", "data"}}}}}});
    put(kAttachments, "va",
        {{"apiVersion", "storage.k8s.io/v1"},
         {"kind", "VolumeAttachment"},
         {"metadata", {{"name", "va"}}},
         {"spec", {{"attacher", "disk"}, {"nodeName", node}, {"source", {{"persistentVolumeName", "pv"}}}}}});
    ASSERT_TRUE(workload_memory_.patch(kAttachments, {.name = "va"}, {{"status", {{"attached", true}}}},
                                       {.subresource = "status"}, Deadline::never()));
  }
  void detach_disk() {
    ASSERT_TRUE(workload_memory_.remove(kAttachments, {.name = "va"}, {}, Deadline::never()));
  }
  void let_workload_controllers_run() {
    while (workload_api_.run_controllers()) {
    }
  }
  api::Node node(std::string_view name) {
    return kube::get<api::Node>(workload_memory_, {.name = std::string(name)}, Deadline::never()).value();
  }
  // On the server and in the cache.
  void annotate_node(std::string_view name, std::string_view key, std::string_view value) {
    json::object annotations;
    annotations[key] = value;
    const json::value patch = {{"metadata", {{"annotations", std::move(annotations)}}}};
    ASSERT_TRUE(workload_memory_.patch(kube::resources::nodes(), {.name = std::string(name)}, patch, {},
                                       Deadline::never()));
    watch_node(name);
  }
  void cordon_node(std::string_view name) {
    ASSERT_TRUE(workload_memory_.patch(kube::resources::nodes(), {.name = std::string(name)},
                                       {{"spec", {{"unschedulable", true}}}}, {}, Deadline::never()));
    watch_node(name);
  }
  Time now_minus(Seconds span) {
    return Time::from_unix(Time::from(baton.now()).unix_seconds() - span.count());
  }
  void connect() { workload_clusters.connect(kTheCluster, &workload); }

  // Two Nodes, all well.
  void run_two() {
    make_pool();
    connect();
    start();
    bootstrap_is_done();
    infrastructure_has({"n1", "n2"});
    make_node(builders::a_node("n1"));
    make_node(builders::a_node("n2"));
    settle();
    watch_node("n1");
    watch_node("n2");
    settle();
    ASSERT_EQ(pool().status.phase, "Running");
    (void)requests();
    workload.notes.clear();
    events.told.clear();
  }

  api::MachinePool pool() { return read<api::MachinePool>(kPool); }
  std::string shown(std::string_view type) {
    const auto found = pool();
    const auto condition = api::conditions::find(found.status.conditions, type);
    return condition == nullptr ? "absent" : condition->status.str() + " " + condition->reason.str();
  }
  std::vector<std::string> refs() {
    std::vector<std::string> names;
    for (const auto& ref : pool().status.node_refs) names.push_back(ref.name.str());
    return names;
  }
};

inline void on_stage(const std::function<void(PoolStage&)>& body,
                     Nanoseconds pace = std::chrono::seconds(1)) {
  under_seeds([&](fakes::Baton& baton) {
    PoolStage stage(baton, pace);
    body(stage);
  });
}

}  // namespace capstan::controllers::machinepool
