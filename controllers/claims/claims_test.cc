#include "controllers/claims/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/schema/encode.h"
#include "controllers/claims/clearance.h"
#include "controllers/claims/wakes.h"
#include "test/builders/cluster.h"
#include "test/builders/identity.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"
#include "test/fakes/scripted_client.h"

namespace capstan::controllers::claims {
namespace {

using builders::a_machine;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Whose = Verdict::Whose;

constexpr std::string_view kId = "sim:///i-1";
const ObjectKey kCluster{.namespace_ = "default", .name = "c1"};

struct Wish {
  bool has_node_ref = false;
  Source source = Source::Silent;
};

Claim claim(std::string_view name, const Wish& wish) {
  return {.kind = api::kind::kMachine,
          .name = Text(name),
          .uid = builders::uid_of(api::kind::kMachine, name),
          .has_node_ref = wish.has_node_ref,
          .source = wish.source};
}

// The verdict for Machine a, and the verdict for Machine b.
std::pair<Whose, Whose> verdicts(const Wish& a, const Wish& b) {
  const std::vector both = {claim("a", a), claim("b", b)};
  return {whose_instance(kId, both, both.front().uid).whose,
          whose_instance(kId, both, both.back().uid).whose};
}

constexpr std::pair kOfTheFirst{Whose::Ours, Whose::Anothers};
constexpr std::pair kOfTheSecond{Whose::Anothers, Whose::Ours};
constexpr std::pair kContested{Whose::Contested, Whose::Contested};
constexpr std::pair kUnknown{Whose::Unknown, Whose::Unknown};

TEST(WhoseInstance, IsTheOnlyClaimantsWhateverItsInfrastructureSays) {
  for (const Source source : {Source::Controlled, Source::Unknown, Source::Silent, Source::Gone}) {
    const std::vector one = {claim("a", {.source = source})};
    EXPECT_TRUE(whose_instance(kId, one, one.front().uid).ours());
  }
}

TEST(WhoseInstance, ANodeRefThatOneAloneHasDecides) {
  EXPECT_EQ(verdicts({.has_node_ref = true}, {.source = Source::Controlled}), kOfTheFirst);
  EXPECT_EQ(verdicts({.has_node_ref = true}, {.source = Source::Unknown}), kOfTheFirst);
}

TEST(WhoseInstance, WithoutOneOrWithTwoTheInfrastructureThatOneControlsDecides) {
  EXPECT_EQ(verdicts({}, {.source = Source::Controlled}), kOfTheSecond);
  EXPECT_EQ(verdicts({.has_node_ref = true}, {.has_node_ref = true, .source = Source::Controlled}),
            kOfTheSecond);
}

TEST(WhoseInstance, IsNobodysWhereTwoHaveTheSameRight) {
  EXPECT_EQ(verdicts({}, {}), kContested);
  EXPECT_EQ(verdicts({.source = Source::Controlled}, {.source = Source::Controlled}), kContested);
  EXPECT_EQ(verdicts({.has_node_ref = true, .source = Source::Controlled},
                     {.has_node_ref = true, .source = Source::Controlled}),
            kContested);
}

TEST(WhoseInstance, IsNotGuessedWhileAnInfrastructureObjectThatDecidesCanNotBeRead) {
  EXPECT_EQ(verdicts({.source = Source::Controlled}, {.source = Source::Unknown}), kUnknown);
}

TEST(WhoseInstance, AClaimThatHasEndedGivesWayToOneThatControls) {
  EXPECT_EQ(verdicts({.source = Source::Gone}, {.source = Source::Silent}), kOfTheSecond);
  EXPECT_EQ(verdicts({.has_node_ref = true, .source = Source::Gone}, {.source = Source::Controlled}),
            kOfTheSecond);
  EXPECT_EQ(verdicts({.has_node_ref = true, .source = Source::Gone}, {}), kOfTheFirst);
}

TEST(WhoseInstance, IsNeverOfOneWhoseInfrastructureSomethingElseControls) {
  EXPECT_EQ(verdicts({.has_node_ref = true, .source = Source::Foreign}, {}), kOfTheSecond);
  const std::vector alone = {claim("a", {.has_node_ref = true, .source = Source::Foreign})};
  EXPECT_EQ(whose_instance(kId, alone, alone.front().uid).whose, Whose::Anothers);
}

TEST(WhoseInstance, NamesTheOtherAndTheRemedy) {
  const std::vector both = {claim("a", {.source = Source::Controlled}), claim("a-copy", {})};
  const std::vector equal = {claim("a", {}), claim("b", {})};

  EXPECT_THAT(whose_instance(kId, both, both.back().uid).why,
              AllOf(HasSubstr("the instance of Machine a"), HasSubstr("correct spec.providerID")));
  EXPECT_THAT(whose_instance(kId, equal, equal.front().uid).why,
              AllOf(HasSubstr(std::string(kId)), HasSubstr("Machine b"), HasSubstr("is corrected")));
}

// --- what the caches say ---

api::MachinePool a_pool(std::string_view name, std::vector<Text> ids) {
  api::MachinePool pool;
  pool.metadata = builders::metadata_of(api::kind::kMachinePool, name);
  pool.spec.cluster_name = Text(kCluster.name);
  pool.spec.provider_id_list = std::move(ids);
  return pool;
}

Result<runtime::External> unread(const api::ContractRef&, std::string_view) {
  return fail(Code::Unavailable, "not read");
}

struct Fleet {
  Caches caches;
  api::Node node = builders::a_node("n1").provider_id(kId).build();
  Instance instance() const { return {.cluster = kCluster, .provider_id = kId, .node = &node}; }
};

std::vector<std::string> names(const std::vector<Claim>& claims) {
  std::vector<std::string> found;
  for (const Claim& each : claims) found.push_back(std::string(each.kind) + " " + each.name.str());
  return found;
}

TEST(ClaimsOn, APoolAndItsMachineAreOneClaimant) {
  Fleet fleet;
  const auto pool = a_pool("p", {Text(kId)});
  const auto machine = a_machine("p-1").in_cluster("c1").in_pool("p").provider_id(kId).on_node("n1").build();
  fleet.caches.machine_pools.apply(pool);
  fleet.caches.machines.apply(machine);

  const auto claims = claims_on(fleet.caches, unread, fleet.instance(), {.machine = &machine});

  EXPECT_THAT(names(claims), ElementsAre("MachinePool p"));
  EXPECT_TRUE(claims.front().has_node_ref);
  EXPECT_TRUE(rivals_on(fleet.caches, fleet.instance(), {.machine = &machine}).none());
  EXPECT_TRUE(rivals_on(fleet.caches, fleet.instance(), {.pool = &pool}).none());
}

TEST(ClaimsOn, AMachineAndAPoolThatListsItsInstanceAreTwo) {
  Fleet fleet;
  const auto pool = a_pool("p", {Text(kId)});
  const auto machine = a_machine("m1").in_cluster("c1").in_set("ms").provider_id(kId).on_node("n1").build();
  fleet.caches.machine_pools.apply(pool);
  fleet.caches.machines.apply(machine);

  EXPECT_THAT(names(claims_on(fleet.caches, unread, fleet.instance(), {.machine = &machine})),
              ElementsAre("Machine m1", "MachinePool p"));
  EXPECT_FALSE(rivals_on(fleet.caches, fleet.instance(), {.machine = &machine}).none());
  EXPECT_FALSE(rivals_on(fleet.caches, fleet.instance(), {.pool = &pool}).none());
}

// After a start, before the workload cluster has answered, the pool took the instance for its own.
TEST(ClaimsOn, AMachineKeepsItsNodeWhileThatCanNotBeSeen) {
  Fleet fleet;
  const auto machine = a_machine("m1").in_cluster("c1").in_set("ms").provider_id(kId).on_node("n1").build();
  const auto copy = a_machine("m2").in_cluster("c1").in_set("ms").provider_id(kId).build();
  fleet.caches.machines.apply(machine);
  fleet.caches.machines.apply(copy);
  Instance out_of_sight = fleet.instance();
  out_of_sight.node = nullptr;

  const auto claims = claims_on(fleet.caches, unread, out_of_sight, {.machine = &copy});

  for (const Claim& each : claims) EXPECT_EQ(each.has_node_ref, each.name == "m1") << each.name.view();
}

TEST(ClaimsOn, AnInstanceThatAPoolRemembersByItsNodeIsClaimedByTheUidOnly) {
  Fleet fleet;
  auto pool = a_pool("p", {});
  pool.status.node_refs.push_back({.kind = Text("Node"), .name = Text("n1"), .uid = fleet.node.metadata.uid});
  auto stale = a_pool("q", {});
  stale.status.node_refs.push_back({.kind = Text("Node"), .name = Text("n1"), .uid = api::Uid("before")});
  const auto machine = a_machine("m1").in_cluster("c1").in_set("ms").provider_id(kId).build();
  fleet.caches.machine_pools.apply(pool);
  fleet.caches.machine_pools.apply(stale);

  EXPECT_THAT(names(claims_on(fleet.caches, unread, fleet.instance(), {.machine = &machine})),
              ElementsAre("Machine m1", "MachinePool p"));
}

TEST(ClaimsOn, AMachineThatHadANodeOfThisNameBeforeIsNone) {
  Fleet fleet;
  fleet.caches.machines.apply(
      a_machine("old").in_cluster("c1").in_set("ms").provider_id("sim:///i-0").on_node("n1").build());
  const auto machine = a_machine("m1").in_cluster("c1").in_set("ms").provider_id(kId).build();

  EXPECT_THAT(names(claims_on(fleet.caches, unread, fleet.instance(), {.machine = &machine})),
              ElementsAre("Machine m1"));
}

// --- a Machine that can't be read ---

TEST(AnUnreadableMachine, KeepsTheNodeThatSaysItIsItsOwn) {
  Fleet fleet;
  fleet.node.metadata.annotations.set(api::annotation::kMachine, "m1");
  fleet.caches.machines.set_aside(
      {.key = {.namespace_ = "default", .name = "m1"}, .problem = "spec.deletion: not a number"});
  const auto pool = a_pool("p", {Text(kId)});
  const auto itself = a_machine("m1").in_cluster("c1").provider_id(kId).build();

  EXPECT_EQ(
      kept_by_unreadable(fleet.caches, fleet.instance(), {.pool = &pool}),
      "Node n1 says that it is Machine m1's, which can't be read: spec.deletion: not a number; the Node "
      "stays");
  EXPECT_EQ(kept_by_unreadable(fleet.caches, fleet.instance(), {.machine = &itself}), "");
}

TEST(AnUnreadableMachine, OfWhichTheCacheHasAnEarlierStateIsAnOrdinaryClaimant) {
  Fleet fleet;
  fleet.node.metadata.annotations.set(api::annotation::kMachine, "m1");
  fleet.caches.machines.apply(a_machine("m1").in_cluster("c1").provider_id(kId).build());
  fleet.caches.machines.set_aside({.key = {.namespace_ = "default", .name = "m1"}});
  const auto pool = a_pool("p", {Text(kId)});

  EXPECT_EQ(kept_by_unreadable(fleet.caches, fleet.instance(), {.pool = &pool}), "");
  EXPECT_FALSE(rivals_on(fleet.caches, fleet.instance(), {.pool = &pool}).none());
}

// --- who is woken ---

std::vector<std::string> woken(const std::vector<ObjectKey>& keys) {
  std::vector<std::string> found;
  for (const auto& key : keys) found.push_back(key.name);
  return found;
}

TEST(WokenBy, AMachineThatGoesWakesTheOtherClaimants) {
  Fleet fleet;
  fleet.caches.machines.apply(a_machine("a").in_cluster("c1").provider_id(kId).build());
  fleet.caches.machine_pools.apply(a_pool("p", {Text(kId)}));
  const auto gone = a_machine("b").in_cluster("c1").provider_id(kId).shared();

  const Woken all = woken_by(fleet.caches, runtime::Change<api::Machine>{.before = gone});

  EXPECT_THAT(woken(all.machines), ElementsAre("a"));
  EXPECT_THAT(woken(all.pools), ElementsAre("p"));
}

TEST(WokenBy, AMachineWhoseStatusChangesWakesNothing) {
  Fleet fleet;
  fleet.caches.machines.apply(a_machine("a").in_cluster("c1").provider_id(kId).build());
  const auto before = a_machine("b").in_cluster("c1").provider_id(kId).shared();
  const auto after = a_machine("b").in_cluster("c1").provider_id(kId).phase("Running").shared();

  EXPECT_THAT(woken(woken_by(fleet.caches, {.before = before, .after = after}).machines), IsEmpty());
}

TEST(WokenBy, AnInstanceThatAPoolLetsGoWakesTheMachineThatClaimsIt) {
  Fleet fleet;
  fleet.caches.machines.apply(a_machine("a").in_cluster("c1").provider_id(kId).build());
  fleet.caches.machines.apply(a_machine("b").in_cluster("c1").provider_id("sim:///i-2").build());
  const auto before = std::make_shared<const api::MachinePool>(a_pool("p", {Text(kId), Text("sim:///i-2")}));
  const auto after = std::make_shared<const api::MachinePool>(a_pool("p", {Text("sim:///i-2")}));

  EXPECT_THAT(woken(woken_by(fleet.caches, {.before = before, .after = after}).machines), ElementsAre("a"));
}

// --- leave to delete ---

TEST(Clearance, OfAChildIsGivenToItsOwnerOnly) {
  const auto machine = a_machine("m1").in_set("ms").build();

  EXPECT_TRUE(Clearance::of_child(machine.metadata, builders::uid_of(api::kind::kMachineSet, "ms")));
  EXPECT_EQ(
      Clearance::of_child(machine.metadata, builders::uid_of(api::kind::kMachineSet, "other")).error().code,
      Code::Conflict);
}

TEST(Clearance, IsForTheUidThatWasAskedAbout) {
  const auto machine = a_machine("m1").in_set("ms").build();

  EXPECT_EQ(Clearance::of_child(machine.metadata, builders::uid_of(api::kind::kMachineSet, "ms"))->object(),
            machine.metadata.uid);
}

TEST(Clearance, OfAChildOfAClusterOutlivesARestore) {
  api::ObjectMeta child;
  child.owner_references =
      api::OwnerReferences(std::vector<api::OwnerReference>{{.api_version = Text("cluster.x-k8s.io/v1beta2"),
                                                             .kind = Text("Cluster"),
                                                             .name = Text("c1"),
                                                             .uid = api::Uid("before")}});
  const api::Cluster cluster = builders::a_cluster("c1").build();
  const api::Cluster other = builders::a_cluster("c2").build();

  EXPECT_TRUE(Clearance::of_child_of_cluster(child, cluster.metadata));
  EXPECT_FALSE(Clearance::of_child_of_cluster(child, other.metadata));
}

// --- objects that several refer to ---

// DriverMachine "a", which the Machines a and b name; on the server there are those of `living`.
struct Referred {
  explicit Referred(std::vector<std::string> living) : there(std::move(living)) {
    for (const std::string_view name : {"a", "b"}) {
      api::Machine machine = a_machine(name).build();
      machine.spec.infrastructure_ref = {
          .api_group = Text(kInfra.group), .kind = Text(kInfra.kind), .name = Text("a")};
      caches.machines.apply(std::move(machine));
    }
    client.on_get = [this](const kube::Resource&, const ObjectKey& key) -> Result<boost::json::value> {
      asked.push_back(key.name);
      if (std::ranges::find(there, key.name) == there.end()) return fail(Code::NotFound, "gone");
      return api::to_json(a_machine(key.name).build());
    };
    object.namespace_ = Text(kCluster.namespace_);
    object.name = Text("a");
    object.uid = api::Uid("infra");
  }
  void owned_by(std::string_view machine, bool controller) {
    auto owner = builders::controller_of(api::kind::kMachine, machine);
    if (!controller) owner.controller.reset();
    object.owner_references = api::OwnerReferences(std::vector{owner});
  }
  Result<Clearance> asked_by(std::string_view machine) {
    const api::Machine asking = a_machine(machine).build();
    return clear_referred({.caches = caches, .client = client, .deadline = Deadline::never()}, kInfra, object,
                          {.kind = api::kind::kMachine, .metadata = asking.metadata});
  }

