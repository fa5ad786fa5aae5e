#include "controllers/machinepool/size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machinepool/seen_fixture.h"

namespace capstan::controllers::machinepool {
namespace {

using testing::HasSubstr;

api::MachinePool without_size(std::optional<std::int32_t> present = {}) {
  api::MachinePool pool = a_pool();
  pool.spec.replicas.reset();
  pool.status.replicas = present;
  return pool;
}
api::MachinePool limited(api::MachinePool pool, std::string_view least, std::string_view most) {
  pool.metadata.annotations.set(Text(api::annotation::kAutoscalerMinSize), Text(least));
  pool.metadata.annotations.set(Text(api::annotation::kAutoscalerMaxSize), Text(most));
  return pool;
}

TEST(Size, IsWhatTheUserSays) {
  const auto size = size_of(a_pool(4));

  EXPECT_EQ(size.replicas, 4);
  EXPECT_EQ(size.problem, "");
}

TEST(Size, LeftOutIsOneInstance) { EXPECT_EQ(size_of(without_size()).replicas, 1); }

TEST(Size, LeftOutNeverShrinksAPool) { EXPECT_EQ(size_of(without_size(7)).replicas, 7); }

TEST(Size, LeftOutStaysWithinTheAutoscalersLimits) {
  EXPECT_EQ(size_of(limited(without_size(), "3", "5")).replicas, 3);
  EXPECT_EQ(size_of(limited(without_size(4), "3", "5")).replicas, 4);
  EXPECT_EQ(size_of(limited(without_size(9), "3", "5")).replicas, 5);
  EXPECT_EQ(size_of(limited(a_pool(9), "3", "5")).replicas, 9) << "said is said";
}

TEST(Size, HasNoDefaultWhereTheAnnotationsMakeNoSense) {
  const auto size = size_of(limited(without_size(4), "three", "5"));

  EXPECT_EQ(size.replicas, std::nullopt);
  EXPECT_THAT(size.problem, HasSubstr("three"));
  EXPECT_THAT(size.problem, HasSubstr("correct it, or set spec.replicas"));
}

TEST(Size, MustNotBeNegativeNorMoreThanAPoolCanHave) {
  EXPECT_EQ(size_of(a_pool(0)).problem, "");
  EXPECT_EQ(size_of(a_pool(10000)).problem, "");
  EXPECT_EQ(size_of(a_pool(-3)).problem, "spec.replicas is -3: set it to 0 or more");
  EXPECT_THAT(size_of(a_pool(10001)).problem, HasSubstr("a MachinePool has 10000 instances at most"));
}

TEST(Size, ThatMakesNoSenseIsShownWithTheRemedy) {
  Seen negative;
  negative.pool = a_pool(-3);
  Seen lost;
  lost.pool = limited(without_size(4), "three", "5");
  const auto shown = [](const Seen& world, std::string_view type) {
    const auto after = world.reported();
    const auto condition = api::conditions::find(after.status.conditions, type);
    return condition->status.str() + " " + condition->reason.str() + ": " + condition->message.str();
  };

  for (const std::string_view type : {"Available", "ScalingUp", "ScalingDown"}) {
    EXPECT_EQ(shown(negative, type), "Unknown InvalidReplicas: spec.replicas is -3: set it to 0 or more");
    EXPECT_THAT(shown(lost, type), testing::StartsWith("Unknown WaitingForReplicasSet: "));
    EXPECT_THAT(shown(lost, type), HasSubstr("correct it, or set spec.replicas"));
  }
  EXPECT_GE(*negative.instances({}).reported().status.up_to_date_replicas, 0);
}

TEST(Size, BeyondWhatAPoolCanHaveIsWhyItDoesNotGetThere) {
  Seen world;
  world.pool = a_pool(20000);
  world.instances({"n1"}).knows({"n1"});

  const auto after = world.reported();

  const auto condition = api::conditions::find(after.status.conditions, "ScalingUp");
  EXPECT_EQ(condition->status, "True");
  EXPECT_THAT(condition->message.str(), HasSubstr("is blocked because:\n* spec.replicas is 20000"));
}

}  // namespace
}  // namespace capstan::controllers::machinepool
