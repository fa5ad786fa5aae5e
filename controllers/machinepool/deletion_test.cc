#include "controllers/machinepool/deletion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machinepool/decide.h"
#include "controllers/machinepool/seen_fixture.h"

namespace capstan::controllers::machinepool {
namespace {

using builders::a_node;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Seen a_leaving_world() {
  Seen world;
  world.pool.metadata.deletion_timestamp = builders::noon();
  return world;
}
Seen an_emptied_world() {
  Seen world = a_leaving_world();
  world.where([](Observation& seen) {
    seen.infra.state = ExternalSeen::State::Missing;
    seen.bootstrap.state = ExternalSeen::State::Missing;
  });
  return world;
}
TEST(Leave, RemovesBothProviderObjectsAtOnce) {
  const auto seen = a_leaving_world().seen();
  const auto leaving = decide_deletion(seen);

  EXPECT_THAT(removed(leaving), ElementsAre("BoxPool", "Recipe"));
  EXPECT_EQ(leaving.message, "Waiting for the deletion of BoxPool mp1, Recipe mp1");
  EXPECT_EQ(leaving.reason, "WaitingForInfrastructureDeletion");
  EXPECT_FALSE(has<ConfirmGone>(leaving));
  EXPECT_FALSE(has<DropFinalizer>(leaving));
}

TEST(Leave, AsksOnlyOnce) {
  auto world = a_leaving_world();
  world.infra({{"metadata", {{"deletionTimestamp", "2026-01-01T12:00:00Z"}}}});
  const auto seen = world.seen();
  const auto leaving = decide_deletion(seen);

  EXPECT_THAT(removed(leaving), ElementsAre("Recipe"));
  EXPECT_FALSE(has<DropFinalizer>(leaving));
}

TEST(Leave, RemovesNothingOfSomebodyElse) {
  auto world = a_leaving_world();
  world.infra({{"metadata",
                {{"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                                  {"kind", "MachinePool"},
                                                  {"name", "other"},
                                                  {"uid", "u"},
                                                  {"controller", true}}}}}}});
  const auto seen = world.seen();
  const auto leaving = decide_deletion(seen);

  EXPECT_THAT(removed(leaving), ElementsAre("Recipe"));
  EXPECT_EQ(leaving.reason, "WaitingForBootstrapDeletion");
}

TEST(Leave, RemovesNothingWhileTheCachesAreBehind) {
  auto world = a_leaving_world();
  world.where([](Observation& seen) { seen.fresh = false; });
  const auto seen = world.seen();

  EXPECT_THAT(removed(decide_deletion(seen)), IsEmpty());
}

TEST(Leave, WaitsForAKindThatIsNotListedYet) {
  auto world = an_emptied_world();
  world.where([](Observation& seen) { seen.infra.state = ExternalSeen::State::CacheBehind; });
  const auto leaving = decide_deletion(world.seen());

  EXPECT_FALSE(has<ConfirmGone>(leaving));
  EXPECT_FALSE(has<DropFinalizer>(leaving));
  EXPECT_EQ(leaving.recheck, Seconds(1));
}

TEST(Leave, SaysWhichKindCannotBeListedAndAsksRarely) {
  auto world = an_emptied_world();
  world.where([](Observation& seen) {
    seen.infra = {.state = ExternalSeen::State::CacheBehind,
                  .problem = "boxpools can't be listed: forbidden",
                  .listed_soon = false};
  });
  const auto leaving = decide_deletion(world.seen());

  EXPECT_FALSE(has<ConfirmGone>(leaving));
  EXPECT_FALSE(has<DropFinalizer>(leaving));
  EXPECT_EQ(leaving.recheck, Seconds(30));
  EXPECT_THAT(leaving.message, HasSubstr("boxpools can't be listed: forbidden"));
}

TEST(Leave, LeavesNodesAloneThatAnotherPoolListsToo) {
  auto world = an_emptied_world();
  world.knows({"n1", "n2"}).with(a_node("n1")).with(a_node("n2")).where([](Observation& seen) {
    seen.instances.front().shared = true;
  });

  EXPECT_THAT(nodes_of_all<DeleteNodes>(decide_deletion(world.seen())), ElementsAre("n2"));
}

