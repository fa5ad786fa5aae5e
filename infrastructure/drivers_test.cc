// Which driver an object gets.
#include "infrastructure/drivers.h"

#include <gmock/gmock.h>

#include "infrastructure/sim/cloud.h"

namespace capstan::infrastructure {
namespace {

struct TwoClouds {
  SystemClock clock = {};
  SystemThreads threads = {};
  sim::SimCloud aws{{.clock = clock, .threads = threads}, {}};
  sim::SimCloud metal{{.clock = clock, .threads = threads}, {}};
};

TEST(Drivers, AreFoundByName) {
  TwoClouds world;
  const Drivers drivers({{"aws", &world.aws}, {"metal", &world.metal}});

  EXPECT_EQ(&drivers.of("aws"), &world.aws);
  EXPECT_EQ(&drivers.of("metal"), &world.metal);
}

TEST(Drivers, OneThatIsAloneNeedsNoName) {
  TwoClouds world;
  const Drivers drivers({{"aws", &world.aws}});

  EXPECT_EQ(&drivers.of(""), &world.aws);
  EXPECT_NE(&drivers.of("metal"), &world.aws);
}

TEST(Drivers, TheSimulatedCloudStandsInForAll) {
  TwoClouds world;
  const Drivers drivers(world.aws);

  EXPECT_EQ(&drivers.of(""), &world.aws);
  EXPECT_EQ(&drivers.of("metal"), &world.aws);
}

// Absence would let a removal end: the VM would stay.
TEST(Drivers, OneThatIsMissingSaysWhichThereAreAndProvesNothing) {
  TwoClouds world;
  const Drivers drivers({{"aws", &world.aws}, {"metal", &world.metal}});

  for (const auto* const name : {"", "azure"}) {
    const auto removed = drivers.of(name).remove({.provider_id = "x"}, {}, Deadline::never());
    ASSERT_FALSE(removed) << name;
    EXPECT_EQ(removed.error().describe(),
              "FailedPrecondition: spec.driver names no driver of this provider; there are: aws, metal");
    EXPECT_EQ(reaction(Verb::Remove, removed.error()).next, Reaction::Next::Retry);
    EXPECT_EQ(reaction(Verb::Status, removed.error()).next, Reaction::Next::Retry);
  }
}

}  // namespace
}  // namespace capstan::infrastructure
