#include "controllers/machinepool/turn_fixture.h"

#include <utility>

#include "api/conditions/conditions.h"

namespace capstan::controllers::machinepool {

namespace {

const kube::Resource kVolumes{
    .version = "v1", .plural = "persistentvolumes", .kind = "PersistentVolume", .namespaced = false};

kube::ObjectKey in_default(std::string_view name) {
  return {.namespace_ = "default", .name = std::string(name)};
}

}  // namespace

// --- the workload cluster ---

void WorkloadServer::make_in_workload(const kube::Resource& resource, const json::value& object) {
  const std::string name(object.at("metadata").at("name").as_string());
  must(workload_memory_.create(resource,
                               resource.namespaced ? in_default(name) : kube::ObjectKey{.name = name}, object,
                               {}, Deadline::never()));
}

void WorkloadServer::make_pod(std::string_view name, std::string_view on, std::string_view app) {
  make_in_workload(kube::resources::pods(),
                   {{"apiVersion", "v1"},
                    {"kind", "Pod"},
                    {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{"app", app}}}}},
                    {"spec",
                     {{"nodeName", on},
                      {"terminationGracePeriodSeconds", 0},
                      {"containers", json::array{{{"name", "c"}, {"image", "i"}}}}}}});
  const json::value running = {
      {"status",
       {{"phase", "Running"}, {"conditions", json::array{{{"type", "Ready"}, {"status", "True"}}}}}}};
  must(workload_memory_.patch(kube::resources::pods(), in_default(name), running, {.subresource = "status"},
                              Deadline::never()));
}

bool WorkloadServer::has_pod(std::string_view name) {
  return workload_memory_.get(kube::resources::pods(), in_default(name), Deadline::never()).has_value();
}

void WorkloadServer::make_budget(std::string_view name, int may_be_missing) {
  make_in_workload(
      kube::resources::pod_disruption_budgets(),
      {{"apiVersion", "policy/v1"},
       {"kind", "PodDisruptionBudget"},
       {"metadata", {{"name", name}, {"namespace", "default"}}},
       {"spec", {{"selector", {{"matchLabels", {{"app", "web"}}}}}, {"maxUnavailable", may_be_missing}}}});
  let_workload_controllers_run();
}

void WorkloadServer::relax_budget(std::string_view name, int may_be_missing) {
  must(workload_memory_.patch(kube::resources::pod_disruption_budgets(), in_default(name),
                              {{"spec", {{"maxUnavailable", may_be_missing}}}}, {}, Deadline::never()));
  let_workload_controllers_run();
}

void WorkloadServer::attach_disk(std::string_view node) {
  make_in_workload(
      kVolumes,
      {{"apiVersion", "v1"},
       {"kind", "PersistentVolume"},
       {"metadata", {{"name", "pv"}}},
       {"spec",
        {{"capacity", {{"storage", "1Gi"}}},
         {"accessModes", json::array{"ReadWriteOnce"}},
         {"csi", {{"driver", "disk"}, {"volumeHandle", "h"}}},
         {"claimRef", {{"kind", "PersistentVolumeClaim"}, {"namespace", "default"}, {"name", "data"}}}}}});
  make_in_workload(
      kAttachments,
      {{"apiVersion", "storage.k8s.io/v1"},
       {"kind", "VolumeAttachment"},
       {"metadata", {{"name", "va"}}},
       {"spec", {{"attacher", "disk"}, {"nodeName", node}, {"source", {{"persistentVolumeName", "pv"}}}}}});
  must(workload_memory_.patch(kAttachments, {.name = "va"}, {{"status", {{"attached", true}}}},
                              {.subresource = "status"}, Deadline::never()));
}

void WorkloadServer::detach_disk() {
  must(workload_memory_.remove(kAttachments, {.name = "va"}, {}, Deadline::never()));
}

void WorkloadServer::let_the_watch_be_late() {
  for (int i = 0; i < 1200; ++i) {
    make_in_workload(
        kube::resources::nodes(),
        {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "other-" + std::to_string(i)}}}});
  }
}

void WorkloadServer::let_workload_controllers_run() {
  while (workload_api_.run_controllers()) {
  }
}

api::Node WorkloadServer::node(std::string_view name) {
  return kube::get<api::Node>(workload_memory_, {.name = std::string(name)}, Deadline::never()).value();
}