TEST(Leave, GivesUpAfterTenSecondsWhereNobodySaidHowLong) {
  auto world = an_emptied_world();
  world.knows({"n1"}).referred({"n1"});
  world.pool.spec.machine_template.spec.deletion = {};
  const auto at = [&](int seconds) {
    world.where(
        [&](Observation& seen) { seen.now = Time::from_unix(builders::noon().unix_seconds() + seconds); });
    return has<DropFinalizer>(decide_deletion(world.seen()));
  };

  EXPECT_FALSE(at(10));
  EXPECT_TRUE(at(11));
}

Seen a_world_to_be_drained() {
  Seen world = a_leaving_world();
  world.knows({"n1", "n2"}).with(a_node("n1")).with(a_node("n2")).where([](Observation& seen) {
    seen.drains = true;
  });
  return world;
}
TEST(Leave, DrainsFirstWhereAPolicyAsksForIt) {
  auto world = a_world_to_be_drained();
  const auto seen = world.seen();
  auto unasked = a_world_to_be_drained();
  unasked.where([](Observation& all) { all.drains = false; });
  const auto seen_unasked = unasked.seen();

  EXPECT_THAT(nodes_of_all<DrainNodes>(decide_deletion(seen)), ElementsAre("n1", "n2"));
  EXPECT_THAT(nodes_of_all<DrainNodes>(decide_deletion(seen_unasked)), IsEmpty());
}

TEST(Leave, DrainsNobodyWhoseInstancesGoAlready) {
  auto world = a_world_to_be_drained();
  world.infra({{"metadata", {{"deletionTimestamp", "2026-01-01T12:00:00Z"}}}});
  const auto seen = world.seen();

  EXPECT_THAT(nodes_of_all<DrainNodes>(decide_deletion(seen)), IsEmpty());
}

TEST(Leave, DrainsNobodyWhoseClusterGoesToo) {
  auto world = a_world_to_be_drained();
  world.where([](Observation& all) { all.cluster = builders::a_cluster().deleting().shared(); });
  const auto seen = world.seen();

  EXPECT_THAT(nodes_of_all<DrainNodes>(decide_deletion(seen)), IsEmpty());
  EXPECT_THAT(removed(decide_deletion(seen)), ElementsAre("BoxPool", "Recipe"));
}

TEST(Leave, WaitsForNodesOutOfReachAsLongAsBothTimeoutsSay) {
  auto world = a_leaving_world();
  world.knows({"n1"}).where([](Observation& all) { all.drains = true; });
  auto& deletion = world.pool.spec.machine_template.spec.deletion;
  deletion.node_drain_timeout_seconds = 60;
  deletion.node_volume_detach_timeout_seconds = 30;
  const auto removed_at = [&](int seconds) {
    world.where(
        [&](Observation& all) { all.now = Time::from_unix(builders::noon().unix_seconds() + seconds); });
    const auto seen = world.seen();
    return removed(decide_deletion(seen)).size();
  };

  EXPECT_EQ(removed_at(89), 0u);
  EXPECT_EQ(removed_at(90), 2u);
  deletion.node_volume_detach_timeout_seconds = 0;
  EXPECT_EQ(removed_at(3600), 0u);
  world.pool.metadata.annotations.set(Text(api::annotation::kExcludeWaitForNodeVolumeDetach), Text());
  EXPECT_EQ(removed_at(59), 0u);
  EXPECT_EQ(removed_at(60), 2u);
}

TEST(Leave, DrainsNobodyWhoIsExcludedFromBoth) {
  auto world = a_world_to_be_drained();
  world.pool.metadata.annotations.set(Text(api::annotation::kExcludeNodeDraining), Text());
  const auto volumes_only = world.seen();
  world.pool.spec.machine_template.metadata.annotations.set(
      Text(api::annotation::kExcludeWaitForNodeVolumeDetach), Text());
  const auto neither = world.seen();

  EXPECT_THAT(nodes_of_all<DrainNodes>(decide_deletion(volumes_only)), ElementsAre("n1", "n2"));
  EXPECT_THAT(nodes_of_all<DrainNodes>(decide_deletion(neither)), IsEmpty());
}

std::vector<std::string> late_in(const Seen& world) {
  const auto seen = world.seen();
  std::vector<std::string> ids;
  for (const Text& id : named_late(seen.infra_says, *seen.pool)) ids.push_back(id.str());
  return ids;
}

