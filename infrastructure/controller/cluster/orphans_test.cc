// What becomes of VMs that carry the key of a cluster and are no object's.
#include "infrastructure/controller/cluster/orphans.h"

#include <gmock/gmock.h>

#include "api/conditions/conditions.h"
#include "infrastructure/controller/cluster/decide.h"
#include "infrastructure/controller/cluster/report.h"
#include "test/builders/cluster.h"

namespace capstan::infrastructure::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Finding unmarked(std::string id) {
  return {.provider_id = id, .name = "vm-" + id, .object = {"default", "m"}, .account = "acme"};
}
Finding marked(std::string id) {
  Finding vm = unmarked(std::move(id));
  vm.since = builders::noon();
  return vm;
}
Finding confirmed(std::string id) {
  Finding vm = marked(std::move(id));
  vm.confirmed = true;
  return vm;
}

// A cluster that needs nothing else, with what the last list showed.
Observation seen_with(std::vector<Finding> findings, OrphanAction action = OrphanAction::Delete) {
  api::DriverCluster object;
  object.metadata.name = "c1"_text;
  object.metadata.finalizers = api::Finalizers({Text(api::driver::finalizer::kCluster)});
  object.spec.cluster_key = "ck"_text;
  object.status.initialization.provisioned = true;
  return {.now = builders::noon() + Seconds(60),
          .ensured = true,
          .object = std::make_shared<const api::DriverCluster>(object),
          .cluster = std::make_shared<const api::Cluster>(builders::a_cluster("c1").build()),
          .orphans = FoundOrphans{.findings = std::move(findings)},
          .orphan_settings = {.action = action}};
}
Observation in_cluster(Observation seen, const std::function<void(api::Cluster&)>& how) {
  api::Cluster cluster = *seen.cluster;
  how(cluster);
  seen.cluster = std::make_shared<const api::Cluster>(cluster);
  return seen;
}
std::string planned(const Observation& seen) { return describe(decide(seen)); }
api::DriverCluster reported(const Observation& seen, const Effects& effects = {}) {
  return report(seen, decide(seen), effects).after;
}

Observation asking(Observation seen) {
  return in_cluster(std::move(seen), [](api::Cluster& cluster) {
    cluster.metadata.annotations.set("capstan.dev/fleet-request", "Orphans~2026-01-01T12:00:00Z");
  });
}

TEST(Orphans, GiveUpTheirPlaceWhenNoneIsToBeDeletedAnyMore) {
  EXPECT_EQ(planned(asking(seen_with({confirmed("a")}))), "remove orphan a");
  EXPECT_EQ(planned(asking(seen_with({}))), "ask for no place for an orphan any more");
  EXPECT_EQ(planned(asking(seen_with({confirmed("a")}, OrphanAction::Report))),
            "ask for no place for an orphan any more");
}

// Else it would look like one that was not used, and count nowhere.
TEST(Orphans, LeaveAUsedGrantThereWhileTheFleetPolicyHasLimits) {
  Observation used = in_cluster(seen_with({}), [](api::Cluster& cluster) {
    cluster.metadata.annotations.set("capstan.dev/fleet-grant", "2026-01-01T12:00:00Z");
  });
  EXPECT_EQ(planned(used), "ask for no place for an orphan any more") << "no FleetPolicy takes it off";
  used.orphan_settings.has_limits = true;
  EXPECT_EQ(planned(used), "nothing");
}

TEST(Orphans, AreMarkedFirstAndDeletedOnceConfirmed) {
  EXPECT_EQ(planned(seen_with({unmarked("a")})), "mark orphan a");
  EXPECT_EQ(planned(seen_with({marked("a")})), "nothing");
  EXPECT_EQ(planned(seen_with({confirmed("a")})), "remove orphan a");
}

TEST(Orphans, AreOnlyMarkedWhereTheyAreToBeReported) {
  EXPECT_EQ(planned(seen_with({unmarked("a"), confirmed("b")}, OrphanAction::Report)), "mark orphan a");

  Finding second = confirmed("c");
  second.standing = Standing::Second;
  EXPECT_EQ(planned(seen_with({second}, OrphanAction::Report)), "nothing") << "the second VM of a key";
  EXPECT_EQ(planned(seen_with({second})), "remove orphan c");
}

TEST(Orphans, GoAsManyPerPeriodAsTheSettingsSay) {
  Observation seen = seen_with({confirmed("a"), confirmed("b"), confirmed("c")});
  EXPECT_EQ(planned(seen), "remove orphan a");
  seen.orphans->deleted = 1;
  EXPECT_EQ(planned(seen), "nothing");
  seen.orphan_settings.per_period = 3;
  EXPECT_EQ(planned(seen), "remove orphan a\nremove orphan b");
}

TEST(Orphans, ThatALiveLookKeptLetTheNextOneGo) {
  Finding kept = confirmed("a");
  kept.kept = "kept: its tags are others by now";
  const Observation seen = seen_with({kept, confirmed("b")});

  EXPECT_EQ(planned(seen), "remove orphan b");
  EXPECT_EQ(reported(seen).status.orphans.front().why,
            "no object has its key; kept: its tags are others by now");
}

