#include "infrastructure/controller/cluster/decide.h"

#include <gmock/gmock.h>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "infrastructure/controller/cluster/report.h"
#include "test/builders/cluster.h"

namespace capstan::infrastructure::cluster {
namespace {

namespace finalizer = api::driver::finalizer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A DriverCluster whose Cluster is there.
struct Seen {
  api::DriverCluster object = {};
  std::optional<api::Cluster> cluster = builders::a_cluster("c1").build();
  Seconds age{0};
  bool fresh = true;
  bool makes_control_planes = true;
  bool ensured = false;
  std::size_t machines_left = 0;

  Seen() {
    object.metadata.name = "c1"_text;
    object.metadata.namespace_ = "default"_text;
    object.metadata.creation_timestamp = builders::noon();
    object.spec.cluster_key = "k"_text;
  }
  Seen& ours() {
    object.metadata.finalizers = api::Finalizers({Text(finalizer::kCluster)});
    return *this;
  }
  Seen& at(std::string_view host) {
    object.spec.control_plane_endpoint = {.host = Text(host), .port = 6443};
    return *this;
  }
  Seen& provisioned() {
    object.status.initialization.provisioned = true;
    return *this;
  }
  operator Observation() const {  // NOLINT(google-explicit-constructor): read as what is observed
    return {.now = builders::noon() + age,
            .fresh = fresh,
            .makes_control_planes = makes_control_planes,
            .ensured = ensured,
            .object = std::make_shared<const api::DriverCluster>(object),
            .cluster = cluster ? std::make_shared<const api::Cluster>(*cluster) : nullptr,
            .cluster_key = {.namespace_ = "default", .name = "c1"},
            .machines_left = machines_left};
  }
};

std::string planned(const Observation& seen) { return describe(decide(seen)); }

constexpr std::string_view kSignOn = "sign on: finalizers none -> drivercluster.capstan.dev\n";
constexpr std::string_view kProvide = "provide the control plane of default/c1";
constexpr std::string_view kProvideAll =
    "provide the control plane of default/c1 and the Secret of its authority";

TEST(Decide, WaitsForAnOwnerAndSaysSoWhenItTakesLong) {
  Seen seen;
  seen.cluster.reset();
  const Plan early = decide(seen);
  seen.age = Seconds(10);
  const Plan late = decide(seen);

  EXPECT_FALSE(early.waiting->shown);
  EXPECT_EQ(early.recheck, Seconds(10));
  EXPECT_EQ(describe(late), "wait (WaitingForOwner): waiting for a Cluster to own this object");
  EXPECT_EQ(late.recheck, std::nullopt);
}

TEST(Decide, TakesBackThatItWaitsForAnOwnerWhenTheOwnerIsBack) {
  Seen ours;
  ours.ours().at("127.0.0.1").provisioned().ensured = true;
  Seen given;
  given.at("127.0.0.1").provisioned();

  for (Seen* seen : {&ours, &given})
    api::conditions::set(seen->object.status.conditions,
                         api::conditions::make("Ready", "False", "WaitingForOwner", ""), 1, builders::noon());

  EXPECT_EQ(planned(ours), kProvide);
  EXPECT_EQ(planned(given), "take the endpoint 127.0.0.1:6443 as it is");
}

TEST(Decide, SeesToTheControlPlaneOncePerProcess) {
  Seen after_restart;
  after_restart.ours().at("127.0.0.1").provisioned();
  Seen later = after_restart;
  later.ensured = true;

  EXPECT_EQ(planned(Seen()), std::string(kSignOn) + std::string(kProvideAll));
  EXPECT_EQ(planned(after_restart), kProvide);
  EXPECT_EQ(planned(later), "nothing");
}

TEST(Decide, SeesToItsControlPlaneAgainWhenItsFinalizerIsLost) {
  Seen stripped;
  stripped.at("127.0.0.1").provisioned();
  stripped.ensured = true;
  stripped.object.metadata.annotations.set(Text(api::driver::annotation::kMadeControlPlane), "true"_text);

  EXPECT_EQ(planned(stripped), std::string(kSignOn) + std::string(kProvide));
}

TEST(Decide, MintsTheKeyOfAClusterOnceAndOfOneThatWasThereBeforeKeys) {
  Seen fresh;
  fresh.object.spec.cluster_key = {};
  Seen older;
  older.ours().at("127.0.0.1").provisioned().ensured = true;
  older.object.spec.cluster_key = {};
  Seen leaving = fresh;
  leaving.cluster->metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(planned(fresh),
            "mint the key of the cluster\n" + std::string(kSignOn) + std::string(kProvideAll));
  EXPECT_EQ(planned(older), "mint the key of the cluster");
  EXPECT_EQ(planned(leaving), "nothing");
}

TEST(Decide, TakesTheUsersEndpointAsItIs) {
  Seen given;
  given.at("api.example.org");
  Seen done = given;
  done.provisioned();

  EXPECT_EQ(planned(given), "take the endpoint api.example.org:6443 as it is");
  EXPECT_EQ(planned(done), "nothing");
}

TEST(Decide, WhereNoControlPlanesAreMadeTakesAClusterAsItIs) {
  Seen without_endpoint;
  without_endpoint.makes_control_planes = false;
  Seen of_an_earlier_provider;
  of_an_earlier_provider.ours().at("127.0.0.1").makes_control_planes = false;

  without_endpoint.cluster->spec.control_plane_endpoint = {};
  Seen brought_by_another = without_endpoint;
  brought_by_another.cluster->spec.control_plane_endpoint = {.host = "api.example.org"_text, .port = 6443};

  EXPECT_THAT(planned(without_endpoint),
              AllOf(HasSubstr("take the cluster without endpoint as it is"),
                    HasSubstr("waiting for spec.controlPlaneEndpoint: no control plane is made here")));
  EXPECT_EQ(planned(brought_by_another), "take the cluster without endpoint as it is");
  EXPECT_EQ(planned(of_an_earlier_provider), "take the endpoint 127.0.0.1:6443 as it is");
  EXPECT_EQ(planned(without_endpoint.provisioned()), "nothing");
}

TEST(Decide, MakesNothingForAClusterThatLeaves) {
  Seen seen;
  seen.cluster->metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(decide(seen), Plan());
}

TEST(Decide, RemovesTheControlPlaneAfterTheLastMachine) {
  Seen seen;
  seen.ours().object.metadata.deletion_timestamp = builders::noon();
  seen.machines_left = 2;
  const Plan waiting = decide(seen);
  seen.machines_left = 0;

  EXPECT_EQ(describe(waiting), "wait (WaitingForMachines): waiting for 2 DriverMachines to go first");
  EXPECT_EQ(waiting.recheck, Seconds(5));
  EXPECT_EQ(planned(seen), "remove the control plane of default/c1\ndrop the finalizer");
}

TEST(Decide, LeavesAloneWhatIsPausedOrBehind) {
  Seen paused;
  paused.cluster->spec.paused = true;
  Seen behind;
  behind.fresh = false;

  EXPECT_EQ(planned(paused), "paused: Cluster spec.paused is set to true");
  EXPECT_EQ(decide(behind), Plan());
}

TEST(Report, HandsOnTheFailureDomainsByName) {
  Seen seen;
  seen.object.spec.failure_domains.push_back({.name = "b"_text});
  seen.object.spec.failure_domains.push_back({.name = "a"_text, .control_plane = true});
  const Observation observed = seen;

  const auto after = report(observed, decide(observed), {.provided = true}).after;

  ASSERT_EQ(after.status.failure_domains.size(), 2U);
  EXPECT_EQ(after.status.failure_domains[0].name, "a");
  EXPECT_TRUE(after.status.initialization.provisioned.value_or(false));
  EXPECT_TRUE(api::conditions::is_true(after.status.conditions, "Ready"));
}

TEST(Report, SaysWhatIsWrongAndProvisionsNothing) {
  const Observation observed = Seen();

  const auto [after, notes] =
      report(observed, decide(observed),
             {.trouble = Trouble{.code = api::NoteCode::EndpointDiffers, .message = "elsewhere"}});

  EXPECT_EQ(api::conditions::find(after.status.conditions, "Ready")->message, "elsewhere");
  EXPECT_FALSE(after.status.initialization.provisioned.has_value());
  EXPECT_THAT(notes, ElementsAre(runtime::Note{.code = api::NoteCode::EndpointDiffers, .text = "elsewhere"}));
}

TEST(Report, RecordsNoEventOfWhatAClusterWaitsFor) {
  Seen seen;
  seen.cluster.reset();
  seen.age = Seconds(60);
  const Observation observed = seen;

  const auto [after, notes] = report(observed, decide(observed), {});

  EXPECT_EQ(api::conditions::find(after.status.conditions, "Ready")->reason, "WaitingForOwner");
  EXPECT_THAT(notes, IsEmpty());
}

}  // namespace
}  // namespace capstan::infrastructure::cluster
