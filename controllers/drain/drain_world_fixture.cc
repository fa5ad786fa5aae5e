#include "controllers/drain/drain_world_fixture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/core/volume_attachment.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"

namespace capstan::controllers::drain {

namespace json = boost::json;

namespace {

const kube::ObjectKey kClusterKey{"default", "c1"};

api::Uid uid_of(const json::value& object) {
  return api::Uid(std::string(object.at("metadata").at("uid").as_string()));
}

json::object labels_of(const PodWish& wish) {
  json::object labels;
  for (const auto& [key, value] : wish.labels) labels[key] = value;
  return labels;
}

}  // namespace

DrainWorld::DrainWorld()
    : api({.clock = clock}),
      memory(api, clock),
      client(memory),
      machine(builders::a_machine("m").running().on_node("n").deleting()),
      cluster(builders::a_cluster("c1").running()) {
  make("v1/namespaces", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}})");
  make("v1/nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{}})");
  node_uid = uid_of(node());
  clusters.connect(kClusterKey, &client);
  set_node(builders::a_node("n"));
  drainer.emplace(DrainerDeps{.clock = clock,
                              .threads = clock,
                              .wake = [this](const kube::ObjectKey&) { woken.notify(); },
                              .metrics = &metrics});
}

DrainWorld::~DrainWorld() {
  drainer.reset();
  clusters.lose(kClusterKey);
}

// The cache shows the version the server has.
void DrainWorld::set_node(api::Node node) { clusters.put_node(kClusterKey, std::move(node)); }

void DrainWorld::node_says(std::string_view type, std::string_view status, Time since) {
  const json::value conditions = {
      {"status",
       {{"conditions", json::array{{{"type", type},
                                    {"status", status},
                                    {"reason", "Test"},
                                    {"lastTransitionTime", since.to_string()}}}}}}};
  const auto set = memory.patch(kube::resources::nodes(), {.name = "n"}, conditions,
                                {.subresource = "status"}, Deadline::never());
  ASSERT_TRUE(set) << set.error().describe();
  set_node(api::from_json<api::Node>(*set).value());
}

void DrainWorld::make(std::string_view path, std::string_view body) {
  const auto slash = path.rfind('/');
  const auto parsed = json::parse(body);
  const auto& object = parsed.as_object();
  const std::string api_version(object.at("apiVersion").as_string());
  const auto group = kube::group_version(api_version);
  const auto& metadata = object.at("metadata").as_object();
  const bool namespaced = metadata.contains("namespace");
  const kube::Resource resource{.group = group.group,
                                .version = group.version,
                                .plural = std::string(path.substr(slash + 1)),
                                .kind = std::string(object.at("kind").as_string()),
                                .namespaced = namespaced};
  const kube::ObjectKey key{namespaced ? std::string(metadata.at("namespace").as_string()) : std::string(),
                            std::string(metadata.at("name").as_string())};
  const auto made = memory.create(resource, key, parsed, {}, Deadline::never());
  if (!made && made.error().code != Code::AlreadyExists) ADD_FAILURE() << made.error().describe();
  const auto* status = object.if_contains("status");
  if (made && status != nullptr) {
    const auto set =
        memory.patch(resource, key, {{"status", *status}}, {.subresource = "status"}, Deadline::never());
    if (!set) ADD_FAILURE() << set.error().describe();
  }
}

json::value DrainWorld::pod_of(const PodWish& wish) const {
  json::object metadata{{"name", wish.name}, {"namespace", wish.namespace_}, {"labels", labels_of(wish)}};
  if (!wish.daemon_set.empty()) {
    metadata["ownerReferences"] = json::array{{{"apiVersion", "apps/v1"},
                                               {"kind", "DaemonSet"},
                                               {"name", wish.daemon_set},
                                               {"uid", daemon_set_uids.at(wish.daemon_set)},
                                               {"controller", true}}};
  }
  json::object spec{{"nodeName", wish.node},
                    {"terminationGracePeriodSeconds", wish.grace},
                    {"priority", wish.priority},
                    {"containers", {{{"name", "c"}, {"image", "i"}}}}};
  if (!wish.claim.empty()) {
    spec["volumes"] = json::array{{{"name", "v"}, {"persistentVolumeClaim", {{"claimName", wish.claim}}}}};
  }
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", metadata}, {"spec", spec}};
}

