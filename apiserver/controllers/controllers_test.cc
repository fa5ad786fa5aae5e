#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/api_fixture.h"

namespace capstan::apiserver {
namespace {

using testing::HasSubstr;

struct Garden : ApiFixture {
  explicit Garden(DefectSet defects = {}) : ApiFixture(std::move(defects)) {}

  std::string owner(std::string_view name) {
    return at(
        call("POST", "v1/ns:default/configmaps", R"({"metadata":{"name":")" + std::string(name) + "\"}}"),
        "metadata.uid");
  }
  Response dependent(std::string_view name, std::string_view owner_name, std::string_view uid,
                     bool blocks = false) {
    return call("POST", "v1/ns:default/secrets",
                R"({"metadata":{"name":")" + std::string(name) +
                    R"(","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":")" +
                    std::string(owner_name) + R"(","uid":)" + std::string(uid) + R"(,"blockOwnerDeletion":)" +
                    (blocks ? "true" : "false") + "}]}}");
  }
  void settle() {
    for (int i = 0; i < 20 && api.run_controllers(); ++i) {
    }
  }
  bool there(std::string_view path) { return call("GET", path).status == 200; }
};

TEST(Work, IsToldUntilNobodyWantsToHearOfIt) {
  Garden server;
  int calls = 0;
  server.api.on_work([&] { ++calls; });
  server.owner("heard");
  const int heard = calls;

  server.api.on_work({});
  server.owner("unheard");

  EXPECT_GT(heard, 0);
  EXPECT_EQ(calls, heard);
  EXPECT_TRUE(server.there("v1/ns:default/configmaps/unheard"));
}

TEST(GarbageCollector, DeletesDependentsOfAnOwnerThatIsGone) {
  Garden server;
  const auto uid = server.owner("o");
  server.dependent("d", "o", uid);
  server.settle();

  server.call("DELETE", "v1/ns:default/configmaps/o");
  server.settle();

  EXPECT_FALSE(server.there("v1/ns:default/secrets/d"));
}

TEST(GarbageCollector, KeepsDependentsOfLivingOwners) {
  Garden server;
  const auto uid = server.owner("o");
  server.dependent("d", "o", uid);

  server.settle();

  EXPECT_TRUE(server.there("v1/ns:default/secrets/d"));
}

TEST(GarbageCollector, DeletesWhatRefersToAnOwnerOfAnotherLife) {
  Garden server;
  server.owner("o");
  server.dependent("d", "o", "\"a-former-uid\"");

  server.settle();

  EXPECT_FALSE(server.there("v1/ns:default/secrets/d"));
}

TEST(GarbageCollector, LeavesAloneWhatItCantJudge) {
  Garden server;
  server.call(
      "POST", "v1/ns:default/secrets",
      R"({"metadata":{"name":"d","ownerReferences":[{"apiVersion":"no.such/v1","kind":"Thing","name":"x","uid":"y"}]}})");

  server.settle();

  EXPECT_TRUE(server.there("v1/ns:default/secrets/d"));
}

TEST(GarbageCollector, TakesOffTheReferenceWhileAnotherOwnerLives) {
  Garden server;
  const auto first = server.owner("o1");
  const auto second = server.owner("o2");
  server.call(
      "POST", "v1/ns:default/secrets",
      R"({"metadata":{"name":"d","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o1","uid":)" +
          first + R"(},{"apiVersion":"v1","kind":"ConfigMap","name":"o2","uid":)" + second + "}]}}");
  server.settle();

  server.call("DELETE", "v1/ns:default/configmaps/o1");
  server.settle();

  const auto left = at(server.call("GET", "v1/ns:default/secrets/d"), "metadata.ownerReferences");
  EXPECT_THAT(left, testing::AllOf(HasSubstr("o2"), testing::Not(HasSubstr("o1"))));
}

TEST(GarbageCollector, OrphansWhenAskedTo) {
  Garden server;
  const auto uid = server.owner("o");
  server.dependent("d", "o", uid);
  server.settle();

  server.call("DELETE", "v1/ns:default/configmaps/o", R"({"propagationPolicy":"Orphan"})");
  server.settle();

  EXPECT_FALSE(server.there("v1/ns:default/configmaps/o"));
  EXPECT_EQ(at(server.call("GET", "v1/ns:default/secrets/d"), "metadata.ownerReferences"), "");
  EXPECT_TRUE(server.there("v1/ns:default/secrets/d"));
}

TEST(GarbageCollector, InTheForegroundTheOwnerGoesLast) {
  Garden server;
  const auto uid = server.owner("o");
  server.dependent("d", "o", uid, true);
  server.call("PATCH", "v1/ns:default/secrets/d", R"({"metadata":{"finalizers":["x.y/z"]}})");
  server.settle();

  server.call("DELETE", "v1/ns:default/configmaps/o", R"({"propagationPolicy":"Foreground"})");
  server.settle();
  const bool waited = server.there("v1/ns:default/configmaps/o");
  server.call("PATCH", "v1/ns:default/secrets/d", R"({"metadata":{"finalizers":null}})");
  server.settle();

  EXPECT_TRUE(waited);
  EXPECT_FALSE(server.there("v1/ns:default/secrets/d"));
  EXPECT_FALSE(server.there("v1/ns:default/configmaps/o"));
}

TEST(GarbageCollector, ClusterScopedOwnersHaveDependentsEverywhere) {
  Garden server;
  const auto node = server.call("POST", "v1/nodes", R"({"metadata":{"name":"n"}})");
  server.call(
      "POST", "coordination.k8s.io/v1/ns:kube-node-lease/leases",
      R"({"metadata":{"name":"n","ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":)" +
          at(node, "metadata.uid") + R"(}]},"spec":{}})");
  server.settle();

  server.call("DELETE", "v1/nodes/n");
  server.settle();

  EXPECT_FALSE(server.there("coordination.k8s.io/v1/ns:kube-node-lease/leases/n"));
}

