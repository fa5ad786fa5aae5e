#include "bootstrap/nodeconfig/decide.h"

#include <gmock/gmock.h>

#include "api/bootstrap/names.h"
#include "api/bootstrap/node_config_release.h"
#include "api/conditions/conditions.h"
#include "api/names.h"
#include "bootstrap/nodeconfig/report.h"
#include "test/builders/cluster.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr Time kNow = Time::from_unix(1'000'000);

api::NodeConfig a_node_config() {
  api::NodeConfig config;
  config.metadata.name = "workers"_text;
  config.metadata.namespace_ = "default"_text;
  config.metadata.generation = 3;
  config.metadata.creation_timestamp = kNow + Seconds(-3600);
  config.metadata.finalizers = api::Finalizers({Text(api::bootstrap::finalizer::kNodeConfig)});
  config.spec.cluster_name = "c1"_text;
  return config;
}

// NodeConfig workers of Cluster c1, which runs and has nothing of it yet.
struct Seen {
  api::NodeConfig config = a_node_config();
  api::Cluster cluster = builders::a_cluster("c1").build();
  Observation seen = {.now = kNow};

  Seen() {
    cluster.status.initialization.control_plane_initialized = true;
    seen.live = Live{.rights = std::vector<RightState>(3, RightState::Missing)};
  }
  Observation observation() {
    seen.object = std::make_shared<const api::NodeConfig>(config);
    seen.cluster = std::make_shared<const api::Cluster>(cluster);
    seen.content = content_of(config.spec);
    return seen;
  }
  Seen& stands() {
    seen.live->rights.assign(3, RightState::Right);
    seen.live->secret = SecretSeen{
        .version = "1",
        .right = true,
        .release = {.text = api::bootstrap::release_text(content_of(config.spec).checksum, 0xffffffffU),
                    .since = kNow + Seconds(-100)}};
    return *this;
  }
  Seen& node(const std::string& name, std::string applied, std::string error = {}) {
    seen.live->nodes.push_back({.name = name,
                                .ready = true,
                                .ready_changed = kNow + Seconds(-3600),
                                .applied = std::move(applied),
                                .error = std::move(error)});
    return *this;
  }
  std::string checksum() const { return content_of(config.spec).checksum; }
  Seen& deleted() {
    config.metadata.deletion_timestamp = kNow;
    return *this;
  }
};

std::string ready_text(const Observation& seen) {
  const auto reported = report(seen, decide(seen));
  const auto ready = api::conditions::find(reported.after.status.conditions, "Ready");
  return ready == nullptr ? "" : ready->reason.str() + ": " + std::string(ready->message.view());
}

TEST(NodeConfig, GetsItsFinalizerFirst) {
  Seen seen;
  seen.config.metadata.finalizers = {};

  EXPECT_EQ(describe(decide(seen.observation())), "put the finalizer on");
}

TEST(NodeConfig, IsWrittenWithItsRights) {
  Seen seen;

  EXPECT_EQ(describe(decide(seen.observation())),
            "create the Secret, released: " + seen.checksum() +
                " ffffffff\n"
                "create Role\ncreate RoleBinding\ncreate ClusterRoleBinding");
}

TEST(NodeConfig, AtRestIsNotLookedAtAgain) {
  Seen seen;
  seen.stands().node("n1", seen.checksum());

  const Plan plan = decide(seen.observation());

  EXPECT_EQ(describe(plan), "nothing");
  EXPECT_EQ(plan.recheck, std::nullopt);
  EXPECT_THAT(ready_text(seen.observation()), StartsWith("Ready"));
}

TEST(NodeConfig, ChangesWithItsFirstWaveInOneWrite) {
  Seen seen;
  seen.stands().node("n1", seen.checksum());
  seen.config.spec.files.push_back({.path = "/etc/a"_text});
  seen.seen.live->secret->right = false;
  const std::uint32_t place = api::bootstrap::place_in_release(seen.checksum(), "n1");

  const Plan plan = decide(seen.observation());

  EXPECT_EQ(describe(plan),
            "change the Secret, released: " + api::bootstrap::release_text(seen.checksum(), place));
  EXPECT_EQ(std::get<ChangeSecret>(plan.actions.front()).release.since, kNow);
  EXPECT_EQ(plan.recheck, kLookAgain);
}

TEST(NodeConfig, PutsASecretRightWithoutBeginningAnew) {
  Seen seen;
  seen.stands().node("n1", seen.checksum());
  seen.seen.live->secret->right = false;

  const Plan plan = decide(seen.observation());

  EXPECT_EQ(describe(plan), "change the Secret, released: " + seen.checksum() + " ffffffff");
  EXPECT_EQ(std::get<ChangeSecret>(plan.actions.front()).release.since, kNow + Seconds(-100));
}

TEST(NodeConfig, RepairsItsRights) {
  Seen seen;
  seen.stands();
  seen.seen.live->rights = {RightState::Altered, RightState::Foreign, RightState::Missing};

  EXPECT_EQ(describe(decide(seen.observation())),
            "repair Role\nremove RoleBinding\ncreate RoleBinding\ncreate ClusterRoleBinding");
}