  inline static const kube::Resource kInfra{.group = "infrastructure.cluster.x-k8s.io",
                                            .version = "v1",
                                            .plural = "drivermachines",
                                            .kind = "DriverMachine"};
  std::vector<std::string> there;
  std::vector<std::string> asked = {};
  Caches caches;
  fakes::ScriptedClient client;
  api::ObjectMeta object = {};
};

TEST(ClearReferred, AsksNothingOfItsController) {
  Referred referred({"a", "b"});
  referred.owned_by("a", true);

  EXPECT_TRUE(referred.asked_by("a"));
  EXPECT_THAT(referred.asked_by("b").error().message, HasSubstr("is Machine a's"));
  EXPECT_THAT(referred.asked, IsEmpty());
}

TEST(ClearReferred, TheFirstOfItsOwnersHasWhatNothingControls) {
  Referred referred({"a", "b"});
  referred.owned_by("a", false);

  EXPECT_TRUE(referred.asked_by("a"));
  EXPECT_THAT(referred.asked_by("b").error().message, HasSubstr("is Machine a's"));
}

TEST(ClearReferred, IsNotGuessedWhereNoneOfTwoOwnsIt) {
  Referred referred({"a", "b"});

  EXPECT_EQ(referred.asked_by("a").error().code, Code::Conflict);
  EXPECT_EQ(referred.asked_by("b").error().code, Code::Conflict);
}

TEST(ClearReferred, AReferrerThatTheServerNoLongerHasClaimsNothing) {
  Referred referred({"b"});

  EXPECT_TRUE(referred.asked_by("b"));
  EXPECT_THAT(referred.asked, ElementsAre("a"));
}

}  // namespace
}  // namespace capstan::controllers::claims
