#include "bootstrap/controller/join.h"

#include <gmock/gmock.h>

#include "api/bootstrap/names.h"
#include "bootstrap/controller/decide.h"
#include "bootstrap/controller/report.h"
#include "bootstrap/controller/stage.h"
#include "bootstrap/controller/token_times.h"
#include "test/builders/cluster.h"

namespace capstan::bootstrap::controller {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Token a_token(std::string id, Seconds left, Seconds age = Seconds(0)) {
  return {.id = std::move(id),
          .secret = Secret(std::string("0123456789abcdef")),
          .created = Time::from_unix(builders::noon().unix_seconds() - age.count()),
          .expires = builders::noon() + left};
}

// CloudConfig m1 whose Machine joins a running cluster: the CA is there, and no token yet.
struct Joining {
  api::CloudConfig object = {};
  Owner owner = {.kind = "Machine", .name = "m1", .cluster = "c1", .version = "v1.35.0"};
  api::Cluster cluster = builders::a_cluster("c1").running().build();
  Live live = {.authority_pem = "THE CA\n"};

  Joining() {
    object.metadata.name = "m1"_text;
    object.metadata.namespace_ = "default"_text;
    object.metadata.creation_timestamp = Time::from_unix(builders::noon().unix_seconds() - 60);
    object.spec.join.emplace();
    live.spare = a_token("sparex", Seconds(0));
    live.spare.created = {};
  }
  // As a version before this one has left it.
  Joining& with_finalizer() {
    object.metadata.finalizers = api::Finalizers({Text(api::bootstrap::finalizer::kToken)});
    return *this;
  }
  Joining& of_pool() {
    owner.kind = "MachinePool";
    return *this;
  }
  // The data Secret and the status, as an earlier turn has left them.
  Joining& provided(std::string token_id) {
    object.status.initialization.data_secret_created = true;
    object.status.data_secret_name = "m1"_text;
    if (!token_id.empty()) object.status.bootstrap_token = Text(api::bootstrap_token::kIssued);
    live.data = DataSeen{.ours = true, .token_id = std::move(token_id), .version = "7"};
    return *this;
  }
  Joining& with(Token token) {
    live.tokens.push_back(std::move(token));
    return *this;
  }
  Joining& has_joined() {
    owner.nodes_missing = false;
    return *this;
  }
  operator Observation() const {  // NOLINT(google-explicit-constructor): read as what is observed
    return {.now = builders::noon(),
            .object = std::make_shared<const api::CloudConfig>(object),
            .owner = owner,
            .cluster = std::make_shared<const api::Cluster>(cluster),
            .live = live};
  }
};

std::string planned(const Observation& seen) { return describe(decide(seen)); }

TEST(JoinPlan, WritesTheTokenBeforeTheDataWithIt) {
  const Plan plan = decide(Joining());

  EXPECT_THAT(describe(plan), StartsWith("create bootstrap token sparex in Cluster default/c1, until "
                                         "2026-01-01T14:20:00Z\ncreate Secret default/m1 with "));
  EXPECT_THAT(std::get<CreateSecret>(plan.actions.at(1)).content.value.reveal(),
              HasSubstr("sparex.0123456789abcdef"));
  EXPECT_EQ(plan.recheck, Seconds(601));
}

TEST(JoinPlan, TakesTheTokenOfATurnThatDied) {
  EXPECT_THAT(planned(Joining().with(a_token("lonely", 2h + 20min))),
              StartsWith("create Secret default/m1 with "));
}

TEST(JoinPlan, RestoresTheStatusOfATurnThatDiedLater) {
  Joining seen = Joining().with(a_token("lonely", 2h + 20min)).provided("lonely");
  seen.object.status = {};

  EXPECT_EQ(planned(seen), "restore the status: the data are in Secret m1");
}

TEST(JoinPlan, MakesNoTokenForASecretThatStandsInTheWay) {
  Joining seen;
  seen.live.data = DataSeen{};
  Joining given = Joining().provided("");
  given.live.data->ours = false;

  EXPECT_THAT(planned(seen), StartsWith("create Secret default/m1 with "));
  EXPECT_EQ(planned(given), "nothing");
}

TEST(JoinPlan, ExtendsATokenOnlyWhenItEndsSoon) {
  EXPECT_EQ(planned(Joining().provided("a").with(a_token("a", 2h + 10min))), "nothing");
  EXPECT_EQ(planned(Joining().provided("a").with(a_token("a", 2h + 9min))),
            "extend bootstrap token a in Cluster default/c1 until 2026-01-01T14:20:00Z");
  EXPECT_EQ(planned(Joining().provided("a").with(a_token("a", -1h))),
            "extend bootstrap token a in Cluster default/c1 until 2026-01-01T14:20:00Z");
}

TEST(JoinPlan, GivesTheTokenAsLongAsTheMachineMayTake) {
  Joining slow;
  slow.object.spec.join->creation_timeout_seconds = 7200;

  EXPECT_THAT(planned(slow), HasSubstr("until 2026-01-01T16:00:00Z"));
}

TEST(JoinPlan, HasOneTokenForAMachine) {
  EXPECT_EQ(planned(Joining().provided("a").with(a_token("b", 3h)).with(a_token("a", 3h, 60s))),
            "remove bootstrap token b from Cluster default/c1");
}

TEST(JoinPlan, RenewsDataThatNoVmHasRead) {
  EXPECT_THAT(planned(Joining().provided("gone")),
              EndsWith("\nrenew Secret default/m1, with bootstrap token sparex"));
}

TEST(JoinPlan, SaysThatAVmHasDataWithADeadToken) {
  Joining seen = Joining().provided("gone");
  seen.owner.has_vm = true;

  EXPECT_THAT(planned(seen), StartsWith("wait (CredentialsUnreadable): bootstrap token gone is gone from "));
}

// spec.join came when the VM was there already.
TEST(JoinPlan, LeavesAVmAloneThatWasMadeWithoutAToken) {
  Joining seen = Joining().provided("");
  seen.owner.has_vm = true;

  EXPECT_EQ(planned(seen), "nothing");
}

TEST(JoinPlan, TakesTheTokenOfAMachineThatHasJoinedAndSaysSo) {
  EXPECT_EQ(planned(Joining().provided("a").with(a_token("a", 3h)).has_joined()),
            "remove bootstrap token a from Cluster default/c1\nsay that there is no token any more");
}

TEST(JoinPlan, TakesTheFinalizerOfAnEarlierVersionOff) {
  Joining seen = Joining().provided("").with(a_token("a", 3h)).with_finalizer().has_joined();

  EXPECT_EQ(planned(seen), "remove bootstrap token a from Cluster default/c1\ntake the finalizer off");
}

TEST(JoinPlan, AsksNothingOnceTheStatusSaysThatTheTokenIsGone) {
  Joining seen = Joining().provided("a").has_joined();
  seen.object.status.bootstrap_token = Text(api::bootstrap_token::kRemoved);

  EXPECT_EQ(stage_of(seen), Stage::Settled);
}

std::string token_said(const Observation& seen, const Effects& effects = {}) {
  return report(seen, decide(seen), effects).after.status.bootstrap_token.str();
}

TEST(JoinReport, SaysThatATokenIsThereAlsoWhenItsTurnDied) {
  EXPECT_EQ(token_said(Joining()), "");
  EXPECT_EQ(token_said(Joining(), {.token = "Issued"}), "Issued");
  EXPECT_EQ(token_said(Joining().with(a_token("lonely", 2h))), "Issued");
  EXPECT_EQ(token_said(Joining().provided("a").with(a_token("a", 2h)).has_joined(), {.token = "Removed"}),
            "Removed");
}

TEST(JoinPlan, WaitsAMinuteForAClusterThatDoesNotAnswerWhenItGoes) {
  Joining seen = Joining().with_finalizer();
  seen.live.unreachable = Error{.code = Code::Unavailable};
  seen.object.metadata.deletion_timestamp = builders::noon();
  Joining later = seen;
  later.object.metadata.deletion_timestamp = Time::from_unix(builders::noon().unix_seconds() - 60);
  Joining with_cluster = seen;
  with_cluster.cluster.metadata.deletion_timestamp = builders::noon();

  EXPECT_EQ(planned(seen), "nothing");
  EXPECT_EQ(decide(seen).recheck, kLookAgain);
  EXPECT_EQ(planned(later), "take the finalizer off");
  EXPECT_EQ(planned(with_cluster), "take the finalizer off");
}

TEST(JoinPlan, WaitsForTheAuthorityByName) {
  Joining seen;
  seen.live.authority_pem.clear();

  EXPECT_THAT(planned(seen), StartsWith("wait (WaitingForClusterCA): waiting for Secret default/c1-ca"));
}

TEST(JoinPlan, WaitsForEndpointAndControlPlaneBeforeAnythingIsRead) {
  Joining no_endpoint;
  no_endpoint.cluster = builders::a_cluster("c1").infrastructure_provisioned().build();
  Joining no_control_plane;
  no_control_plane.cluster =
      builders::a_cluster("c1").infrastructure_provisioned().endpoint("10.0.0.1", 6443).build();

  EXPECT_THAT(planned(no_endpoint), HasSubstr("spec.controlPlaneEndpoint"));
  EXPECT_THAT(planned(no_control_plane), StartsWith("wait (ControlPlaneUnavailable): "));
}

// Machines alone are its control plane, and one of them has its Node.
TEST(JoinPlan, GoesOnInAClusterWithoutAControlPlaneObject) {
  Joining seen;
  seen.cluster = builders::a_cluster("c1")
                     .infrastructure_provisioned()
                     .endpoint("10.0.0.1", 6443)
                     .without_control_plane_ref()
                     .build();
  EXPECT_THAT(planned(seen), HasSubstr("none of its control plane Machines has a Node yet"));

  seen.cluster = builders::a_cluster("c1")
                     .infrastructure_provisioned()
                     .endpoint("10.0.0.1", 6443)
                     .control_plane_machine_joined()
                     .build();
  EXPECT_THAT(planned(seen), HasSubstr("create"));
}

TEST(JoinPlan, SaysHowLargeTheDataWouldBe) {
  Joining seen;
  seen.object.spec.commands.push_back(Text(std::string(16384, 'a')));

  EXPECT_THAT(planned(seen), StartsWith("wait (InvalidConfiguration): the data would have "));
}

TEST(JoinPlan, RotatesAPoolsTokenAndLeavesTheOlderOneToInstancesThatBoot) {
  const Joining old = Joining().of_pool().provided("a").with(a_token("a", 3h, 24h));

  EXPECT_THAT(planned(old), StartsWith("create bootstrap token sparex in Cluster default/c1, until "
                                       "2026-01-02T14:20:00Z\nrenew Secret default/m1"));
  EXPECT_THAT(planned(old), Not(HasSubstr("remove")));
  EXPECT_THAT(planned(Joining(old).has_joined()), Not(HasSubstr("remove")));
}

TEST(JoinPlan, TakesThePoolsNewTokenOfATurnThatDied) {
  EXPECT_EQ(
      planned(
          Joining().of_pool().provided("a").with(a_token("b", 26h + 20min, 1s)).with(a_token("a", 3h, 25h))),
      "renew Secret default/m1, with bootstrap token b");
}

}  // namespace
}  // namespace capstan::bootstrap::controller