TEST(NodeConfig, SaysHowFarItIs) {
  Seen seen;
  seen.stands().node("n1", seen.checksum()).node("n2", "of an earlier content");

  const auto reported = report(seen.observation(), decide(seen.observation()));

  EXPECT_EQ(ready_text(seen.observation()), "Applying: 1 of 2 Nodes have it; waiting for n2");
  EXPECT_EQ(reported.after.status.nodes, 2);
  EXPECT_EQ(reported.after.status.up_to_date_nodes, 1);
  EXPECT_EQ(reported.after.status.failed_nodes, 0);
  EXPECT_EQ(reported.after.status.checksum, seen.checksum());
  EXPECT_TRUE(reported.notes.empty()) << "a change that goes on is no Event";
}

TEST(NodeConfig, StopsAtAFailureUntilTheSpecChanges) {
  Seen seen;
  seen.stands().node("n1", seen.checksum(), "no space left").node("n2", "of an earlier content");

  const auto reported = report(seen.observation(), decide(seen.observation()));
  EXPECT_THAT(ready_text(seen.observation()),
              AllOf(StartsWith("ApplyFailed: 0 of 2 Nodes have it"), HasSubstr("n1: no space left"),
                    HasSubstr("until the spec is changed")));
  EXPECT_THAT(reported.after.status.first_errors, ElementsAre("n1: no space left"_text));
  EXPECT_EQ(reported.notes.size(), 1U);

  seen.config = reported.after;
  seen.seen.live->nodes.front().error.clear();
  EXPECT_TRUE(decide(seen.observation()).rollout->stopped) << "a Node that recovers is no new spec";
  seen.config.metadata.generation = 4;
  EXPECT_FALSE(decide(seen.observation()).rollout->stopped);
}

TEST(NodeConfig, IsLookedAtLessOftenWhenAChangeTakesLong) {
  Seen seen;
  seen.stands().node("n1", "of an earlier content");

  seen.seen.live->secret->release.since = kNow + Seconds(-300);
  EXPECT_EQ(decide(seen.observation()).recheck, Seconds(30));
  seen.seen.live->secret->release.since = kNow + Seconds(-86400);
  EXPECT_EQ(decide(seen.observation()).recheck, kLookAtLeastEvery);
}

TEST(NodeConfig, SaysThatTheWorkloadClusterDoesNotAnswer) {
  Seen seen;
  seen.seen.live = Live{.unreachable = Error{.code = Code::Unavailable, .message = "no route"}};

  EXPECT_EQ(ready_text(seen.observation()), "ControlPlaneUnavailable: Cluster c1 does not answer: no route");
  EXPECT_EQ(decide(seen.observation()).recheck, kLookAgain);
}

TEST(NodeConfig, WaitsForTheControlPlane) {
  Seen seen;
  seen.cluster.status.initialization.control_plane_initialized.reset();

  EXPECT_THAT(ready_text(seen.observation()), StartsWith("ControlPlaneUnavailable: waiting for Cluster c1"));
  seen.cluster.status.conditions = {
      api::conditions::make(api::condition::kControlPlaneInitialized, api::status::kTrue, "Test")};
  EXPECT_THAT(ready_text(seen.observation()), Not(StartsWith("ControlPlaneUnavailable")))
      << "of a Cluster without a control plane object";
}

TEST(NodeConfig, ThatNoSecretCanHoldIsRefused) {
  Seen seen;
  for (int i = 0; i < 110; ++i)
    seen.config.spec.files.push_back(
        {.path = Text("/etc/" + std::to_string(i)), .content = FreeText(std::string(10000, 'a'))});

  EXPECT_THAT(ready_text(seen.observation()),
              StartsWith("InvalidConfiguration: the Nodes' part of spec has"));
}

TEST(NodeConfig, GoesAfterTheCloudConfigsThatReferToIt) {
  Seen seen;
  seen.deleted().stands();
  seen.seen.users = {"m1", "m2"};

  EXPECT_EQ(ready_text(seen.observation()),
            "Deleting: it goes after the CloudConfigs that refer to it: m1, m2");
  EXPECT_TRUE(decide(seen.observation()).actions.empty());
}

TEST(NodeConfig, LeavesNothingInTheWorkloadCluster) {
  Seen seen;
  seen.deleted().stands();

  EXPECT_EQ(
      describe(decide(seen.observation())),
      "remove ClusterRoleBinding\nremove RoleBinding\nremove Role\nremove the Secret\ntake the finalizer "
      "off");
}

TEST(NodeConfig, GoesAtOnceWithItsCluster) {
  Seen seen;
  seen.deleted();
  seen.cluster.metadata.deletion_timestamp = kNow;
  seen.seen.live.reset();

  EXPECT_EQ(describe(decide(seen.observation())), "take the finalizer off");
}

TEST(NodeConfig, IsLeftAloneWhilePausedOrNotAllIsKnown) {
  Seen paused;
  paused.cluster.spec.paused = true;
  Seen stale;
  stale.seen.fresh = false;

  EXPECT_TRUE(decide(paused.observation()).actions.empty());
  EXPECT_EQ(describe(decide(stale.observation())), "nothing");
}

}  // namespace
}  // namespace capstan::bootstrap::nodeconfig