TEST(NamedLate, AreInstancesThatTheListLacks) {
  auto world = a_leaving_world();
  world.knows({"n1"}).instances({"n2", "n1", "n3"});

  EXPECT_THAT(late_in(world), ElementsAre(id_of("n2"), id_of("n3")));
}

TEST(NamedLate, NeedNotBeReady) {
  auto world = a_leaving_world();
  world.infra({{"spec", {{"providerIDList", json::array{json::value(id_of("n1"))}}}}});

  EXPECT_THAT(late_in(world), ElementsAre(id_of("n1")));
}

TEST(NamedLate, AreNoneOfAListThatCannotBeRight) {
  auto world = a_leaving_world();
  world.instances({"n1", "n1"});
  const auto twice = late_in(world);
  world.instances({"n1"}).infra(
      {{"spec", {{"providerIDList", json::array{json::value(id_of("n1"))}}}},
       {"metadata",
        {{"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                          {"kind", "MachinePool"},
                                          {"name", "other"},
                                          {"uid", "u"},
                                          {"controller", true}}}}}}});

  EXPECT_THAT(twice, IsEmpty());
  EXPECT_THAT(late_in(world), IsEmpty()) << "of somebody else";
}

TEST(Leave, KeepsInMindWhatItsListLacks) {
  auto world = a_leaving_world();
  world.where([](Observation& all) { all.late = {Text(id_of("n1"))}; });
  const auto seen = world.seen();

  const auto writes = actions_of<WritePool>(decide_deletion(seen));
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_THAT(writes[0].from->spec.provider_id_list, IsEmpty());
  EXPECT_THAT(writes[0].to.spec.provider_id_list, ElementsAre(Text(id_of("n1"))));
  EXPECT_THAT(list_to_be(seen).ids, ElementsAre(Text(id_of("n1"))));
}

TEST(Leave, WaitsForTheWayToTheNodesItHasToDrain) {
  auto world = a_leaving_world();
  world.knows({"n1"}).where([](Observation& all) { all.drains = true; });
  const auto seen = world.seen();
  const auto leaving = decide_deletion(seen);

  EXPECT_THAT(removed(leaving), IsEmpty());
  EXPECT_EQ(leaving.reason, "DrainingNode");
  EXPECT_THAT(leaving.message, HasSubstr("no connection has been made yet"));
}

TEST(Leave, TakesTheNodesAlongThatStillAreInTheList) {
  auto world = an_emptied_world();
  world.knows({"n1", "n2"}).referred({"n1"}).with(a_node("n1")).with(a_node("n2"));
  const auto leaving = decide_deletion(world.seen());

  EXPECT_TRUE(has<ConfirmGone>(leaving));
  EXPECT_THAT(nodes_of_all<DeleteNodes>(leaving), ElementsAre("n1", "n2"));
  EXPECT_TRUE(has<DropFinalizer>(leaving));
}

TEST(Leave, LeavesNodesOfMachinesToThem) {
  auto world = an_emptied_world();
  world.knows({"n1", "n2"}).referred({"n1", "n2"}).connected();
  world.with(builders::a_machine("m1").in_pool(kPool).on_node("n1"));

  EXPECT_THAT(nodes_of_all<DeleteNodes>(decide_deletion(world.seen())), ElementsAre("n2"));
}

TEST(Leave, WaitsForAClusterItCannotReach) {
  auto world = an_emptied_world();
  world.knows({"n1"}).referred({"n1"});
  const auto leaving = decide_deletion(world.seen());

  EXPECT_FALSE(has<DropFinalizer>(leaving));
  EXPECT_THAT(leaving.message, HasSubstr("no connection has been made yet"));
  EXPECT_EQ(leaving.recheck, Seconds(11));
}

TEST(Leave, GivesUpOnNodesWhenTheTimeIsOver) {
  auto world = an_emptied_world();
  world.knows({"n1"}).referred({"n1"});
  world.where([](Observation& seen) { seen.now = Time::from_unix(builders::noon().unix_seconds() + 11); });
  const auto leaving = decide_deletion(world.seen());

  EXPECT_TRUE(has<DropFinalizer>(leaving));
  EXPECT_THAT(nodes_of_all<DeleteNodes>(leaving), IsEmpty());
}

