#include "controllers/machineset/named_victims.h"

#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/machineset/seen_fixture.h"
#include "test/builders/machine_deployment.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::a_machine_deployment;

// A set of `a` and `b`, which has last got the size that belongs to a MachineDeployment of two replicas; now
// that one wants as many, and names `b`.
Seen set_of_two(std::int32_t deployment_wants) {
  return a_world().with(a_machine("a")).with(a_machine("b")).where([=](Observation& seen) {
    auto stored = *seen.stored;
    stored.metadata.annotations.set(Text(api::annotation::kDesiredReplicas), Text("2"));
    seen.stored = std::make_shared<const api::MachineSet>(std::move(stored));
    seen.deployment = a_machine_deployment("d")
                          .replicas(deployment_wants)
                          .annotated(api::policy::annotation::kVictims, "b")
                          .shared();
  });
}

TEST(NamedVictims, GoWhateverTheReplicasAreOnceTheSetHasThoseThatCameWithThem) {
  const Seen world = set_of_two(2);
  const NamedVictims victims = named_victims(world.seen());

  EXPECT_FALSE(victims.has(*world.seen().machines[0]));
  EXPECT_TRUE(victims.has(*world.seen().machines[1]));
  EXPECT_TRUE(victims.goes_first(*world.seen().machines[1]));
}

// A user wanted three again a moment after an autoscaler had wanted two: the set saw the names of the
// second write beside the size of the first, deleted `a` for the size, and then `b`, too.
TEST(NamedVictims, GoFirstForASizeThatTheSetGotBeforeThem) {
  const Seen world = set_of_two(3);
  const NamedVictims victims = named_victims(world.seen());

  EXPECT_TRUE(victims.none()) << "none goes for its name alone";
  EXPECT_TRUE(victims.goes_first(*world.seen().machines[1]));
  EXPECT_FALSE(victims.goes_first(*world.seen().machines[0]));
}

#ifdef CAPSTAN_DEFECTS
TEST(NamedVictims, WithoutTheirSafeguardGoForASizeThatIsNotTheirs) {
  const Seen world = set_of_two(3);

  switch_off(Safeguard::VictimsAwaitReplicas);
  const NamedVictims victims = named_victims(world.seen());
  switch_off(std::nullopt);

  EXPECT_TRUE(victims.has(*world.seen().machines[1]));
}
#endif

}  // namespace
}  // namespace capstan::controllers::machineset
