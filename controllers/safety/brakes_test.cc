#include "controllers/safety/brakes.h"

#include <gtest/gtest.h>

#include "test/fakes/shut_brake.h"

namespace capstan::controllers::safety {
namespace {

const kube::ObjectKey kSet{.namespace_ = "default", .name = "workers"};
const runtime::Asker kAsker{.kind = "MachineSet", .key = kSet};

TEST(Brakes, AreOpenWhileEachOfThemIs) {
  const runtime::OpenBrake one;
  const runtime::OpenBrake other;
  Brakes brakes(one);
  brakes.add(other);
  EXPECT_TRUE(brakes.ask(runtime::Intent::CreateMachine, kAsker).open);
}

TEST(Brakes, AreShutWhenOneOfThemIs) {
  const runtime::OpenBrake open;
  const fakes::ShutBrake shut;
  Brakes brakes(open);
  brakes.add(shut);
  const auto verdict = brakes.ask(runtime::Intent::ScaleDown, kAsker);
  EXPECT_FALSE(verdict.open);
  EXPECT_EQ(verdict.why, "the brake is shut");
}

}  // namespace
}  // namespace capstan::controllers::safety