TEST(Leave, TriesNodesOnceEvenWhenTheTimeIsOver) {
  auto world = an_emptied_world();
  world.knows({"n1"}).referred({"n1"}).connected();
  world.where([](Observation& seen) { seen.now = Time::from_unix(builders::noon().unix_seconds() + 3600); });
  const auto leaving = decide_deletion(world.seen());

  EXPECT_THAT(nodes_of_all<DeleteNodes>(leaving), ElementsAre("n1"));
  EXPECT_TRUE(has<DropFinalizer>(leaving));
  EXPECT_TRUE(actions_of<DeleteNodes>(leaving)[0].once);
}

TEST(Leave, NeverGivesUpWithATimeoutOfZero) {
  auto world = an_emptied_world();
  world.knows({"n1"}).referred({"n1"});
  world.pool.spec.machine_template.spec.deletion.node_deletion_timeout_seconds = 0;
  world.where([](Observation& seen) { seen.now = Time::from_unix(builders::noon().unix_seconds() + 86400); });

  EXPECT_FALSE(has<DropFinalizer>(decide_deletion(world.seen())));
}

TEST(Leave, AsksNobodyForNodesOfAClusterThatGoesToo) {
  auto world = an_emptied_world();
  world.knows({"n1"}).referred({"n1"});
  world.where([](Observation& seen) { seen.cluster = builders::a_cluster().deleting().shared(); });
  const auto leaving = decide_deletion(world.seen());

  EXPECT_TRUE(has<DropFinalizer>(leaving));
  EXPECT_THAT(nodes_of_all<DeleteNodes>(leaving), IsEmpty());
}

TEST(Leave, GoesAtOnceWhereNothingEverWas) {
  const auto leaving = decide_deletion(an_emptied_world().seen());

  EXPECT_TRUE(has<ConfirmGone>(leaving));
  EXPECT_TRUE(has<DropFinalizer>(leaving));
}

// --- the plan, action by action ---

// Its provider's objects are there, unowned, and the list is as long as the infrastructure's.
Seen a_draining_plan() {
  auto world = a_leaving_world();
  world.knows({"n1"}).referred({"n1"}).with(a_node("n1"));
  world.where([](Observation& all) {
    all.drains = true;
    all.late = {Text(id_of("n2"))};
  });
  return world;
}

TEST(DeletionPlan, DrainsBeforeItConfirmsTheListAndDeletesProviderObjects) {
  EXPECT_THAT(in_words(decide_deletion(a_draining_plan().seen())),
              ElementsAre("claim BoxPool", "claim Recipe", "write pool with 2 instances", "drain n1",
                          "confirm list", "delete BoxPool", "delete Recipe"));
}

TEST(DeletionPlan, DrainsSinceThePoolIsBeingDeleted) {
  const auto plan = decide_deletion(a_draining_plan().seen());

  const auto drains = actions_of<DrainNodes>(plan);
  ASSERT_EQ(drains.size(), 1u);
  EXPECT_EQ(drains[0].since, builders::noon());
}

TEST(DeletionPlan, ConfirmsTheListOnlyBeforeInstancesEnd) {
  auto world = a_leaving_world();
  world.where([](Observation& seen) { seen.infra.state = ExternalSeen::State::Missing; });

  EXPECT_THAT(in_words(decide_deletion(world.seen())), ElementsAre("claim Recipe", "delete Recipe"));
}

TEST(DeletionPlan, EndsWithNodesAndFinalizerOnceTheServerConfirmsThatProviderObjectsAreGone) {
  auto world = an_emptied_world();
  world.knows({"n1", "n2"}).referred({"n1", "n2"}).connected();

  EXPECT_THAT(in_words(decide_deletion(world.seen())),
              ElementsAre("confirm gone", "delete n1 n2", "drop finalizer"));
}

TEST(DeletionPlan, ConfirmsThatProviderObjectsAreGoneEvenWhileNodesCannotBeReached) {
  auto world = an_emptied_world();
  world.knows({"n1"}).referred({"n1"});

  EXPECT_THAT(in_words(decide_deletion(world.seen())), ElementsAre("confirm gone"));
}

TEST(DeletionPlan, IsWhatDecideAnswersForAPoolThatGoesAndIsEqualForEqualObservations) {
  const auto seen = a_draining_plan().seen();

  EXPECT_EQ(decide(seen).actions, decide_deletion(seen).actions);
  EXPECT_NE(decide(seen).actions, decide_deletion(an_emptied_world().seen()).actions);
}

}  // namespace
}  // namespace capstan::controllers::machinepool
