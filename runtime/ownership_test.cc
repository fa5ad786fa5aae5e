#include "runtime/ownership.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

namespace capstan::runtime {
namespace {

using api::OwnerReference;
using api::OwnerReferences;

const kube::Resource kSets{
    .group = "cluster.x-k8s.io", .version = "v1beta2", .plural = "machinesets", .kind = "MachineSet"};

api::ObjectMeta named(std::string_view name, std::string_view uid) {
  api::ObjectMeta metadata;
  metadata.name = Text(name);
  metadata.uid = api::Uid(uid);
  return metadata;
}

OwnerReference owner(std::string_view api_version, std::string_view name, std::string_view uid) {
  return {
      .api_version = Text(api_version), .kind = "MachineSet"_text, .name = Text(name), .uid = api::Uid(uid)};
}

OwnerReferences list(std::vector<OwnerReference> owners) { return OwnerReferences(std::move(owners)); }

TEST(Ownership, AReferenceNamesKindNameAndUid) {
  const OwnerReference reference = owner_reference(kSets, named("set", "u1"));

  EXPECT_EQ(reference.api_version, std::string_view("cluster.x-k8s.io/v1beta2"));
  EXPECT_EQ(reference.uid, api::Uid("u1"));
  EXPECT_FALSE(reference.is_controller());
  EXPECT_TRUE(controller_reference(kSets, named("set", "u1")).is_controller());
  EXPECT_EQ(controller_reference(kSets, named("set", "u1")).block_owner_deletion, true);
}

TEST(Ownership, ANewOwnerComesLast) {
  const auto owners = with_owner(list({owner("g/v1", "a", "u1")}), owner("g/v1", "b", "u2"));

  ASSERT_EQ(owners->size(), 2U);
  EXPECT_EQ((*owners)[1].name, std::string_view("b"));
}

TEST(Ownership, TheSameOwnerInAnotherVersionIsReplacedInItsPlace) {
  const auto owners = with_owner(list({owner("g/v1beta1", "a", "old"), owner("g/v1", "b", "u2")}),
                                 owner("g/v1beta2", "a", "new"));

  ASSERT_EQ(owners->size(), 2U);
  EXPECT_EQ((*owners)[0].api_version, std::string_view("g/v1beta2"));
  EXPECT_EQ((*owners)[0].uid, api::Uid("new"));
}

TEST(Ownership, OfAnotherGroupIsAnotherOwner) {
  EXPECT_EQ(with_owner(list({owner("g/v1", "a", "u1")}), owner("h/v1", "a", "u2"))->size(), 2U);
}

TEST(Ownership, AnOwnerThatIsThereChangesNothing) {
  const auto owners = list({owner("g/v1", "a", "u1")});

  EXPECT_EQ(with_owner(owners, owner("g/v1", "a", "u1")), owners);
}

TEST(Ownership, ThereIsOneControllerAtMost) {
  const auto owners = list({controller_reference(kSets, named("first", "u1"))});

  const auto refused = with_controller(owners, controller_reference(kSets, named("second", "u2")));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Conflict);
  EXPECT_EQ(refused.error().message, "is controlled by MachineSet first already");
}

TEST(Ownership, TheControllerMayBeRefreshedAndPlainOwnersAdded) {
  const auto owners = list({controller_reference(kSets, named("first", "u1"))});

  EXPECT_TRUE(with_controller(owners, controller_reference(kSets, named("first", "u9"))));
  EXPECT_EQ((*with_controller(owners, owner_reference(kSets, named("second", "u2"))))->size(), 2U);
}

TEST(Ownership, AnOwnerCanBeTakenAway) {
  const auto owners = list({owner("g/v1", "a", "u1"), owner("g/v1", "b", "u2")});

  const auto left = without_owner(owners, owner("g/v2", "a", "whatever"));

  ASSERT_EQ(left->size(), 1U);
  EXPECT_EQ((*left)[0].name, std::string_view("b"));
}

TEST(Ownership, IsAskedByUidOrByName) {
  api::ObjectMeta object = named("m", "m1");
  object.owner_references = list({controller_reference(kSets, named("set", "u1")), owner("g/v1", "b", "u2")});

  EXPECT_TRUE(is_owned_by(object, api::Uid("u2")));
  EXPECT_FALSE(is_owned_by(object, api::Uid("u3")));
  EXPECT_TRUE(is_controlled_by(object, api::Uid("u1")));
  EXPECT_FALSE(is_controlled_by(object, api::Uid("u2")));
  EXPECT_NE(find_owner(object.owner_references, "cluster.x-k8s.io", "MachineSet", "set"), nullptr);
  EXPECT_EQ(find_owner(object.owner_references, "cluster.x-k8s.io", "MachineSet", "other"), nullptr);
}

TEST(Ownership, ThePatchForAStrangersObjectIsGuardedByItsVersion) {
  const auto patch = owners_patch(list({owner("g/v1", "a", "u1")}), api::ResourceVersion(7));

  EXPECT_EQ(patch, boost::json::parse(R"({"metadata":{"resourceVersion":"7","ownerReferences":[
    {"apiVersion":"g/v1","kind":"MachineSet","name":"a","uid":"u1"}]}})"));
}

}  // namespace
}  // namespace capstan::runtime
