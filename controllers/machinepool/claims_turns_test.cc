// Whole turns of a pool whose instances another object claims, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "controllers/machinepool/turn_fixture.h"
#include "test/builders/machine.h"

namespace capstan::controllers::machinepool {
namespace {

using builders::a_node;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

std::string listed_problem(MachinePoolFixture& stage) {
  const auto pool = stage.pool();
  const auto found = api::conditions::find(pool.status.conditions, api::condition::kInfrastructureReady);
  return found == nullptr ? "nothing"
                          : found->status.str() + " " + found->reason.str() + ": " + found->message.str();
}

// A worker of MachineSet workers on Node n1, looked after by its own controller.
void make_worker(MachinePoolFixture& stage) {
  stage.put(builders::a_machine("worker").in_set("workers").provider_id(id_of("n1")).on_node("n1").build());
  stage.make_node(a_node("n1"));
}

TEST(ClaimsTurns, APoolWhoseListHoldsTheInstanceOfAMachineDoesNotTouchItsNode) {
  in_simulation([](MachinePoolFixture& stage) {
    make_worker(stage);
    stage.make_pool();
    stage.connect();
    stage.start();

    stage.bootstrap_is_done();
    stage.infrastructure_has({"n1"});
    stage.settle(10s);

    EXPECT_THAT(stage.workload.described(), IsEmpty());
    EXPECT_THAT(listed_problem(stage),
                AllOf(HasSubstr("False InvalidProviderIDList"), HasSubstr("Machine worker")));
    EXPECT_THAT(stage.events.events, Contains(HasSubstr("InvalidProviderIDList")));
  });
}

TEST(ClaimsTurns, DeletingAPoolThatListsTheInstanceOfAMachineLeavesItsNodeAlone) {
  in_simulation([](MachinePoolFixture& stage) {
    make_worker(stage);
    api::MachinePool pool = a_pool(1);
    pool.spec.provider_id_list = {Text(id_of("n1"))};
    stage.make_pool(pool);
    stage.connect();
    stage.start();
    stage.settle();
    const auto told = listed_problem(stage);

    stage.remove(kPools, kPool);
    stage.settle(30s);

    EXPECT_THAT(told, HasSubstr("Machine worker"));
    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_TRUE(stage.node_exists("n1"));
    EXPECT_THAT(stage.workload.described(), IsEmpty());
  });
}

TEST(ClaimsTurns, APoolTakesAnInstanceWhenTheMachineThatHadItIsGone) {
  in_simulation([](MachinePoolFixture& stage) {
    make_worker(stage);
    stage.make_pool();
    stage.connect();
    stage.start();
    stage.infrastructure_has({"n1"});
    stage.settle(10s);

    stage.remove(kMachines, "worker");
    stage.settle(5s);

    EXPECT_THAT(stage.workload.described(), Contains("patch nodes n1"));
    EXPECT_THAT(stage.refs(), ElementsAre("n1"));
  });
}

// A Machine that was given the ID of a pool's instance, by hand or by a copied manifest.
TEST(ClaimsTurns, APoolKeepsItsNodeWhenAMachineClaimsItLater) {
  in_simulation([](MachinePoolFixture& stage) {
    stage.run_two();

    stage.put(
        builders::a_machine("stray").in_set("workers").provider_id(id_of("n1")).phase("Pending").build());
    stage.settle(10s);
    const auto while_claimed = stage.workload.described();
    stage.remove(kPools, kPool);
    stage.settle(10s);

    EXPECT_THAT(while_claimed, IsEmpty());
    EXPECT_FALSE(stage.exists(kPools, kPool));
    EXPECT_FALSE(stage.node_exists("n1"));
    EXPECT_FALSE(stage.node_exists("n2"));
  });
}

}  // namespace
}  // namespace capstan::controllers::machinepool