TEST(Orphans, AreLeftAloneWhileAnythingForbidsIt) {
  const Observation seen = seen_with({unmarked("a"), confirmed("b")});
  Observation fleet = seen;
  fleet.orphan_settings.frozen = true;
  Observation unlisted = seen;
  unlisted.orphans.reset();
  const auto freeze = [](std::string_view value) {
    return [value](api::Cluster& cluster) { cluster.metadata.annotations.set("capstan.dev/freeze", value); };
  };

  EXPECT_EQ(planned(in_cluster(seen, freeze("an incident"))), "nothing");
  EXPECT_EQ(planned(in_cluster(seen,
                               [](api::Cluster& cluster) {
                                 cluster.status.conditions = {
                                     api::conditions::make("capstan.dev/Frozen", "True", "Frozen")};
                               })),
            "nothing");
  EXPECT_EQ(planned(in_cluster(seen, [](api::Cluster& cluster) { cluster.spec.paused = true; })),
            "paused: Cluster spec.paused is set to true");
  EXPECT_EQ(planned(in_cluster(
                seen, [](api::Cluster& cluster) { cluster.metadata.deletion_timestamp = builders::noon(); })),
            "nothing");
  EXPECT_EQ(planned(fleet), "nothing");
  EXPECT_EQ(planned(unlisted), "nothing");
  EXPECT_EQ(planned(in_cluster(seen, freeze("false"))), "mark orphan a\nremove orphan b");
}

api::Condition probe(std::string_view status) {
  return api::conditions::make(api::condition::kRemoteConnectionProbe, status, "Test");
}

TEST(Orphans, StayWhileTheApiServerOfTheirClusterIsOutOfReach) {
  const Observation seen = in_cluster(seen_with({unmarked("a"), confirmed("b")}), [](api::Cluster& cluster) {
    cluster.status.initialization.control_plane_initialized = true;
  });
  const auto probed = [&](std::string_view status) {
    return in_cluster(seen, [&](api::Cluster& cluster) { cluster.status.conditions = {probe(status)}; });
  };

  EXPECT_EQ(planned(seen), "nothing") << "nobody has reached it yet";
  EXPECT_EQ(planned(probed("Unknown")), "nothing");
  EXPECT_EQ(planned(probed("False")), "nothing");
  EXPECT_EQ(planned(probed("True")), "mark orphan a\nremove orphan b");
  EXPECT_EQ(planned(in_cluster(seen,
                               [](api::Cluster& cluster) {
                                 cluster.status.initialization = {};
                                 cluster.status.conditions = {
                                     api::conditions::make(api::condition::kControlPlaneInitialized, "True",
                                                           "Test"),
                                     probe("False")};
                               })),
            "nothing")
      << "of a Cluster without a control plane object";
  EXPECT_EQ(reported(probed("False")).status.orphans.front().why,
            "no object has its key; kept while the API server of the cluster is out of reach");
}

TEST(Orphans, ThatAreOwnedAfterAllLoseTheirMark) {
  Finding back = marked("a");
  back.standing = Standing::Owned;

  EXPECT_EQ(planned(seen_with({back})), "take the mark off VM a");
  EXPECT_THAT(reported(seen_with({back})).status.orphans, IsEmpty());
}

TEST(Orphans, StandInTheStatusWithTimeAndReason) {
  const Observation seen = seen_with({unmarked("a"), marked("b"), confirmed("c"), confirmed("d")});

  const auto [after, notes] = report(
      seen, decide(seen), {.marked = {{"a", seen.now}}, .settled = {"c"}, .notes = {{.text = "deleted c"}}});

  ASSERT_THAT(after.status.orphans, SizeIs(3));
  EXPECT_EQ(after.status.orphans[0].since, seen.now);
  EXPECT_EQ(after.status.orphans[1].since, builders::noon());
  EXPECT_EQ(after.status.orphans[1].why, "no object has its key; kept until another complete list shows it");
  EXPECT_EQ(after.status.orphans[2].why, "no object has its key; in line: 1 of a cluster goes in 900 s");
  ASSERT_THAT(notes, SizeIs(2));
  EXPECT_EQ(notes[0].text, "3 VMs with the key of this cluster are no object's: vm-a, vm-b, vm-d");
}

TEST(Orphans, AreNewsOnceAndAreKeptInTheStatusUntilTheNextList) {
  Observation seen = seen_with({marked("a")});
  seen.object = std::make_shared<const api::DriverCluster>(reported(seen));
  const auto again = report(seen, decide(seen), {});
  seen.orphans.reset();
  const auto after_a_restart = report(seen, decide(seen), {});

  EXPECT_EQ(again.after, *seen.object);
  EXPECT_THAT(again.notes, IsEmpty());
  EXPECT_EQ(after_a_restart.after, *seen.object);
}

TEST(Orphans, AreNamedOnceMoreWhenTheirDriverClusterGoes) {
  std::vector<Finding> many;
  for (int i = 0; i < 11; ++i) many.push_back(marked(std::to_string(i)));

  const auto notes = last_notes_of_orphans(reported(seen_with(many)).status);

  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_THAT(notes[0].text,
              testing::StartsWith("11 VMs with the key of this cluster were no object's when"));
  EXPECT_THAT(notes[0].text,
              testing::EndsWith("looked for no more: vm-0, vm-1, vm-2, vm-3, vm-4, vm-5, vm-6, "
                                "vm-7, vm-8, vm-9, ..."));
  EXPECT_THAT(last_notes_of_orphans({}), IsEmpty());
}

TEST(Orphans, AreBoundedInTheStatus) {
  std::vector<Finding> many;
  for (int i = 0; i < 60; ++i) many.push_back(unmarked(std::to_string(i)));
  const Observation seen = seen_with(many);

  EXPECT_THAT(reported(seen).status.orphans, SizeIs(50));
  EXPECT_THAT(decide(seen).actions, SizeIs(20)) << "marks of one turn";
}

}  // namespace
}  // namespace capstan::infrastructure::cluster
