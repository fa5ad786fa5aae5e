#include "controllers/drain/attachments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/safeguards.h"
#include "controllers/drain/drain_world_fixture.h"
#include "kube/typed.h"

namespace capstan::controllers::drain {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct AttachedWorld : DrainWorld {
  AttachedWorld() {
    attach("pv-1");
    attach("pv-2");
    attach("pv-3", "other");
  }
};

TEST(LeftAttachments, AreThoseOfTheNodeThatNothingHasDeletedYet) {
  api::VolumeAttachment mine;
  mine.metadata.name = Text("mine");
  mine.spec.node_name = Text("n");
  api::VolumeAttachment on_its_way = mine;
  on_its_way.metadata.deletion_timestamp = Time::parse("2026-01-01T00:00:00Z").value();
  api::VolumeAttachment anothers = mine;
  anothers.spec.node_name = Text("n-2");
  const std::vector listed{on_its_way, anothers, mine};

  const auto left = left_attachments(listed, "n");

  EXPECT_THAT(left, ElementsAre(&listed[2]));
}

TEST(Attachments, OfTheNodeAreDeletedOnceItsVmIsGone) {
  AttachedWorld world;
  world.vm_is_gone = true;

  const auto report = world.delete_attachments();

  EXPECT_TRUE(report.done);
  EXPECT_THAT(report.detached, ElementsAre("pv-1-n", "pv-2-n"));
  EXPECT_THAT(world.attachments(), ElementsAre("pv-3-other"));
}

TEST(Attachments, OfANodeThatAnswersStayWithItsVm) {
  AttachedWorld world;
  world.node_says("Ready", "True", Time::from(world.clock.now()));

  const auto report = world.delete_attachments();

  EXPECT_THAT(report.trouble->message, HasSubstr("Node n is not out of reach any more"));
  EXPECT_EQ(world.attachments().size(), 3U);
}

TEST(Attachments, OfANodeOutOfReachAreDeletedWhileItsVmIsThere) {
  AttachedWorld world;
  world.node_says("Ready", "Unknown", Time::from(world.clock.now()));

  EXPECT_TRUE(world.delete_attachments().done);

  EXPECT_THAT(world.attachments(), ElementsAre("pv-3-other"));
}

// A crash in between: what the first turn deleted is not there any more.
TEST(Attachments, AreDeletedOnceHoweverOftenThatIsAsked) {
  AttachedWorld world;
  world.vm_is_gone = true;
  world.delete_attachments();

  const auto again = world.delete_attachments();

  EXPECT_TRUE(again.done);
  EXPECT_THAT(again.detached, IsEmpty());
}

// The list is old: meanwhile the volume was attached anew under the same name.
TEST(Attachments, ThatCameUnderTheSameNameStay) {
  AttachedWorld world;
  const auto listed = kube::list<api::VolumeAttachment>(world.memory, {}, Deadline::never()).value().items;
  world.detach("pv-1");
  world.attach("pv-1");
  const auto node = kube::get<api::Node>(world.memory, {.name = "n"}, Deadline::never()).value();
  const auto clearance = claims::Clearance::of_own_creation(node.metadata.uid);

  const auto report = delete_attachments(
      {.client = world.client, .node = "n", .clearance = clearance, .vm_is_gone = true, .listed = listed},
      Deadline::never());

  EXPECT_FALSE(report);
  EXPECT_THAT(world.attachments(), ElementsAre("pv-1-n", "pv-3-other"));
}

TEST(Attachments, OfANodeThatCameUnderTheSameNameStay) {
  AttachedWorld world;
  const auto clearance = claims::Clearance::of_own_creation(api::Uid("of-the-one-before"));
  const auto listed = kube::list<api::VolumeAttachment>(world.memory, {}, Deadline::never()).value().items;

  const auto report = delete_attachments(
      {.client = world.client, .node = "n", .clearance = clearance, .vm_is_gone = true, .listed = listed},
      Deadline::never());

  EXPECT_EQ(report.error().code, Code::Conflict);
  EXPECT_EQ(world.attachments().size(), 3U);
}

#ifdef CAPSTAN_DEFECTS
TEST(Attachments, WithoutTheirSafeguardsAreTakenFromOthers) {
  AttachedWorld world;
  world.node_says("Ready", "True", Time::from(world.clock.now()));

  switch_off(Safeguard::AttachmentsAwaitVm);
  world.delete_attachments();
  switch_off(std::nullopt);
  EXPECT_THAT(world.attachments(), ElementsAre("pv-3-other")) << "the VM is there";

  switch_off(Safeguard::AttachmentsOfNode);
  const auto listed = kube::list<api::VolumeAttachment>(world.memory, {}, Deadline::never()).value().items;
  EXPECT_EQ(left_attachments(listed, "n").size(), 1U) << "of another Node";
  switch_off(std::nullopt);
}
#endif

}  // namespace
}  // namespace capstan::controllers::drain
