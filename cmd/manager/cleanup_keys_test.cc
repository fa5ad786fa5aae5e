#include "cmd/manager/cleanup_keys.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

namespace capstan::manager {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CleanupKeys, AreFoundWhereverTheyStandAndOthersStay) {
  const json::value node = json::parse(R"({
    "metadata": {"name": "n1", "resourceVersion": "7",
      "labels": {"cluster.x-k8s.io/interruptible": "", "capstan.dev/victims": "x"},
      "annotations": {"cluster.x-k8s.io/machine": "m", "capstan.dev/drain-started": "2026-01-01T00:00:00Z"},
      "finalizers": ["example.com/f", "drivermachine.capstan.dev"]},
    "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}, {"key": "capstan.dev/victims", "effect": "NoExecute"}]}})");

  EXPECT_THAT(found_on(node),
              ElementsAre("finalizer drivermachine.capstan.dev", "label capstan.dev/victims",
                          "annotation capstan.dev/drain-started", "taint capstan.dev/victims"));
  EXPECT_EQ(removal_patch(node), json::parse(R"({
    "metadata": {"resourceVersion": "7", "labels": {"capstan.dev/victims": null},
      "annotations": {"capstan.dev/drain-started": null}, "finalizers": ["example.com/f"]},
    "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}})"));
}

TEST(CleanupKeys, OnAnObjectWithoutThemAreNothing) {
  const json::value cluster = json::parse(R"({
    "metadata": {"name": "c1", "finalizers": ["cluster.cluster.x-k8s.io"],
      "annotations": {"example.com/capstan.dev": "x", "capstan.dev.example.com/victims": "y"}}})");

  EXPECT_THAT(found_on(cluster), IsEmpty());
  EXPECT_THAT(found_on(json::value(nullptr)), IsEmpty());
}

TEST(CleanupKeys, AnAnnotationIsTakenOffWhateverVersionTheObjectHas) {
  const json::value set = json::parse(R"({
    "metadata": {"resourceVersion": "7", "annotations": {"capstan.dev/made-for-rollout-after": "x"}}})");

  EXPECT_EQ(removal_patch(set),
            json::parse(R"({"metadata": {"annotations": {"capstan.dev/made-for-rollout-after": null}}})"));
}

TEST(CleanupKeys, ACordonOfOursIsLiftedAndThatOfAUserStays) {
  const json::value ours = json::parse(R"({
    "metadata": {"resourceVersion": "7", "annotations": {"capstan.dev/cordoned-by": "default/m"}},
    "spec": {"unschedulable": true}})");
  const json::value users = json::parse(R"({"metadata": {}, "spec": {"unschedulable": true}})");

  EXPECT_THAT(found_on(ours), ElementsAre("annotation capstan.dev/cordoned-by", "cordon"));
  EXPECT_EQ(removal_patch(ours), json::parse(R"({
    "metadata": {"resourceVersion": "7", "annotations": {"capstan.dev/cordoned-by": null}},
    "spec": {"unschedulable": null}})"));
  EXPECT_THAT(found_on(users), IsEmpty());
}

TEST(CleanupKeys, TheAutoscalersAnnotationGoesWhereItIsOurs) {
  const json::value ours = json::parse(R"({
    "metadata": {"annotations": {"capstan.dev/scale-down-disabled": "true",
                                 "cluster-autoscaler.kubernetes.io/scale-down-disabled": "true"}}})");
  const json::value users = json::parse(R"({
    "metadata": {"annotations": {"cluster-autoscaler.kubernetes.io/scale-down-disabled": "true"}}})");

  EXPECT_THAT(found_on(ours), ElementsAre("annotation capstan.dev/scale-down-disabled",
                                          "annotation cluster-autoscaler.kubernetes.io/scale-down-disabled"));
  EXPECT_EQ(removal_patch(ours), json::parse(R"({
    "metadata": {"annotations": {"capstan.dev/scale-down-disabled": null,
                                 "cluster-autoscaler.kubernetes.io/scale-down-disabled": null}}})"));
  EXPECT_THAT(found_on(users), IsEmpty());
}

TEST(CleanupKeys, TheMarkOfANamedVictimGoesAndThatOfAUserStays) {
  const json::value ours = json::parse(R"({
    "metadata": {"resourceVersion": "7",
      "annotations": {"cluster.x-k8s.io/delete-machine": "capstan.dev/victims", "a": "b"}}})");
  const json::value users = json::parse(R"({
    "metadata": {"annotations": {"cluster.x-k8s.io/delete-machine": "yes", "a": "capstan.dev/victims"}}})");

  EXPECT_THAT(found_on(ours), ElementsAre("annotation cluster.x-k8s.io/delete-machine"));
  EXPECT_EQ(removal_patch(ours), json::parse(R"({
    "metadata": {"resourceVersion": "7", "annotations": {"cluster.x-k8s.io/delete-machine": null}}})"))
      << "bound to the version that had our value";
  EXPECT_THAT(found_on(users), IsEmpty());
  EXPECT_FALSE(removal_patch(users));
}

TEST(CleanupKeys, AConditionOfOursIsTakenOutOfTheStatusAlone) {
  const json::value machine = json::parse(R"({
    "metadata": {"resourceVersion": "7"},
    "status": {"conditions": [{"type": "Ready"}, {"type": "capstan.dev/Lifecycle"}]}})");

  EXPECT_THAT(found_on(machine), ElementsAre("condition capstan.dev/Lifecycle"));
  EXPECT_FALSE(removal_patch(machine));
  EXPECT_EQ(status_removal_patch(machine), json::parse(R"({
    "metadata": {"resourceVersion": "7"}, "status": {"conditions": [{"type": "Ready"}]}})"));
  EXPECT_FALSE(status_removal_patch(json::parse(R"({"status": {"conditions": [{"type": "Ready"}]}})")));
}

}  // namespace
}  // namespace capstan::manager