void DrainWorld::daemon_set(std::string_view name) {
  make("apps/v1/daemonsets",
       R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"namespace":"default","name":")" +
           std::string(name) + R"("},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{
             "metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  const auto made =
      memory.get({.group = "apps", .version = "v1", .plural = "daemonsets", .kind = "DaemonSet"},
                 {"default", std::string(name)}, Deadline::never());
  daemon_set_uids[std::string(name)] = made.value().at("metadata").at("uid").as_string();
}

void DrainWorld::pod(const PodWish& wish) {
  const kube::ObjectKey key{wish.namespace_, wish.name};
  const auto made = memory.create(kube::resources::pods(), key, pod_of(wish), {}, Deadline::never());
  if (!made) ADD_FAILURE() << made.error().describe();
  const json::value running{
      {"status",
       {{"phase", "Running"}, {"conditions", json::array{{{"type", "Ready"}, {"status", "True"}}}}}}};
  const auto set =
      memory.patch(kube::resources::pods(), key, running, {.subresource = "status"}, Deadline::never());
  if (!set) ADD_FAILURE() << set.error().describe();
}

void DrainWorld::volume(std::string_view name, std::string_view claim) {
  make(
      "v1/persistentvolumes",
      json::serialize(json::object{
          {"apiVersion", "v1"},
          {"kind", "PersistentVolume"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"capacity", {{"storage", "1Gi"}}},
            {"accessModes", json::array{"ReadWriteOnce"}},
            {"csi", {{"driver", "disk"}, {"volumeHandle", name}}},
            {"claimRef", {{"kind", "PersistentVolumeClaim"}, {"namespace", "default"}, {"name", claim}}}}}}));
}

void DrainWorld::attach(std::string_view volume, std::string_view to) {
  make("storage.k8s.io/v1/volumeattachments",
       json::serialize(json::object{
           {"apiVersion", "storage.k8s.io/v1"},
           {"kind", "VolumeAttachment"},
           {"metadata", {{"name", fmt::format("{}-{}", volume, to)}}},
           {"spec", {{"attacher", "disk"}, {"nodeName", to}, {"source", {{"persistentVolumeName", volume}}}}},
           {"status", {{"attached", true}}}}));
}

void DrainWorld::detach(std::string_view volume, std::string_view from) {
  const auto removed = memory.remove(kube::resource_of<api::VolumeAttachment>(),
                                     {.name = fmt::format("{}-{}", volume, from)}, {}, Deadline::never());
  if (!removed) ADD_FAILURE() << removed.error().describe();
}

std::vector<std::string> DrainWorld::attachments() {
  std::vector<std::string> names;
  const auto listed = kube::list<api::VolumeAttachment>(memory, {}, Deadline::never()).value();
  for (const auto& each : listed.items) names.push_back(each.metadata.name.str());
  return names;
}

void DrainWorld::budget(std::string_view name, std::string_view app, std::string_view spec) {
  make(
      "policy/v1/poddisruptionbudgets",
      R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"namespace":"default","name":")" +
          std::string(name) + R"("},"spec":{"selector":{"matchLabels":{"app":")" + std::string(app) +
          "\"}}," + std::string(spec) + "}}");
  settle();
}

void DrainWorld::relax(std::string_view budget, std::string_view patch) {
  const auto changed =
      memory.patch(kube::resources::pod_disruption_budgets(), {"default", std::string(budget)},
                   json::parse(patch), {}, Deadline::never());
  if (!changed) ADD_FAILURE() << changed.error().describe();
  settle();
}

void DrainWorld::settle() {
  while (api.run_controllers()) {
  }
}

void DrainWorld::gone(std::string_view pod) {
  const auto removed = memory.remove(kube::resources::pods(), {"default", std::string(pod)},
                                     {.grace_period_seconds = 0}, Deadline::never());
  if (!removed) ADD_FAILURE() << removed.error().describe();
  settle();
}

bool DrainWorld::has_pod(std::string_view name) {
  return memory.get(kube::resources::pods(), {"default", std::string(name)}, Deadline::never()).has_value();
}

json::value DrainWorld::node() {
  return memory.get(kube::resources::nodes(), {.name = "n"}, Deadline::never()).value();
}

DrainRequest DrainWorld::request() {
  const Time now = Time::from(clock.now());
  if (!started) started = now;
  return {.machine = machine,
          .cluster = cluster,
          .rules = rules,
          .workload = clusters.get(kClusterKey).value(),
          .node = "n",
          .clearance = claims::Clearance::of_own_creation(node_uid),
          .started = *started,
          .now = now,
          .force = force,
          .explain_budgets = explain_budgets,
          .eviction_time = eviction_time,
          .volumes_in_turn = volumes_in_turn,
          .vm_is_gone = vm_is_gone};
}

StageReport DrainWorld::turn() {
  seen = woken.count();
  auto report = drainer->turn(request(), Deadline::never());
  settle();
  return report;
}

StageReport DrainWorld::finish() {
  for (;;) {
    auto report = turn();
    if (report.done || !awake()) return report;
  }
}

StageReport DrainWorld::volumes() { return drainer->check_volumes(request(), Deadline::never()); }

StageReport DrainWorld::delete_attachments() {
  return drainer->delete_attachments(request(), Deadline::never());
}

bool DrainWorld::awake() {
  SystemClock real;
  SystemThreads threads;
  return threads.wait(woken, seen, Deadline::in(real, std::chrono::seconds(20))) == Woken::Notified;
}

void DrainWorld::hear(std::uint64_t news) {
  SystemClock real;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(real, std::chrono::seconds(20));
  heard += news;
  for (auto count = woken.count(); count < heard; count = woken.count()) {
    if (threads.wait(woken, count, deadline) != Woken::Notified) {
      ADD_FAILURE() << "only " << woken.count() << " of " << heard << " came";
      return;
    }
  }
}

}  // namespace capstan::controllers::drain
