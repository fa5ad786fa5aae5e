#include "infrastructure/controller/brakes.h"

#include <gmock/gmock.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "test/builders/cluster.h"

namespace capstan::infrastructure {
namespace {

using testing::HasSubstr;

api::Cluster cluster() { return builders::a_cluster("c1").infrastructure_provisioned(); }
api::Cluster probed(std::string_view status) {
  api::Cluster cluster = builders::a_cluster("c1").infrastructure_provisioned();
  cluster.status.initialization.control_plane_initialized = true;
  cluster.status.conditions.push_back(
      api::conditions::make(api::condition::kRemoteConnectionProbe, status, "Test"));
  return cluster;
}
api::MachinePool pool() {
  api::MachinePool pool;
  pool.metadata.name = "mp1"_text;
  return pool;
}
template <typename Owner>
Owner frozen(Owner owner, std::string_view reason) {
  auto condition = api::conditions::make("capstan.dev/Frozen", "True", reason);
  condition.message = FreeText("so it opens");
  owner.status.conditions.push_back(condition);
  return owner;
}
template <typename Owner>
Owner annotated(Owner owner, std::string_view says) {
  owner.metadata.annotations.set("capstan.dev/freeze", says);
  return owner;
}

TEST(Brakes, AreOpenWhereNothingIsFrozenAndTheApiServerAnswers) {
  EXPECT_EQ(brakes_of(cluster()), Brakes()) << "before there is a control plane nothing is to be reached";
  EXPECT_EQ(brakes_of(probed("True")), Brakes());
  EXPECT_EQ(brakes_of(probed("True"), pool()), Brakes());
  EXPECT_EQ(brakes_of(annotated(cluster(), "false")), Brakes());
}

TEST(Brakes, OfAFrozenClusterHoldBothAndSayWhatOpensThem) {
  const Brakes by_person = brakes_of(annotated(cluster(), "audit"));
  const Brakes by_fleet = brakes_of(frozen(cluster(), "FrozenByFleet"));

  EXPECT_EQ(by_person.creations, "Cluster c1 is frozen by the annotation capstan.dev/freeze; take it off");
  EXPECT_EQ(by_person.deletions, by_person.creations);
  EXPECT_EQ(by_fleet.creations, "Cluster c1 is frozen, see its condition capstan.dev/Frozen: so it opens");
  EXPECT_EQ(by_fleet.deletions, by_fleet.creations);
}

TEST(Brakes, OfAFrozenPoolHoldBothUnlessItHasTooManyInstances) {
  const Brakes by_person = brakes_of(cluster(), annotated(pool(), "audit"));
  const Brakes by_number = brakes_of(cluster(), frozen(pool(), "OvershootingReplicaCount"));

  EXPECT_THAT(by_person.creations, HasSubstr("MachinePool mp1 is frozen"));
  EXPECT_EQ(by_person.deletions, by_person.creations);
  EXPECT_THAT(by_number.creations, HasSubstr("MachinePool mp1 is frozen"));
  EXPECT_EQ(by_number.deletions, "") << "that there are fewer opens it";
}

TEST(Brakes, HoldBothWhileTheApiServerIsOutOfReach) {
  for (const std::string_view status : {"False", "Unknown"}) {
    const Brakes brakes = brakes_of(probed(status), pool());

    EXPECT_EQ(
        brakes.creations,
        "the core does not reach the API server of Cluster c1, see its condition RemoteConnectionProbe");
    EXPECT_EQ(brakes.deletions, brakes.creations);
  }
}

TEST(Brakes, OfAClusterWinOverThoseOfAPoolThatLosesInstances) {
  EXPECT_NE(brakes_of(probed("False"), frozen(pool(), "OvershootingReplicaCount")).deletions, "");
}

TEST(Brakes, WakeWhatTheyHeld) {
  const auto change = [](const auto& before, const auto& after) {
    using Object = std::remove_cvref_t<decltype(before)>;
    return runtime::Change<Object>{.before = std::make_shared<const Object>(before),
                                   .after = std::make_shared<const Object>(after)};
  };

  EXPECT_TRUE(changes_brakes(change(probed("False"), probed("True"))));
  EXPECT_TRUE(changes_brakes(change(annotated(cluster(), "audit"), cluster())));
  EXPECT_TRUE(changes_brakes(change(frozen(pool(), "OvershootingReplicaCount"), pool())));
  EXPECT_FALSE(changes_brakes(change(cluster(), probed("True"))));
  EXPECT_FALSE(changes_brakes(change(annotated(cluster(), "false"), cluster())));
  EXPECT_FALSE(changes_brakes(change(pool(), pool())));
}

}  // namespace
}  // namespace capstan::infrastructure
