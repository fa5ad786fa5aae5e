// Drains under a MachineLifecyclePolicy on real servers: what it says of Pods that are not evicted, and of
// the volumes of Pods. Budgets allow no eviction here, for no disruption controller runs; each test plays
// kubelet and attach-detach controller where it needs them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "test/envtest/lifecycle_suite_fixture.h"

namespace capstan::envtest {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string disk(const std::string& name) {
  return fmt::format(R"(
---
apiVersion: v1
kind: PersistentVolume
metadata: {{name: {0}}}
spec:
  capacity: {{storage: 1Gi}}
  accessModes: [ReadWriteOnce]
  storageClassName: none
  claimRef: {{namespace: default, name: {0}}}
  csi: {{driver: disk.example.com, volumeHandle: {0}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: {0}, namespace: default}}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: none
  volumeName: {0}
  resources: {{requests: {{storage: 1Gi}}}}
)",
                     name);
}

std::string uses(const std::string& disk) {
  return fmt::format("  volumes: [{{name: v, persistentVolumeClaim: {{claimName: {}}}}}]\n", disk);
}

class LifecycleDrains : public Lifecycle {
 protected:
  void SetUp() override {
    Lifecycle::SetUp();
    if (HasFatalFailure()) return;
    before_ = machines();
    ASSERT_THAT(before_, ::testing::SizeIs(3));
  }

  // The first Machine goes, and its drain is under way.
  void delete_and_drain() const {
    kubectl({"delete", going(), "--wait=false"});
    ASSERT_THAT(until(reason_is("Deleting", "DrainingNode"), going()), EndsWith(kMet));
  }
  void expect_gone() const { EXPECT_THAT(until("delete", going()), Not(HasSubstr("timed out"))); }
  std::string going() const { return "machine/" + before_[0]; }
  std::string its_node() const { return node_of(before_[0]); }
  bool still_says(const std::string& words) const {
    return eventually([&] { return message(going(), "Deleting").find(words) != std::string::npos; });
  }
  // What the Events about the first Machine say.
  std::string told(const std::string& reason) const {
    return kubectl({"get", "events",
                    "--field-selector=involvedObject.name=" + before_[0] + ",reason=" + reason,
                    "-o=jsonpath={.items[*].message}"});
  }

  // What the attach-detach controller and the driver do together.
  static void attach(const std::string& disk, const std::string& node) {
    workload({"apply", "-f", "-"}, fmt::format(R"(
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: {{name: {0}-{1}}}
spec: {{attacher: disk.example.com, nodeName: {1}, source: {{persistentVolumeName: {0}}}}}
)",
                                               disk, node));
    set_status("volumeattachment/" + disk + "-" + node, R"({"attached":true})");
  }
  static void detach(const std::string& disk, const std::string& node) {
    workload({"delete", "volumeattachment", disk + "-" + node});
  }
  Lines attachments() const {
    Lines mine = lines_of(workload({"get", "volumeattachments", "-o=name"}));
    std::erase_if(mine, [&](const std::string& one) { return one.find(cluster_ + "-db") == one.npos; });
    return mine;
  }
  std::string db(int number) const { return fmt::format("{}-db-{}", cluster_, number); }
  // Pod db-N with a disk of its name, which is attached.
  void run_databases(int count) const {
    for (int i = 1; i <= count; ++i) {
      const std::string name = fmt::format("db-{}", i);
      workload({"apply", "-f", "-"}, disk(db(i)) + pod(name, its_node(), "app: " + cluster_, uses(db(i))));
      attach(db(i), its_node());
    }
  }
  static std::string until_pod_goes(const std::string& name) {
    return workload({"wait", "--for=delete", "--timeout=50s", "pod/" + name});
  }

  Lines before_;
};

TEST_F(LifecycleDrains, DeleteThePodsThatAreLeftWhenThePolicysTimeoutIsOver) {
  govern("  drain: {onTimeout: {timeoutSeconds: 2}}");
  hold_pods(before_);
  if (HasFatalFailure()) return;

  kubectl({"delete", going(), "--wait=false"});

  expect_gone();
  expect_only_elsewhere_is_left();
  EXPECT_TRUE(eventually([&] { return !told("NodeDrainedByForce").empty(); }));
  EXPECT_THAT(told("NodeDrainedByForce"), HasSubstr(cluster_ + "-here"));
}

