#include "controllers/drain/volumes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/drain/pods_fixture.h"

namespace capstan::controllers::drain {
namespace {

using builders::noon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct DrainVolumes {
  api::NodeVolumes node = {};
  std::vector<api::VolumeAttachment> attachments = {};
  std::vector<api::PersistentVolume> volumes = {};
  std::vector<std::string> ignored = {};

  DrainVolumes& entry(std::string_view name) {
    std::vector<api::AttachedVolume> list(node.status.volumes_attached.begin(),
                                          node.status.volumes_attached.end());
    list.push_back({.name = Text(name)});
    node.status.volumes_attached = api::List<api::AttachedVolume>(std::move(list));
    return *this;
  }
  DrainVolumes& attachment(std::string_view volume, bool attached = true, std::string_view to = "n") {
    api::VolumeAttachment made{.metadata = builders::metadata_of("VolumeAttachment", "va")};
    made.spec = {.node_name = Text(to), .source = {.persistent_volume_name = Text(volume)}};
    made.status.attached = attached;
    attachments.push_back(made);
    return *this;
  }
  DrainVolumes& volume(std::string_view name, std::string_view claim, std::string_view handle = {}) {
    api::PersistentVolume made{.metadata = builders::metadata_of("PersistentVolume", name)};
    if (!claim.empty()) {
      made.spec.claim_ref = api::ObjectReference{
          .kind = Text("PersistentVolumeClaim"), .namespace_ = Text("default"), .name = Text(claim)};
    }
    if (!handle.empty())
      made.spec.csi = api::CsiVolume{.driver = Text("disk"), .volume_handle = Text(handle)};
    volumes.push_back(made);
    return *this;
  }
  Result<AttachedVolumes> look() const {
    return attached_volumes({.node = "n",
                             .attached_to_node = node,
                             .attachments = attachments,
                             .volumes = volumes,
                             .ignored_claims = ignored});
  }
};

TEST(AttachedVolumes, NoneWhenNothingIsAttached) {
  DrainVolumes world;
  world.volume("pv", "claim", "h").attachment("pv", false).attachment("pv", true, "other");

  EXPECT_TRUE(world.look()->none());
}

TEST(AttachedVolumes, AreFoundByAttachment) {
  EXPECT_THAT(DrainVolumes().attachment("pv").volume("pv", "claim").look()->claims,
              ElementsAre("default/claim"));
}

TEST(AttachedVolumes, AreFoundByTheNodesOwnList) {
  const auto left = DrainVolumes().entry("kubernetes.io/csi/disk^h").volume("pv", "claim", "h").look();

  EXPECT_THAT(left->claims, ElementsAre("default/claim"));
  EXPECT_THAT(left->node_entries, ElementsAre());
}

TEST(AttachedVolumes, OfPodsThatStayDoNotCount) {
  DrainVolumes world;
  world.attachment("pv").volume("pv", "claim");
  world.ignored = {"default/claim"};

  EXPECT_TRUE(world.look()->none());
}

TEST(AttachedVolumes, WithoutAClaimCount) {
  EXPECT_THAT(DrainVolumes().attachment("pv").volume("pv", "").look()->unclaimed, ElementsAre("pv"));
}

TEST(AttachedVolumes, NobodyKnowsCount) {
  const auto left =
      DrainVolumes().entry("kubernetes.io/aws-ebs/x").attachment("gone").volume("pv", "claim").look();

  EXPECT_THAT(left->node_entries, ElementsAre("kubernetes.io/aws-ebs/x"));
  EXPECT_THAT(left->attachments, ElementsAre("gone"));
}

TEST(AttachedVolumes, AnAttachmentWithoutAVolumeIsAnError) {
  const auto left = DrainVolumes().attachment("").look();

  ASSERT_FALSE(left);
  EXPECT_THAT(left.error().message, HasSubstr("spec.source.persistentVolumeName"));
}

TEST(AttachedVolumes, AreToldFiveAtATime) {
  DrainVolumes world;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) world.attachment(name).volume(name, name);
  world.attachment("u").volume("u", "").attachment("gone").entry("old");

  EXPECT_EQ(
      world.look()->message(noon()),
      "Waiting for Node volumes to be detached (started at 2026-01-01T12:00:00Z)\n"
      "* PersistentVolumeClaims: default/a, default/b, default/c, default/d, default/e, ... (2 more)\n"
      "* PersistentVolumes without a .spec.claimRef to a PersistentVolumeClaim: u\n"
      "* Node with .status.volumesAttached entries not matching a PersistentVolume: old\n"
      "* VolumeAttachment with .spec.source.persistentVolumeName not matching a PersistentVolume: gone");
}

TEST(Claims, OfAPodAreThoseItNamesAndThoseMadeForIt) {
  EXPECT_THAT(claims_of(a_pod("p").claim("shared").ephemeral("scratch")),
              ElementsAre("default/shared", "default/p-scratch"));
}

}  // namespace
}  // namespace capstan::controllers::drain
