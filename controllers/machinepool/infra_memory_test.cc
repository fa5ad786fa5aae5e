#include "controllers/machinepool/infra_memory.h"

#include <gtest/gtest.h>

#include "controllers/machinepool/seen_fixture.h"

namespace capstan::controllers::machinepool {
namespace {

TEST(InfraMemory, AnswersAsAFreshLookWould) {
  InfraMemory memory;
  Seen world;
  const auto same = [&] {
    const auto seen = world.seen();
    const auto first = memory.read(seen.infra, *seen.pool);
    const auto again = memory.read(seen.infra, *seen.pool);
    const auto fresh = read_infra(seen.infra, *seen.pool);
    return first.provider_ids == fresh.provider_ids && again.provider_ids == fresh.provider_ids &&
           again.ready == fresh.ready && again.replicas == fresh.replicas && again.claim == fresh.claim &&
           again.problem == fresh.problem && again.wrong_ids == fresh.wrong_ids;
  };

  EXPECT_TRUE(same());
  world.instances({"n1", "n2"});
  EXPECT_TRUE(same());
  world.instances({"n1", ""});
  EXPECT_TRUE(same());
  world.instances({"n1"}, -1);
  EXPECT_TRUE(same());
}

TEST(InfraMemory, DoesNotMistakeOnePoolForAnotherOfItsName) {
  InfraMemory memory;
  Seen world;
  world.instances({"n1"});
  const auto seen = world.seen();
  (void)memory.read(seen.infra, *seen.pool);
  api::MachinePool another = *seen.pool;
  another.metadata.uid = builders::uid_of(api::kind::kMachinePool, "another");

  const auto claim = memory.read(seen.infra, another).claim;

  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->owners->front().uid, another.metadata.uid);
}

}  // namespace
}  // namespace capstan::controllers::machinepool