TEST_F(LifecycleDrains, LeaveThemRunningWhenThePolicySaysContinue) {
  govern("  drain: {onTimeout: {action: Continue, timeoutSeconds: 2}}");
  hold_pods(before_);
  if (HasFatalFailure()) return;

  kubectl({"delete", going(), "--wait=false"});

  expect_gone();
  EXPECT_THAT(held_pods(".metadata.name} {.metadata.deletionTimestamp"),
              ElementsAre(cluster_ + "-elsewhere ", cluster_ + "-here "));
}

TEST_F(LifecycleDrains, DeleteThePodsOfANodeThatIsNotReadyForTooLong) {
  govern("  drain: {notReadyForce: {afterSeconds: 2}}");
  hold_pods(before_);
  if (HasFatalFailure()) return;

  delete_and_drain();
  EXPECT_TRUE(still_says("budget " + cluster_ + " needs 2 healthy pods"));
  EXPECT_TRUE(still_says("PodDisruptionBudget default/" + cluster_ + " never allows an eviction"));
  const Lines while_ready = held_pods(".metadata.name} {.metadata.deletionTimestamp");
  set_ready(its_node(), "False");

  expect_gone();
  EXPECT_THAT(while_ready, ElementsAre(cluster_ + "-elsewhere ", cluster_ + "-here "));
  expect_only_elsewhere_is_left();
}

TEST_F(LifecycleDrains, DeleteAPodWhoseEvictionIsRefusedForTooLong) {
  govern("  drain: {evictionRetries: {most: 1}}");
  hold_pods(before_);
  workload({"apply", "-f", "-"}, pod("free", its_node(), "free: " + cluster_));
  if (HasFatalFailure()) return;

  delete_and_drain();
  const auto evicted = workload({"wait", "--for=delete", "--timeout=50s", "pod/" + cluster_ + "-free"});
  const Lines at_first = held_pods(".metadata.name} {.metadata.deletionTimestamp");

  expect_gone();
  EXPECT_THAT(evicted, Not(HasSubstr("timed out")));
  EXPECT_THAT(at_first, ElementsAre(cluster_ + "-elsewhere ", cluster_ + "-here "));
  expect_only_elsewhere_is_left();
  EXPECT_TRUE(eventually([&] { return !told("EvictionsGivenUp").empty(); }));
  EXPECT_THAT(told("EvictionsGivenUp"), Not(HasSubstr("free")));
}

TEST_F(LifecycleDrains, EvictPodsWithDisksOneAfterTheOtherOnceTheDiskBeforeIsAttachedElsewhere) {
  govern("  drain: {volumesInTurn: {}}");
  run_databases(2);
  if (HasFatalFailure()) return;
  const std::string node = its_node();
  const std::string other = node_of(before_[1]);

  delete_and_drain();
  const auto first = until_pod_goes(db(1));
  const bool detaches = still_says("PersistentVolume " + db(1) + " to be detached");
  detach(db(1), node);
  const bool reattaches = still_says("PersistentVolume " + db(1) + " to be attached to another Node");
  const std::string second_until_then =
      workload({"get", "pod", db(2), "-o=jsonpath={.status.phase}{.metadata.deletionTimestamp}"});
  attach(db(1), other);
  const auto second = until_pod_goes(db(2));
  const bool waits_for_the_last = still_says(db(2));
  detach(db(2), node);

  expect_gone();
  EXPECT_THAT(first, Not(HasSubstr("timed out")));
  EXPECT_TRUE(detaches) << message(going(), "Deleting");
  EXPECT_TRUE(reattaches);
  EXPECT_EQ(second_until_then, "Pending") << "both at a time";
  EXPECT_THAT(second, Not(HasSubstr("timed out")));
  EXPECT_TRUE(waits_for_the_last);
  EXPECT_THAT(attachments(), Each(EndsWith(db(1) + "-" + other)));
}

TEST_F(LifecycleDrains, TakeTheDisksFromANodeThatIsOutOfReachAndFromNoOther) {
  govern("  drain: {attachmentCleanup: {}}");
  run_databases(1);
  const std::string other = node_of(before_[1]);
  attach(db(2), other);
  if (HasFatalFailure()) return;

  set_ready(its_node(), "Unknown");
  kubectl({"delete", going(), "--wait=false"});

  expect_gone();
  EXPECT_THAT(attachments(), ElementsAre(EndsWith(db(2) + "-" + other)));
  EXPECT_TRUE(eventually([&] { return !told("VolumeAttachmentsDeleted").empty(); }));
  EXPECT_THAT(told("VolumeAttachmentsDeleted"), HasSubstr(db(1)));
}

}  // namespace
}  // namespace capstan::envtest
