#include "controllers/drain/volume_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/safeguards.h"
#include "controllers/drain/drain_world_fixture.h"
#include "test/builders/object_builder.h"

namespace capstan::controllers::drain {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

api::Pod with_claim(std::string_view name, std::int32_t priority = 0) {
  api::Pod pod;
  pod.metadata.namespace_ = Text("default");
  pod.metadata.name = Text(name);
  pod.spec.priority = priority;
  pod.spec.volumes = {api::PodVolume{.persistent_volume_claim = api::ClaimVolume{.claim_name = Text(name)}}};
  return pod;
}

api::VolumeAttachment attached(std::string_view volume, std::string_view node) {
  api::VolumeAttachment made;
  made.spec.node_name = Text(node);
  made.spec.source.persistent_volume_name = Text(volume);
  made.status.attached = true;
  return made;
}

// One volume "pv-a" whose claim is default/a.
struct Queue {
  VolumeQueue memory{.claims = {{"pv-a", "default/a"}}};
  std::vector<api::Pod> pods = {};
  std::vector<api::VolumeAttachment> attachments = {};
  Time now = Time::parse("2026-01-01T00:00:00Z").value();

  std::string ask() {
    return holds_up_next({.now = now,
                          .node = "n",
                          .pods = pods,
                          .attachments = attachments,
                          .waits = {.detach = Seconds(120), .reattach = Seconds(90)}},
                         memory);
  }
  std::string after(Seconds span) {
    now = now + span;
    return ask();
  }
};

TEST(VolumeQueue, LetsTheFirstOneGo) {
  Queue queue{.pods = {with_claim("a")}, .attachments = {attached("pv-a", "n")}};

  EXPECT_EQ(queue.ask(), "");
}

TEST(VolumeQueue, WaitsForThePodBeforeAndThenForItsVolume) {
  Queue queue{.pods = {with_claim("a"), with_claim("b")}, .attachments = {attached("pv-a", "n")}};
  queue.pods.front().metadata.deletion_timestamp = queue.now + Seconds(30);

  EXPECT_EQ(queue.ask(), "Pod default/a to end");
  queue.pods.erase(queue.pods.begin());
  EXPECT_THAT(queue.after(Seconds(10)), StartsWith("PersistentVolume pv-a to be detached"));
  queue.attachments.clear();
  EXPECT_THAT(queue.after(Seconds(10)), StartsWith("PersistentVolume pv-a to be attached to another Node"));
  queue.attachments = {attached("pv-a", "elsewhere")};
  EXPECT_EQ(queue.after(Seconds(10)), "");
}

TEST(VolumeQueue, GivesUpADetachmentThatTakesTooLong) {
  Queue queue{.pods = {with_claim("b")}, .attachments = {attached("pv-a", "n")}};

  EXPECT_THAT(queue.ask(), HasSubstr("until 2026-01-01T00:02:00Z at most"));
  EXPECT_NE(queue.after(Seconds(119)), "");
  EXPECT_EQ(queue.after(Seconds(1)), "");
}

TEST(VolumeQueue, GivesUpAnAttachmentElsewhereThatTakesTooLong) {
  Queue queue{.pods = {with_claim("b")}, .attachments = {attached("pv-a", "n")}};
  queue.ask();
  queue.attachments.clear();

  EXPECT_NE(queue.after(Seconds(10)), "");
  EXPECT_NE(queue.after(Seconds(89)), "");
  EXPECT_EQ(queue.after(Seconds(1)), "");
}

TEST(VolumeQueue, GivesUpAPodThatDoesNotEnd) {
  Queue queue{.pods = {with_claim("a"), with_claim("b")}, .attachments = {attached("pv-a", "n")}};
  queue.pods.front().metadata.deletion_timestamp = queue.now + Seconds(30);

  EXPECT_NE(queue.after(Seconds(149)), "");
  EXPECT_EQ(queue.after(Seconds(1)), "");
}

// A volume that two Pods use is not detached before both are gone.
TEST(VolumeQueue, DoesNotWaitForAVolumeThatAnotherPodUses) {
  Queue queue{.pods = {with_claim("a")}, .attachments = {attached("pv-a", "n")}};
  queue.ask();

  EXPECT_EQ(queue.after(Seconds(5)), "");
}

TEST(VolumeQueue, DoesNotWaitForVolumesThatNoClaimHas) {
  Queue queue{.memory = {.claims = {{"pv-x", ""}}}, .attachments = {attached("pv-x", "n")}};

  EXPECT_EQ(queue.ask(), "");
}

TEST(VolumeQueue, HasTheHighestPriorityFirst) {
  const std::vector pods{with_claim("b"), with_claim("c", 100), with_claim("a")};

  EXPECT_THAT(in_turn({&pods[0], &pods[1], &pods[2]}), ElementsAre(&pods[1], &pods[2], &pods[0]));
}

// --- in a drain ---

struct TwoVolumes : DrainWorld {
  TwoVolumes() {
    volumes_in_turn = VolumeWaits{.detach = Seconds(120), .reattach = Seconds(90)};
    for (const std::string name : {"a", "b"}) {
      volume("pv-" + name, name);
      attach("pv-" + name);
      pod({.name = name, .labels = {{"app", name}}, .claim = name});
    }
    pod({.name = "web"});
  }
};

TEST(VolumesInTurn, GoOneAfterTheOtherBesidePodsWithoutAny) {
  TwoVolumes world;

  const auto first = world.turn();
  EXPECT_FALSE(world.has_pod("a"));
  EXPECT_FALSE(world.has_pod("web"));
  EXPECT_TRUE(world.has_pod("b"));
  EXPECT_THAT(first.message, HasSubstr("* Pod default/b: evicted one after the other because of volumes"));
  EXPECT_LE(first.recheck, Seconds(5));

  EXPECT_THAT(world.turn().message, HasSubstr("waiting for PersistentVolume pv-a to be detached"));
  world.detach("pv-a");
  EXPECT_THAT(world.turn().message, HasSubstr("waiting for PersistentVolume pv-a to be attached"));
  EXPECT_TRUE(world.has_pod("b"));
  world.attach("pv-a", "elsewhere");
  world.turn();
  EXPECT_FALSE(world.has_pod("b"));
}

TEST(VolumesInTurn, PutAPodAsideThatABudgetHolds) {
  TwoVolumes world;
  world.budget("a", "a", R"("maxUnavailable":0)");

  world.turn();

  EXPECT_TRUE(world.has_pod("a"));
  EXPECT_FALSE(world.has_pod("b"));
}

// What is remembered is lost: the volume of the Pod that is gone is seen all the same.
TEST(VolumesInTurn, AreHeldUpAfterARestartToo) {
  TwoVolumes world;
  world.turn();

  world.drainer->forget({"default", "m"});
  world.turn();

  EXPECT_TRUE(world.has_pod("b"));
}

TEST(VolumesInTurn, AreNotAskedForWithoutAPolicy) {
  TwoVolumes world;
  world.volumes_in_turn.reset();

  world.turn();

  EXPECT_FALSE(world.has_pod("a"));
  EXPECT_FALSE(world.has_pod("b"));
}

#ifdef CAPSTAN_DEFECTS
TEST(VolumesInTurn, WithoutTheirSafeguardGoTogether) {
  TwoVolumes world;

  switch_off(Safeguard::VolumesInTurn);
  world.turn();
  switch_off(std::nullopt);

  EXPECT_FALSE(world.has_pod("b"));
}
#endif

// --- evictions that are refused for too long ---

TEST(EvictionRetries, EndWithADeletionOfWhatIsStillRefused) {
  DrainWorld world;
  world.eviction_time = Seconds(60);
  world.pod({.name = "held", .labels = {{"app", "x"}}});
  world.budget("b", "x", R"("maxUnavailable":0)");
  world.turn();
  world.pass(Seconds(59));
  EXPECT_EQ(world.turn().recheck, Seconds(1));
  EXPECT_TRUE(world.has_pod("held"));

  world.pass(Seconds(1));
  const auto report = world.turn();

  EXPECT_FALSE(world.has_pod("held"));
  EXPECT_THAT(report.given_up, ElementsAre("default/held"));
}

// Others have longer: evictions are what they go by.
TEST(EvictionRetries, DeleteNoPodThatAnEvictionMoves) {
  DrainWorld world;
  world.eviction_time = Seconds(60);
  world.started = Time::from(world.clock.now());
  world.pass(Seconds(600));
  world.pod({.name = "free", .grace = 30});

  const auto report = world.turn();

  EXPECT_TRUE(world.has_pod("free")) << "within its grace period";
  EXPECT_TRUE(report.given_up.empty());
}

}  // namespace
}  // namespace capstan::controllers::drain
