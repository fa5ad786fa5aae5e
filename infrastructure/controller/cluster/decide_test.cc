#include "infrastructure/controller/cluster/decide.h"

#include <gmock/gmock.h>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "infrastructure/controller/cluster/report.h"
#include "test/builders/cluster.h"

namespace capstan::infrastructure::cluster {
namespace {

namespace finalizer = api::driver::finalizer;

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

TEST(Decide, WaitsForAnOwnerAndSaysSoWhenItTakesLong) {
  Seen seen;
  seen.cluster.reset();
  const Plan early = decide(seen);
  seen.age = Seconds(10);
  const Plan late = decide(seen);

  EXPECT_EQ(early.step, Step::Rest);
  EXPECT_EQ(early.recheck, Seconds(10));
  EXPECT_EQ(late.step, Step::Wait);
  EXPECT_EQ(late.reason, "WaitingForOwner");
}

TEST(Decide, TakesBackThatItWaitsForAnOwnerWhenTheOwnerIsBack) {
  Seen ours;
  ours.ours().at("127.0.0.1").provisioned().ensured = true;
  Seen given;
  given.at("127.0.0.1").provisioned();

  for (Seen* seen : {&ours, &given})
    api::conditions::set(seen->object.status.conditions,
                         api::conditions::make("Ready", "False", "WaitingForOwner", ""), 1, builders::noon());

  EXPECT_EQ(decide(ours).step, Step::Ensure);
  EXPECT_EQ(decide(given).step, Step::Trust);
}

TEST(Decide, SeesToTheControlPlaneOncePerProcess) {
  Seen after_restart;
  after_restart.ours().at("127.0.0.1").provisioned();
  Seen later = after_restart;
  later.ensured = true;

  EXPECT_EQ(decide(Seen()).step, Step::Ensure);
  EXPECT_EQ(decide(after_restart).step, Step::Ensure);
  EXPECT_EQ(decide(later).step, Step::Rest);
}

TEST(Decide, SeesToItsControlPlaneAgainWhenItsFinalizerIsLost) {
  Seen stripped;
  stripped.at("127.0.0.1").provisioned();
  stripped.ensured = true;
  stripped.object.metadata.annotations.set(Text(api::driver::annotation::kMadeControlPlane), "true"_text);

  EXPECT_EQ(decide(stripped).step, Step::Ensure);
}

TEST(Decide, TakesTheUsersEndpointAsItIs) {
  Seen given;
  given.at("api.example.org");
  Seen done = given;
  done.provisioned();

  EXPECT_EQ(decide(given).step, Step::Trust);
  EXPECT_EQ(decide(done).step, Step::Rest);
}

TEST(Decide, WhereNoControlPlanesAreMadeTakesAClusterAsItIs) {
  Seen without_endpoint;
  without_endpoint.makes_control_planes = false;
  Seen of_an_earlier_provider;
  of_an_earlier_provider.ours().at("127.0.0.1").makes_control_planes = false;

  EXPECT_EQ(decide(without_endpoint).step, Step::Trust);
  EXPECT_EQ(decide(of_an_earlier_provider).step, Step::Trust);
  EXPECT_EQ(decide(without_endpoint.provisioned()).step, Step::Rest);
}

TEST(Decide, MakesNothingForAClusterThatLeaves) {
  Seen seen;
  seen.cluster->metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(decide(seen).step, Step::Rest);
}

TEST(Decide, RemovesTheControlPlaneAfterTheLastMachine) {
  Seen seen;
  seen.ours().object.metadata.deletion_timestamp = builders::noon();
  seen.machines_left = 2;
  const Plan waiting = decide(seen);
  seen.machines_left = 0;
  const Plan removing = decide(seen);

  EXPECT_EQ(waiting.step, Step::Wait);
  EXPECT_EQ(waiting.message, "waiting for 2 DriverMachines to go first");
  EXPECT_EQ(removing.step, Step::Remove);
}

TEST(Decide, LeavesAloneWhatIsPausedOrBehind) {
  Seen paused;
  paused.cluster->spec.paused = true;
  Seen behind;
  behind.fresh = false;

  EXPECT_EQ(decide(paused).step, Step::Rest);
  EXPECT_EQ(decide(behind).step, Step::Rest);
}

TEST(Report, HandsOnTheFailureDomainsByName) {
  Seen seen;
  seen.object.spec.failure_domains.push_back({.name = "b"_text});
  seen.object.spec.failure_domains.push_back({.name = "a"_text, .control_plane = true});
  const Observation observed = seen;

  const auto after = report(observed, decide(observed), {.provided = true});

  ASSERT_EQ(after.status.failure_domains.size(), 2U);
  EXPECT_EQ(after.status.failure_domains[0].name, "a");
  EXPECT_TRUE(after.status.initialization.provisioned.value_or(false));
  EXPECT_TRUE(api::conditions::is_true(after.status.conditions, "Ready"));
}

TEST(Report, SaysWhatIsWrongAndProvisionsNothing) {
  const Observation observed = Seen();

  const auto after = report(observed, decide(observed),
                            {.trouble = Trouble{.reason = "EndpointDiffers", .message = "elsewhere"}});

  EXPECT_EQ(api::conditions::find(after.status.conditions, "Ready")->message, "elsewhere");
  EXPECT_FALSE(after.status.initialization.provisioned.has_value());
}

}  // namespace
}  // namespace capstan::infrastructure::cluster
