#include "cmd/manager/cleanup.h"

#include <gmock/gmock.h>

#include "api/driver/driver_machine.h"
#include "api/names.h"
#include "api/schema/crd.h"
#include "apiserver/api.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/leader.h"
#include "test/builders/cluster.h"
#include "test/builders/machine_set.h"
#include "test/fakes/baton.h"
#include "test/fakes/memory_client.h"

namespace capstan::manager {
namespace {

using fakes::Baton;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::literals;
namespace json = boost::json;

const Deadline kNever = Deadline::never();

// A management cluster and the workload cluster of c1.
struct CleanupFixture {
  Baton& baton;
  apiserver::Api management_api;
  apiserver::Api workload_api;
  fakes::MemoryClient management;
  fakes::MemoryClient workload;
  std::vector<std::string> said = {};
  Result<void> reached = {};  // why c1 is not

  explicit CleanupFixture(Baton& with)
      : baton(with),
        management_api({.clock = baton}),
        workload_api({.clock = baton, .seed = 2}),
        management(management_api, baton),
        workload(workload_api, baton) {
    for (const json::value& crd :
         {api::crd<api::Cluster>(), api::crd<api::MachineSet>(), api::crd<api::DriverMachine>()})
      must(management.create(kube::resources::custom_resource_definitions(), {}, crd, {}, kNever));
    put(management, api::to_json(builders::a_cluster("c1").build()), kube::resource_of<api::Cluster>());
  }
  template <typename T>
  static void must(const Result<T>& result) {
    if (!result) ADD_FAILURE() << result.error().describe();
  }
  static void put(kube::Client& client, json::value object, const kube::Resource& resource) {
    object.as_object()["metadata"].as_object().erase("uid");
    object.as_object()["metadata"].as_object().erase("resourceVersion");
    const auto& metadata = object.at("metadata").as_object();
    const auto* ns = metadata.if_contains("namespace");
    must(client.create(resource,
                       {.namespace_ = ns != nullptr ? std::string(ns->as_string()) : std::string(),
                        .name = std::string(metadata.at("name").as_string())},
                       object, {}, kNever));
  }
  void put_marked_objects() {
    put(management, json::parse(R"({
      "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSet",
      "metadata": {"name": "ms", "namespace": "default", "annotations": {
        "capstan.dev/made-for-rollout-after": "2026-01-01T00:00:00Z", "cluster.x-k8s.io/paused": ""},
        "finalizers": ["cluster.x-k8s.io/machineset"]},
      "spec": {"clusterName": "c1", "replicas": 0, "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"clusterName": "c1",
          "bootstrap": {"dataSecretName": "d"},
          "infrastructureRef": {"apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "DriverMachineTemplate",
            "name": "t"}}}}})"),
        kube::resource_of<api::MachineSet>());
    put(management, json::parse(R"({
      "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "DriverMachine",
      "metadata": {"name": "dm", "namespace": "default",
        "finalizers": ["example.com/other", "drivermachine.capstan.dev"]}, "spec": {}})"),
        kube::resource_of<api::DriverMachine>());
    put(management, json::parse(R"({"apiVersion": "v1", "kind": "Secret", "metadata": {
      "name": "capi-webhook-self-managed-cert", "namespace": "default",
      "annotations": {"capstan.dev/webhook-certificates-phase": "Served 2026-01-02T03:04:05.000000Z"}}})"),
        kube::resources::secrets());
    put(workload,
        json::parse(R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "annotations": {
      "capstan.dev/cordoned-by": "default/m", "cluster.x-k8s.io/machine": "m"}}, "spec": {"unschedulable": true}})"),
        kube::resources::nodes());
  }
  Result<CleanupSummary> clean(bool dry_run = false) {
    const CleanupSeams seams{.clock = baton,
                             .threads = baton,
                             .management = management,
                             .dial = [this](const kube::ObjectKey&) -> Result<std::unique_ptr<kube::Client>> {
                               if (!reached) return fail(reached.error());
                               return std::make_unique<fakes::MemoryClient>(workload_api, baton);
                             },
                             .say = [this](const std::string& line) { said.push_back(line); }};
    return clean_up(seams, {.dry_run = dry_run}, {});
  }
  // As text, of everything that may carry a key of ours.
  std::string everything() {
    std::string text;
    for (const auto& resource : {kube::resource_of<api::Cluster>(), kube::resource_of<api::MachineSet>(),
                                 kube::resource_of<api::DriverMachine>(), kube::resource_of<api::Lease>(),
                                 kube::resources::secrets()})
      text += written(management, resource);
    return text + written(workload, kube::resources::nodes());
  }
  static std::string written(kube::Client& client, const kube::Resource& resource) {
    auto list = client.list(resource, {}, kNever);
    must(list);
    if (!list) return {};
    for (json::value& item : list->at("items").as_array())
      item.at("metadata").as_object().erase("managedFields");
    return json::serialize(*list);
  }
};