bool WorkloadServer::node_exists(std::string_view name) {
  return workload_memory_.get(kube::resources::nodes(), {.name = std::string(name)}, Deadline::never())
      .has_value();
}

void WorkloadServer::patch_node(std::string_view name, const json::value& body) {
  must(workload_memory_.patch(kube::resources::nodes(), {.name = std::string(name)}, body, {},
                              Deadline::never()));
}

// --- the management cluster ---

MachinePoolFixture::MachinePoolFixture(fakes::Baton& with, Nanoseconds pace, std::string_view contract)
    : WorkloadServer(with),
      ControllerFixture(with, {.name = "machinepool", .kind = "MachinePool", .pace = pace}) {
  for (const auto& kind : {kBoxPools, kBoxes, kConfigs}) make(kCrds, provider_crd(kind, contract));
  put(builders::a_cluster().infrastructure_provisioned().build());
}

void MachinePoolFixture::make_pool(const api::MachinePool& pool) {
  put_provider(kConfigs, kPool);
  put_provider(kBoxPools, kPool);
  json::value document = api::to_json(pool);
  document.at("metadata").as_object().erase("finalizers");
  make(kPools, std::move(document));
}

void MachinePoolFixture::bootstrap_is_done(std::string_view secret) {
  patch(kConfigs, kPool,
        {{"status", {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", secret}}}},
        "status");
}

void MachinePoolFixture::infrastructure_has(const std::vector<std::string>& nodes, json::object status) {
  json::array ids;
  for (const auto& node : nodes) ids.push_back(json::value(id_of(node)));
  patch(kBoxPools, kPool, {{"spec", {{"providerIDList", std::move(ids)}}}});
  if (!status.contains("initialization")) status["ready"] = true;
  if (!status.contains("replicas")) status["replicas"] = nodes.size();
  patch(kBoxPools, kPool, {{"status", std::move(status)}}, "status");
}

void MachinePoolFixture::make_box(std::string_view name) {
  make(kBoxes,
       {{"apiVersion", kBoxes.api_version()},
        {"kind", kBoxes.kind},
        {"metadata",
         {{"name", name},
          {"namespace", "default"},
          {"labels", {{"cluster.x-k8s.io/cluster-name", "c1"}, {"cluster.x-k8s.io/pool-name", kPool}}}}},
        {"spec", {{"providerID", id_of(name)}}}});
}

void MachinePoolFixture::run_two() {
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
  client.forget();
  workload.forget();
  events.events.clear();
}

void MachinePoolFixture::make_node(api::Node node) {
  const std::string name = node.metadata.name.str();
  make_in_workload(kube::resources::nodes(), {{"apiVersion", "v1"},
                                              {"kind", "Node"},
                                              {"metadata", {{"name", name}}},
                                              {"spec", {{"providerID", node.spec.provider_id.view()}}}});
  node.metadata.uid = WorkloadServer::node(name).metadata.uid;
  workload_clusters.put_node(kTheCluster, node);
}

void MachinePoolFixture::watch_node(std::string_view name) {
  auto live = node(name);
  live.status = builders::a_node(name).build().status;
  workload_clusters.put_node(kTheCluster, live);
}

void MachinePoolFixture::annotate_node(std::string_view name, std::string_view key, std::string_view value) {
  json::object annotations;
  annotations[key] = value;
  patch_node(name, {{"metadata", {{"annotations", std::move(annotations)}}}});
  watch_node(name);
}

void MachinePoolFixture::cordon_node(std::string_view name) {
  patch_node(name, {{"spec", {{"unschedulable", true}}}});
  watch_node(name);
}

Time MachinePoolFixture::now_minus(Seconds span) {
  return Time::from_unix(Time::from(baton.now()).unix_seconds() - span.count());
}

std::string MachinePoolFixture::shown(std::string_view type) {
  const auto found = pool();
  const auto condition = api::conditions::find(found.status.conditions, type);
  return condition == nullptr ? "absent" : condition->status.str() + " " + condition->reason.str();
}

std::vector<std::string> MachinePoolFixture::refs() {
  std::vector<std::string> found;
  for (const auto& ref : pool().status.node_refs) found.push_back(ref.name.str());
  return found;
}

void in_simulation(const std::function<void(MachinePoolFixture&)>& body, Nanoseconds pace) {
  under_seeds([&](fakes::Baton& baton) {
    MachinePoolFixture stage(baton, pace);
    body(stage);
  });
}

}  // namespace capstan::controllers::machinepool