TEST(Namespaces, TakeTheirContentsAlong) {
  Garden server;
  server.call("POST", "v1/namespaces", R"({"metadata":{"name":"n"}})");
  server.call("POST", "v1/ns:n/configmaps", R"({"metadata":{"name":"a","finalizers":["x.y/z"]}})");

  const auto ending = server.call("DELETE", "v1/namespaces/n");
  server.settle();
  const auto refused = server.call("POST", "v1/ns:n/configmaps", R"({"metadata":{"name":"b"}})");
  const bool waited = server.there("v1/namespaces/n");
  server.call("PATCH", "v1/ns:n/configmaps/a", R"({"metadata":{"finalizers":null}})");
  server.settle();

  EXPECT_EQ(at(ending, "status.phase"), "\"Terminating\"");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(at(refused, "details.causes"), HasSubstr("NamespaceTerminating"));
  EXPECT_TRUE(waited);
  EXPECT_FALSE(server.there("v1/namespaces/n"));
}

TEST(Definitions, TakeTheirInstancesAlong) {
  Garden server;
  with_widgets(server);
  server.call("POST", "test.io/v1/ns:default/widgets",
              R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1}})");

  server.call("DELETE", "apiextensions.k8s.io/v1/customresourcedefinitions/widgets.test.io");
  server.settle();

  EXPECT_FALSE(server.there("apiextensions.k8s.io/v1/customresourcedefinitions/widgets.test.io"));
  EXPECT_EQ(server.api.type("test.io", "widgets"), nullptr);
}

struct Budgeted : Garden {
  void ready_pod(std::string_view name) {
    const std::string path = "v1/ns:default/pods";
    call("POST", path,
         R"({"metadata":{"name":")" + std::string(name) +
             R"(","labels":{"app":"w"}},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
    call("PATCH", path + "/" + std::string(name) + "/status",
         R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
  }
  void budget(std::string_view rule) {
    call("POST", "policy/v1/ns:default/poddisruptionbudgets",
         R"({"metadata":{"name":"b"},"spec":{"selector":{"matchLabels":{"app":"w"}},)" + std::string(rule) +
             "}}");
  }
  Response evict(std::string_view name) {
    return call(
        "POST", "v1/ns:default/pods/" + std::string(name) + "/eviction",
        R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" + std::string(name) + "\"}}");
  }
};

TEST(Eviction, WithoutABudgetDeletes) {
  Budgeted server;
  server.ready_pod("p");

  const auto evicted = server.evict("p");

  EXPECT_EQ(evicted.status, 201);
  EXPECT_NE(at(server.call("GET", "v1/ns:default/pods/p"), "metadata.deletionTimestamp"), "");
  EXPECT_THAT(at(server.call("GET", "v1/ns:default/pods/p"), "status.conditions"),
              HasSubstr("DisruptionTarget"));
}

TEST(Eviction, WaitsUntilTheBudgetHasBeenLookedAt) {
  Budgeted server;
  server.ready_pod("p");
  server.budget(R"("minAvailable":0)");

  const auto early = server.evict("p");
  server.settle();

  EXPECT_EQ(early.status, 429);
  EXPECT_EQ(early.retry_after_seconds, 10);
  EXPECT_EQ(server.evict("p").status, 201);
}

TEST(Eviction, SpendsTheBudgetAndThenRefuses) {
  Budgeted server;
  server.ready_pod("p1");
  server.ready_pod("p2");
  server.budget(R"("minAvailable":1)");
  server.settle();

  const auto first = server.evict("p1");
  const auto second = server.evict("p2");

  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(second.status, 429);
  EXPECT_EQ(at(second, "message"), "\"Cannot evict pod as it would violate the pod's disruption budget.\"");
  EXPECT_EQ(
      at(second, "details.causes"),
      R"([{"reason":"DisruptionBudget","message":"The disruption budget b needs 1 healthy pods and has 2 currently"}])");
}

TEST(Eviction, BelievesABudgetThatAHarnessWrote) {
  Budgeted server;
  server.ready_pod("p1");
  server.ready_pod("p2");
  server.budget(R"("minAvailable":1)");
  server.settle();
  server.call(
      "PATCH", "policy/v1/ns:default/poddisruptionbudgets/b/status",
      R"({"status":{"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1}})");

  server.settle();

  EXPECT_EQ(server.evict("p1").status, 429);
}

TEST(Eviction, OfTwiceBudgetedPodsIsRefused) {
  Budgeted server;
  server.ready_pod("p");
  server.budget(R"("minAvailable":0)");
  server.call(
      "POST", "policy/v1/ns:default/poddisruptionbudgets",
      R"({"metadata":{"name":"b2"},"spec":{"selector":{"matchLabels":{"app":"w"}},"minAvailable":0}})");
  server.settle();

  EXPECT_EQ(server.evict("p").status, 500);
}

TEST(Budgets, CountSharesOfWhatTheOwnersWant) {
  Budgeted server;
  server.ready_pod("p1");
  server.ready_pod("p2");
  server.budget(R"("maxUnavailable":"50%")");

  server.settle();

  const auto budget = server.call("GET", "policy/v1/ns:default/poddisruptionbudgets/b");
  EXPECT_EQ(at(budget, "status.disruptionsAllowed"), "1");
  EXPECT_EQ(at(budget, "status.desiredHealthy"), "1");
}

}  // namespace
}  // namespace capstan::apiserver