void on_stage(const std::function<void(CleanupFixture&)>& story) {
  Baton baton({.seed = 3});
  const auto report = baton.run([&] {
    CleanupFixture stage(baton);
    story(stage);
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

TEST(Cleanup, LeavesNothingBelowCapstanDevAndEverythingElse) {
  on_stage([](CleanupFixture& stage) {
    stage.put_marked_objects();

    const auto cleaned = stage.clean();

    ASSERT_TRUE(cleaned) << cleaned.error().describe();
    EXPECT_TRUE(cleaned->complete());
    EXPECT_EQ(cleaned->changed, 4);
    EXPECT_EQ(cleaned->clusters, 1);
    const std::string left = stage.everything();
    EXPECT_EQ(left.find("capstan.dev/"), std::string::npos) << left;
    EXPECT_EQ(left.find("drivermachine.capstan.dev"), std::string::npos) << left;
    EXPECT_EQ(left.find("unschedulable"), std::string::npos) << left;
    for (const char* kept : {"cluster.x-k8s.io/paused", "cluster.x-k8s.io/machineset", "example.com/other",
                             "cluster.x-k8s.io/machine"})
      EXPECT_THAT(left, HasSubstr(kept));
    EXPECT_THAT(
        stage.said,
        ElementsAre("Node n1 of Cluster default/c1: took off annotation capstan.dev/cordoned-by, cordon",
                    "MachineSet default/ms: took off annotation capstan.dev/made-for-rollout-after",
                    "DriverMachine default/dm: took off finalizer drivermachine.capstan.dev",
                    "Secret default/capi-webhook-self-managed-cert: took off annotation "
                    "capstan.dev/webhook-certificates-phase"));
  });
}

TEST(Cleanup, ADryRunSaysTheSameAndChangesNothing) {
  on_stage([](CleanupFixture& stage) {
    stage.put_marked_objects();
    const std::string before = stage.everything();

    const auto cleaned = stage.clean(true);

    ASSERT_TRUE(cleaned) << cleaned.error().describe();
    EXPECT_EQ(cleaned->changed, 4);
    EXPECT_EQ(stage.everything(), before);
    EXPECT_THAT(
        stage.said,
        Contains("MachineSet default/ms: would take off annotation capstan.dev/made-for-rollout-after"));
  });
}

TEST(Cleanup, ASecondOneFindsNothing) {
  on_stage([](CleanupFixture& stage) {
    stage.put_marked_objects();
    ASSERT_TRUE(stage.clean());
    stage.said.clear();

    const auto again = stage.clean();

    ASSERT_TRUE(again);
    EXPECT_EQ(again->changed, 0);
    EXPECT_THAT(stage.said, IsEmpty());
  });
}

TEST(Cleanup, AWorkloadClusterThatCantBeReachedHoldsUpNothingElse) {
  on_stage([](CleanupFixture& stage) {
    stage.put_marked_objects();
    stage.reached = fail(Code::Unavailable, "connection refused");

    const auto cleaned = stage.clean();

    ASSERT_TRUE(cleaned);
    EXPECT_FALSE(cleaned->complete());
    EXPECT_EQ(cleaned->changed, 3);
    EXPECT_THAT(stage.said, Contains(HasSubstr("Nodes of Cluster default/c1: ")));
  });
}

TEST(Cleanup, RefusesWhileACapstanHoldsALeaseAndTakesTheNoteOffAfterwards) {
  on_stage([](CleanupFixture& stage) {
    stage.put_marked_objects();
    const std::string before = stage.everything();
    runtime::Leader leader({.clock = stage.baton, .threads = stage.baton, .client = stage.management},
                           {.lease = {.namespace_ = "default", .name = "core"}, .identity = "pod-1"}, [] {});
    leader.start();
    ASSERT_EQ(leader.wait_until_leading(Deadline::in(stage.baton, 1min)), Woken::Notified);

    const auto refused = stage.clean();
    const auto looked = stage.clean(true);
    leader.stop();
    const auto cleaned = stage.clean();

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::Conflict);
    EXPECT_THAT(refused.error().message, HasSubstr("Lease default/core is held by pod-1, a Capstan"));
    EXPECT_TRUE(looked) << "which changes nothing";
    EXPECT_THAT(stage.said, Contains(HasSubstr("without --dry-run this would refuse: Lease default/core")));
    ASSERT_TRUE(cleaned) << cleaned.error().describe();
    EXPECT_EQ(stage.everything().find("capstan.dev/"), std::string::npos);
    EXPECT_NE(before.find("capstan.dev/"), std::string::npos);
  });
}

}  // namespace
}  // namespace capstan::manager
