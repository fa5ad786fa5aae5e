#include "controllers/machinepool/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/schema/encode.h"
#include "controllers/machinepool/seen_fixture.h"

namespace capstan::controllers::machinepool {
namespace {

using builders::a_node;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> texts(const api::List<Text>& list) {
  std::vector<std::string> all;
  for (const Text& text : list) all.push_back(text.str());
  return all;
}

std::string secret_of(const Plan& plan) {
  const auto& name = plan.wanted.spec.machine_template.spec.bootstrap.data_secret_name;
  return name ? name->str() : "none";
}

// --- the Cluster ---

TEST(Decide, MakesTheClusterAnOwnerThatIsNoController) {
  const auto plan = a_pool_world().plan();

  ASSERT_THAT(*plan.wanted.metadata.owner_references, SizeIs(1));
  const auto& owner = plan.wanted.metadata.owner_references->front();
  EXPECT_EQ(owner.kind, "Cluster");
  EXPECT_EQ(owner.name, "c1");
  EXPECT_FALSE(owner.is_controller());
}

TEST(Decide, DoesNothingWithoutItsCluster) {
  auto world = a_pool_world();
  world.instances({"n1"}).where([](Observation& seen) { seen.cluster = nullptr; });

  const auto plan = world.plan();

  EXPECT_THAT(plan.troubles,
              ElementsAre("Cluster c1 does not exist: create it, or correct spec.clusterName"));
  EXPECT_FALSE(claim_of(plan, Provider::Infrastructure));
  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), IsEmpty());
}

// --- the provider's objects ---

TEST(Decide, BecomesControllerOfBothProviderObjects) {
  const auto plan = a_pool_world().plan();

  for (const auto& claim : {claim_of(plan, Provider::Bootstrap), claim_of(plan, Provider::Infrastructure)}) {
    ASSERT_TRUE(claim);
    EXPECT_TRUE(claim->label);
    ASSERT_THAT(*claim->owners, SizeIs(1));
    EXPECT_EQ(claim->owners->front().kind, "MachinePool");
    EXPECT_EQ(claim->owners->front().name, "mp1");
    EXPECT_TRUE(claim->owners->front().is_controller());
  }
}

TEST(Decide, LeavesAnObjectAloneThatIsItsOwnAlready) {
  auto world = a_pool_world();
  const json::object metadata = {{"labels", {{"cluster.x-k8s.io/cluster-name", "c1"}}},
                                 {"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                                                  {"kind", "MachinePool"},
                                                                  {"name", "mp1"},
                                                                  {"uid", world.pool.metadata.uid.str()},
                                                                  {"controller", true},
                                                                  {"blockOwnerDeletion", true}}}}};
  world.infra({{"metadata", metadata}});

  EXPECT_FALSE(claim_of(world.plan(), Provider::Infrastructure));
}

TEST(Decide, BelievesNothingOfAnObjectThatSomebodyElseControls) {
  auto world = a_pool_world();
  world.infra({{"metadata",
                {{"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                                  {"kind", "MachinePool"},
                                                  {"name", "other"},
                                                  {"uid", "u"},
                                                  {"controller", true}}}}}},
               {"spec", {{"providerIDList", json::array{"a"}}}},
               {"status", {{"ready", true}, {"replicas", 1}}}});

  const auto plan = world.plan();

  EXPECT_FALSE(claim_of(plan, Provider::Infrastructure));
  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), IsEmpty());
  EXPECT_THAT(plan.troubles, ElementsAre(HasSubstr("other")));
}

// --- bootstrap ---

TEST(Bootstrap, IsCreatedWhenTheContractsFieldSaysSo) {
  auto world = a_pool_world();
  world.bootstrap(
      {{"status", {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", "data"}}}});

  const auto plan = world.plan();

  EXPECT_EQ(secret_of(plan), "data");
  EXPECT_EQ(plan.wanted.status.initialization.bootstrap_data_secret_created, true);
}

TEST(Bootstrap, OfTheOlderContractIsCreatedWhenReady) {
  auto world = a_pool_world();
  world.bootstrap({{"status", {{"ready", true}, {"dataSecretName", "data"}}}}).v1beta1_contract();

  EXPECT_EQ(secret_of(world.plan()), "data");
}

TEST(Bootstrap, FollowsARotatedSecretEvenOverWhatAUserWrote) {
  auto world = a_pool_world();
  world.pool.spec.machine_template.spec.bootstrap.data_secret_name = Text("old");
  world.bootstrap(
      {{"status", {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", "new"}}}});

  EXPECT_EQ(secret_of(world.plan()), "new");
}

TEST(Bootstrap, ThatIsNotCreatedYetLeavesTheSecretAndTakesTheFlagBack) {
  auto world = a_pool_world();
  world.pool.spec.machine_template.spec.bootstrap.data_secret_name = Text("old");
  world.pool.status.initialization.bootstrap_data_secret_created = true;

  const auto plan = world.plan();

  EXPECT_EQ(secret_of(plan), "old");
  EXPECT_EQ(plan.wanted.status.initialization.bootstrap_data_secret_created, false);
}

TEST(Bootstrap, OfAUserWithoutConfigRefIsNeverTouched) {
  auto world = a_pool_world();
  auto& bootstrap = world.pool.spec.machine_template.spec.bootstrap;
  bootstrap.config_ref.reset();
  bootstrap.data_secret_name = Text("mine");
  world.where([](Observation& seen) { seen.bootstrap = {}; });

  const auto plan = world.plan();

  EXPECT_EQ(secret_of(plan), "mine");
  EXPECT_EQ(plan.wanted.status.initialization.bootstrap_data_secret_created, true);
  EXPECT_THAT(plan.troubles, IsEmpty());
}

TEST(Bootstrap, ThatNobodyProvidesIsATrouble) {
  auto world = a_pool_world();
  world.pool.spec.machine_template.spec.bootstrap.config_ref.reset();
  world.where([](Observation& seen) { seen.bootstrap = {}; });

  EXPECT_THAT(world.plan().troubles, ElementsAre(HasSubstr("neither configRef nor dataSecretName")));
}

TEST(Bootstrap, WithoutNameOfItsSecretIsATrouble) {
  auto world = a_pool_world();
  world.bootstrap({{"status", {{"initialization", {{"dataSecretCreated", true}}}}}});

  const auto plan = world.plan();

  EXPECT_EQ(secret_of(plan), "none");
  EXPECT_THAT(plan.troubles, ElementsAre(HasSubstr("status.dataSecretName is empty")));
}

TEST(Bootstrap, ThatIsMissingIsATroubleThatIsLookedForAgain) {
  auto world = a_pool_world();
  world.pool.spec.machine_template.spec.bootstrap.data_secret_name = Text("old");
  world.where([](Observation& seen) { seen.bootstrap.state = ExternalSeen::State::Missing; });

  const auto plan = world.plan();

  EXPECT_EQ(secret_of(plan), "old");
  EXPECT_THAT(plan.troubles, ElementsAre("spec.template.spec.bootstrap.configRef: it does not exist"));
  EXPECT_EQ(plan.recheck, Seconds(30));
}

// --- the list of instances ---

TEST(List, IsCopiedInItsOrder) {
  const auto plan = a_pool_world().instances({"n2", "n1"}).plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), ElementsAre("docker:////n2", "docker:////n1"));
  EXPECT_EQ(plan.wanted.status.replicas, 2);
  EXPECT_EQ(plan.wanted.status.initialization.infrastructure_provisioned, true);
}

TEST(List, IsReadOnceTheInfrastructureSaysProvisionedInstead) {
  auto world = a_pool_world();
  world.infra({{"spec", {{"providerIDList", json::array{"a"}}}},
               {"status", {{"initialization", {{"provisioned", true}}}, {"replicas", 1}}}});

  EXPECT_THAT(texts(world.plan().wanted.spec.provider_id_list), ElementsAre("a"));
}

TEST(List, OfTheOlderContractKnowsOnlyReady) {
  auto world = a_pool_world();
  world
      .infra({{"spec", {{"providerIDList", json::array{"a"}}}},
              {"status", {{"initialization", {{"provisioned", true}}}, {"replicas", 1}}}})
      .v1beta1_contract();

  const auto plan = world.plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), IsEmpty());
  EXPECT_EQ(plan.wanted.status.initialization.infrastructure_provisioned, false);
}

TEST(List, OfAnInfrastructureThatIsNotReadyStaysAsItWas) {
  auto world = a_pool_world();
  world.knows({"n1"}).infra(
      {{"spec", {{"providerIDList", json::array{"other"}}}}, {"status", {{"ready", false}}}});

  const auto plan = world.plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), ElementsAre("docker:////n1"));
  EXPECT_EQ(plan.wanted.status.initialization.infrastructure_provisioned, false);
}

TEST(List, WithAnEmptyEntryIsNotBelieved) {
  const auto plan = a_pool_world().knows({"n1"}).instances({"n1", ""}).plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), ElementsAre("docker:////n1"));
  EXPECT_EQ(
      plan.list.problem,
      "spec.providerIDList of BoxPool mp1 has 1 empty entry: its provider has to name every instance or "
      "leave it out; the list known before stays");
}

TEST(List, WithTheSameEntryTwiceIsNotBelieved) {
  const auto plan = a_pool_world().knows({"n1"}).instances({"n1", "n2", "n2"}).plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), ElementsAre("docker:////n1"));
  EXPECT_EQ(
      plan.list.problem,
      "spec.providerIDList of BoxPool mp1 has entries more than once (docker:////n2): its provider has to "
      "name every instance once; the list known before stays");
}

TEST(List, WithInstancesOfAnotherPoolIsNotBelieved) {
  auto world = a_pool_world();
  world.knows({"n1"}).instances({"n1", "n2"}).where([](Observation& seen) {
    seen.taken = {Text("mp2: docker:////n2")};
  });

  const auto plan = world.plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), ElementsAre("docker:////n1"));
  EXPECT_THAT(plan.list.problem, HasSubstr("names instances of other MachinePools (mp2: docker:////n2)"));
}

TEST(List, OfMoreThanAPoolCanHoldIsNotBelieved) {
  std::vector<std::string> many;
  for (int i = 0; i < 10001; ++i) many.push_back(std::to_string(i));

  const auto plan = a_pool_world().instances(many, 10000).plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), IsEmpty());
  EXPECT_THAT(plan.list.problem, HasSubstr("has 10001 entries, more than the 10000"));
}

TEST(List, WithANegativeNumberOfReplicasIsATrouble) {
  const auto plan = a_pool_world().knows({"n1"}).instances({"n1", "n2"}, -1).plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), ElementsAre("docker:////n1"));
  EXPECT_THAT(plan.troubles, ElementsAre(HasSubstr("status.replicas is -1")));
}

TEST(List, WithMoreReplicasThanAPoolCanHaveIsATrouble) {
  const auto plan = a_pool_world().knows({"n1"}).instances({"n1", "n2"}, 2'000'000'000).plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), ElementsAre("docker:////n1"));
  EXPECT_THAT(plan.troubles,
              ElementsAre(HasSubstr("status.replicas is 2000000000: its provider has to report "
                                    "0 to 10000 instances")));
}

TEST(List, WithAnEntryThatNoPoolCanHoldIsNotBelieved) {
  const auto plan = a_pool_world().knows({"n1"}).instances({"n1", std::string(600, 'x')}).plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), ElementsAre("docker:////n1"));
  EXPECT_THAT(plan.list.problem,
              HasSubstr("has an entry of 611 characters, 512 are allowed: docker:////xxx"));
}

TEST(List, ThatIsEmptyWhileReplicasAreNotStays) {
  const auto plan = a_pool_world().knows({"n1"}).instances({}, 1).plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), ElementsAre("docker:////n1"));
  EXPECT_THAT(plan.list.problem, HasSubstr("reports 1 replicas and an empty spec.providerIDList"));
}

TEST(List, ThatShrinksToNothingStaysUntilTheSecondLook) {
  auto world = a_pool_world();
  world.knows({"n1", "n2"}).referred({"n1", "n2"}).instances({});

  const auto plan = world.plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), ElementsAre("docker:////n1", "docker:////n2"));
  EXPECT_THAT(nodes_of_all<RetireNodes>(plan), IsEmpty());
  EXPECT_THAT(plan.list.problem, HasSubstr("has lost all 2 entries of spec.providerIDList at once"));
  EXPECT_EQ(plan.recheck, Seconds(30));
}

TEST(List, ThatIsEmptyForSureIsCopiedAndItsNodesRetire) {
  auto world = a_pool_world();
  world.knows({"n1", "n2"}).referred({"n1", "n2"}).instances({}).connected().where([](Observation& seen) {
    seen.emptied_for_sure = true;
  });

  const auto plan = world.plan();

  EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), IsEmpty());
  EXPECT_THAT(nodes_of_all<RetireNodes>(plan), ElementsAre("n1", "n2"));
  EXPECT_EQ(plan.list.problem, "");
}

// Ready by either contract, with an empty list or none, and without a word of how many there are.
std::vector<Seen> emptied_without_replicas() {
  const json::value ready = {{"ready", true}};
  const json::value provisioned = {{"initialization", {{"provisioned", true}}}};
  std::vector<Seen> worlds;
  for (const json::value& status : {ready, provisioned}) {
    for (const json::value& spec :
         {json::value(json::object()), json::value{{"providerIDList", json::array()}}}) {
      worlds.push_back(a_pool_world());
      worlds.back().infra({{"spec", spec}, {"status", status}});
    }
  }
  worlds.push_back(a_pool_world());
  worlds.back().infra({{"status", ready}}).v1beta1_contract();
  for (Seen& world : worlds) world.knows({"n1", "n2"}).referred({"n1", "n2"}).connected();
  return worlds;
}

TEST(List, OfAPoolThatIsScaledToNoneIsBelievedAtOnce) {
  auto world = a_pool_world();
  world.knows({"n1", "n2"}).referred({"n1", "n2"}).instances({}).connected();
  world.pool.spec.replicas = 0;

  EXPECT_THAT(world.plan().list.problem, IsEmpty());
  EXPECT_THAT(texts(world.plan().wanted.spec.provider_id_list), IsEmpty());
}

TEST(List, OfNoneThatIsManagedFromOutsideIsLookedAtTwice) {
  auto world = a_pool_world();
  world.knows({"n1", "n2"}).referred({"n1", "n2"}).instances({});
  world.pool.spec.replicas = 0;
  world.pool.metadata.annotations.set(api::annotation::kReplicasManagedBy, "autoscaler");

  EXPECT_THAT(world.plan().list.problem, HasSubstr("has lost all 2 entries"));
}

TEST(List, ThatShrinksToNothingWithoutReplicasIsLookedAtTwiceAsWell) {
  for (const Seen& world : emptied_without_replicas()) {
    const auto plan = world.plan();

    EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), ElementsAre("docker:////n1", "docker:////n2"));
    EXPECT_THAT(nodes_of_all<RetireNodes>(plan), IsEmpty());
    EXPECT_THAT(plan.list.problem, HasSubstr("has lost all 2 entries of spec.providerIDList at once"));
    EXPECT_EQ(plan.recheck, Seconds(30));
  }
}

TEST(List, ThatIsEmptyForSureNeedsNoReplicasToBeCopied) {
  for (Seen world : emptied_without_replicas()) {
    world.where([](Observation& seen) { seen.emptied_for_sure = true; });

    const auto plan = world.plan();

    EXPECT_THAT(texts(plan.wanted.spec.provider_id_list), IsEmpty());
    EXPECT_THAT(nodes_of_all<RetireNodes>(plan), ElementsAre("n1", "n2"));
    EXPECT_EQ(plan.list.problem, "");
  }
}

// --- Nodes ---

TEST(Nodes, AreToldWhoseTheyAreAndThatTheyAreInitialized) {
  auto world = a_pool_world();
  world.instances({"n1"}).with(
      a_node("n1").tainted("node.cluster.x-k8s.io/uninitialized", "NoSchedule").tainted("mine", "NoExecute"));

  const auto plan = world.plan();

  const auto writes = actions_of<WriteNode>(plan);
  ASSERT_THAT(writes, SizeIs(1));
  std::vector<std::string> annotations;
  for (const auto& [key, value] : writes[0].change.annotations)
    annotations.push_back(key.str() + "=" + value->str());
  EXPECT_THAT(annotations,
              ElementsAre("cluster.x-k8s.io/cluster-name=c1", "cluster.x-k8s.io/cluster-namespace=default",
                          "cluster.x-k8s.io/owner-kind=MachinePool", "cluster.x-k8s.io/owner-name=mp1"));
  ASSERT_TRUE(writes[0].change.taints);
  ASSERT_THAT(*writes[0].change.taints, SizeIs(1));
  EXPECT_EQ(writes[0].change.taints->front().key, "mine");
}

TEST(Nodes, ThatAreAsTheyShouldBeAreLeftAlone) {
  auto world = a_pool_world();
  world.instances({"n1"}).with(a_node("n1")
                                   .annotated("cluster.x-k8s.io/cluster-name", "c1")
                                   .annotated("cluster.x-k8s.io/cluster-namespace", "default")
                                   .annotated("cluster.x-k8s.io/owner-kind", "MachinePool")
                                   .annotated("cluster.x-k8s.io/owner-name", "mp1"));

  EXPECT_FALSE(has<WriteNode>(world.plan()));
}

TEST(Nodes, ThatWereToBeEmptiedAreScheduledAgainWhenTheirInstanceIsBack) {
  const auto cordoned_by = [](std::string_view whom) {
    auto node = a_node("n1").cordoned().build();
    node.metadata.annotations.set(Text("capstan.dev/cordoned-by"), Text(whom));
    const auto writes = actions_of<WriteNode>(a_pool_world().instances({"n1"}).with(node).plan());
    return writes.size() == 1 && writes.front().change.uncordon;
  };

  EXPECT_TRUE(cordoned_by("default/mp1/n1"));
  EXPECT_FALSE(cordoned_by("default/some-machine")) << "somebody else's";
}

TEST(Nodes, GetWhatThePolicysTemplateWants) {
  auto world = a_pool_world();
  world.instances({"n1"}).with(a_node("n1")).where([](Observation& seen) {
    seen.node_template = api::PolicyNodeTemplate{.labels = {{"tier", "front"}}};
  });

  const auto writes = actions_of<WriteNode>(world.plan());

  ASSERT_THAT(writes, SizeIs(1));
  EXPECT_THAT(writes[0].change.labels, testing::Contains(NodeChange::Entry(Text("tier"), Text("front"))));
}

TEST(Nodes, OfMachinesAreTheirControllersBusiness) {
  auto world = a_pool_world();
  world.instances({"n1"}).with(a_node("n1")).where([](Observation& seen) {
    seen.instances[0].has_machine = true;
  });

  EXPECT_FALSE(has<WriteNode>(world.plan()));
}

TEST(Nodes, OfInstancesThatLeftTheListRetire) {
  auto world = a_pool_world();
  world.knows({"n1", "n2"}).referred({"n1", "n2"}).instances({"n2"}).with(a_node("n2"));

  EXPECT_THAT(nodes_of_all<RetireNodes>(world.plan()), ElementsAre("n1"));
}

TEST(Nodes, DoNotRetireWhileTheListIsNotBelieved) {
  auto world = a_pool_world();
  world.knows({"n1", "n2"}).referred({"n1", "n2"}).instances({"n2", "n2"}).with(a_node("n2"));

  EXPECT_THAT(nodes_of_all<RetireNodes>(world.plan()), IsEmpty());
}

TEST(Nodes, DoNotRetireWhileABrakeIsShut) {
  auto world = a_pool_world();
  world.knows({"n1", "n2"}).referred({"n1", "n2"}).instances({"n2"}).with(a_node("n2"));
  world.where([](Observation& seen) { seen.may_delete = {.open = false, .why = "frozen"}; });

  const Plan plan = world.plan();

  EXPECT_THAT(nodes_of_all<RetireNodes>(plan), IsEmpty());
  EXPECT_EQ(plan.held, 1U);
  EXPECT_EQ(plan.waiting.size(), 1U) << "it is still one of the pool's";
}

TEST(Nodes, DoNotRetireWhileTheCachesAreBehindOurOwnWrites) {
  auto world = a_pool_world();
  world.knows({"n1", "n2"}).referred({"n1", "n2"}).instances({"n2"}).connected().where([](Observation& seen) {
    seen.fresh = false;
  });

  EXPECT_THAT(nodes_of_all<RetireNodes>(world.plan()), IsEmpty());
}

TEST(Nodes, OfAMachineRetireWithTheMachine) {
  auto world = a_pool_world();
  world.knows({"n1", "n2"}).referred({"n1", "n2"}).instances({"n2"}).connected();
  world.with(builders::a_machine("m1").in_pool(kPool).on_node("n1").deleting());

  EXPECT_THAT(nodes_of_all<RetireNodes>(world.plan()), IsEmpty());
}

// --- Machines ---

std::vector<std::string> wished(const Plan& plan) {
  std::vector<std::string> all;
  for (const Action& action : plan.actions) {
    if (const auto* apply = std::get_if<ApplyMachine>(&action))
      all.push_back("apply " + apply->to.metadata.name.str());
    if (const auto* create = std::get_if<CreateMachine>(&action))
      all.push_back("create " + create->machine.metadata.name.str());
  }
  return all;
}

builders::MachineBuilder a_pool_machine(std::string_view name, std::string_view box) {
  return builders::a_machine(name).in_pool(kPool).with([&](api::Machine& machine) {
    machine.spec.infrastructure_ref = {
        .api_group = Text(kBoxes.group), .kind = Text(kBoxes.kind), .name = Text(box)};
  });
}

TEST(Machines, AreMadeForEachObjectOfTheProvider) {
  auto world = a_pool_world();
  world.pool.spec.machine_template.metadata.labels.set("team", "a");
  world.instances({"b1"}).with(a_node("b1").kubelet_version("v1.35.1")).boxes({"b1", "b2"});

  const auto plan = world.plan();

  EXPECT_THAT(wished(plan), ElementsAre("create b1", "create b2"));
  const json::value expected = {
      {"apiVersion", "cluster.x-k8s.io/v1beta2"},
      {"kind", "Machine"},
      {"metadata",
       {{"name", "b1"},
        {"namespace", "default"},
        {"labels",
         {{"cluster.x-k8s.io/cluster-name", "c1"}, {"cluster.x-k8s.io/pool-name", "mp1"}, {"team", "a"}}},
        {"ownerReferences", json::array{{{"apiVersion", "cluster.x-k8s.io/v1beta2"},
                                         {"kind", "MachinePool"},
                                         {"name", "mp1"},
                                         {"uid", world.pool.metadata.uid.str()},
                                         {"controller", true},
                                         {"blockOwnerDeletion", true}}}},
        {"finalizers", json::array{"machine.cluster.x-k8s.io"}}}},
      {"spec",
       {{"clusterName", "c1"},
        {"bootstrap", {{"dataSecretName", ""}}},
        {"infrastructureRef",
         {{"apiGroup", "infrastructure.cluster.x-k8s.io"}, {"kind", "Box"}, {"name", "b1"}}},
        {"version", "v1.35.1"},
        {"deletion", {{"nodeDeletionTimeoutSeconds", 10}}}}}};
  const auto created = actions_of<CreateMachine>(plan);
  ASSERT_THAT(created, SizeIs(2));
  EXPECT_EQ(api::to_json(created[0].machine), expected) << api::to_json(created[0].machine);
}

TEST(Machines, HaveNoVersionUntilTheirNodeHasOne) {
  const auto plan = a_pool_world().instances({"b1"}).boxes({"b1"}).plan();

  const auto created = actions_of<CreateMachine>(plan);
  ASSERT_THAT(created, SizeIs(1));
  EXPECT_TRUE(created[0].machine.spec.version.empty());
}

TEST(Machines, KeepTheirVersionWhileTheNodeCannotBeSeen) {
  auto world = a_pool_world();
  world.instances({"b1"}).boxes({"b1"}).with(a_pool_machine("b1", "b1").version("v1.35.1"));

  const auto applied = actions_of<ApplyMachine>(world.plan());
  ASSERT_THAT(applied, SizeIs(1));
  EXPECT_EQ(applied[0].to.spec.version, "v1.35.1");
}

TEST(Machines, AreFoundByTheirObjectWhateverTheirName) {
  auto world = a_pool_world();
  world.instances({"b1"}).boxes({"b1"}).with(a_pool_machine("m7", "b1"));

  EXPECT_THAT(wished(world.plan()), ElementsAre("apply m7"));
}

TEST(Machines, OfAnObjectThatGoesAreNotMade) {
  auto world = a_pool_world();
  world.instances({}).boxes({"b1"}).where([](Observation& seen) {
    auto object = *seen.machines.objects[0];
    object.metadata.deletion_timestamp = builders::noon();
    seen.machines.objects[0] = std::make_shared<const api::contract::ContractObject>(object);
  });

  EXPECT_THAT(wished(world.plan()), IsEmpty());
}

TEST(Machines, ThatGoAreNotAppliedAnyMore) {
  auto world = a_pool_world();
  world.instances({"b1"}).boxes({"b1"}).with(a_pool_machine("b1", "b1").deleting());

  EXPECT_THAT(wished(world.plan()), IsEmpty());
}

TEST(Machines, WhoseObjectIsGoneAreToGoToo) {
  auto world = a_pool_world();
  world.instances({"b1"}).boxes({"b1"}).with(a_pool_machine("b1", "b1")).with(a_pool_machine("b2", "b2"));

  const auto plan = world.plan();

  const auto deletions = actions_of<DeleteMachine>(plan);
  ASSERT_THAT(deletions, SizeIs(1));
  EXPECT_EQ(deletions[0].machine->metadata.name, "b2");
}

TEST(Machines, OfAnotherKindAreNotJudgedByThisOne) {
  auto world = a_pool_world();
  world.instances({}).boxes({}).with(builders::a_machine("m1").in_pool(kPool));

  EXPECT_FALSE(has<DeleteMachine>(world.plan()));
}

TEST(Machines, AreMarkedUpToDateAndGoingOnesAreNot) {
  auto world = a_pool_world();
  world.instances({"b1"})
      .boxes({"b1", "b2"})
      .with(a_pool_machine("b1", "b1"))
      .with(a_pool_machine("b2", "b2").deleting());

  const auto plan = world.plan();

  std::vector<std::string> told;
  for (const auto& write : actions_of<WriteUpToDate>(plan)) {
    const auto condition = api::conditions::find(write.to.status.conditions, "UpToDate");
    told.push_back(write.to.metadata.name.str() + " " + condition->status.str() + " " +
                   condition->reason.str() + " " + condition->message.str());
  }
  EXPECT_THAT(told, ElementsAre("b1 True UpToDate ", "b2 False NotUpToDate Machine is being deleted"));
}

TEST(Machines, AreLookedForAgainWhileTheirKindIsNotListed) {
  auto world = a_pool_world();
  world.instances({"b1"}).where(
      [](Observation& seen) { seen.machines.state = MachinesSeen::State::Unknown; });

  const auto plan = world.plan();

  EXPECT_EQ(plan.recheck, Seconds(1));
  EXPECT_THAT(plan.troubles, IsEmpty());
}

// The kind can be resolved, and no cache has its objects yet.
Seen of_an_unlisted_kind(bool listed_soon) {
  Seen world;
  world.pool.metadata.creation_timestamp = builders::noon();
  world.where([&](Observation& seen) {
    seen.infra = {.state = ExternalSeen::State::CacheBehind,
                  .problem = "boxpools can't be listed: forbidden",
                  .listed_soon = listed_soon};
  });
  return world;
}
void age(Seen& world, int seconds) {
  world.where(
      [&](Observation& seen) { seen.now = Time::from_unix(builders::noon().unix_seconds() + seconds); });
}

TEST(Decide, TellsAboutAKindThatCannotBeListedAndAsksRarely) {
  auto young = of_an_unlisted_kind(false);
  auto old = of_an_unlisted_kind(false);
  age(old, 61);

  EXPECT_EQ(young.plan().too_early, Nanoseconds(Seconds(30)));
  EXPECT_FALSE(old.plan().too_early);
  EXPECT_THAT(old.plan().troubles, ElementsAre("spec.template.spec.infrastructureRef: boxpools can't be "
                                               "listed: forbidden"));
  EXPECT_EQ(old.plan().recheck, Seconds(30));
}

TEST(Decide, WaitsForAListThatComesSoonHoweverOldThePoolIs) {
  auto world = of_an_unlisted_kind(true);
  world.pool.status.conditions = api::Conditions({api::Condition()});
  age(world, 86400);

  EXPECT_EQ(world.plan().too_early, Nanoseconds(std::chrono::milliseconds(500)));
}

TEST(Decide, WaitsForACacheThatIsBeingFilled) {
  auto world = a_pool_world();
  world.where([](Observation& seen) { seen.infra.state = ExternalSeen::State::CacheBehind; });

  EXPECT_TRUE(world.plan().too_early);
}

// --- the plan, action by action ---

TEST(PlanOfAPool, WritesThePoolFirstAndNodesLast) {
  auto world = a_pool_world();
  world.knows({"n1", "b1"}).referred({"n1"}).instances({"b1", "b2"}).boxes({"b1", "b2"});
  world.with(a_node("b1")).with(a_pool_machine("b2", "b2")).with(a_pool_machine("b3", "b3"));

  EXPECT_THAT(in_words(world.plan()),
              ElementsAre("write pool with 2 instances", "claim Recipe", "claim BoxPool", "create Machine b1",
                          "apply Machine b2", "write UpToDate of b2", "write UpToDate of b3",
                          "delete Machine b3", "write Node b1", "retire n1"));
}

TEST(PlanOfAPool, HasWhatThePoolWasAndWhatItBecomes) {
  auto world = a_pool_world();
  world.knows({"n1"}).instances({"n1", "n2"});

  const auto writes = actions_of<WritePool>(world.plan());

  ASSERT_THAT(writes, SizeIs(1));
  EXPECT_THAT(texts(writes[0].from->spec.provider_id_list), ElementsAre("docker:////n1"));
  EXPECT_THAT(texts(writes[0].to.spec.provider_id_list), ElementsAre("docker:////n1", "docker:////n2"));
}

TEST(PlanOfAPool, WritesNoPoolThatIsAsWanted) {
  auto world = a_pool_world();
  world.pool = world.plan().wanted;

  EXPECT_FALSE(has<WritePool>(world.plan()));
}

TEST(PlanOfAPool, DeletesAndCreatesNothingWhileTheCachesAreBehindOurOwnWrites) {
  auto world = a_pool_world();
  world.instances({"b1", "b2"}).boxes({"b1", "b2"});
  world.with(a_pool_machine("b2", "b2")).with(a_pool_machine("b3", "b3"));
  world.where([](Observation& seen) { seen.fresh = false; });

  const auto plan = world.plan();

  EXPECT_FALSE(has<CreateMachine>(plan));
  EXPECT_FALSE(has<DeleteMachine>(plan));
  EXPECT_THAT(wished(plan), ElementsAre("apply b2"));
}

TEST(PlanOfAPool, RepairsLostManagersInsteadOfApplying) {
  auto world = a_pool_world();
  world.instances({"b1"}).boxes({"b1"}).with(a_pool_machine("b1", "b1"));
  world.where([](Observation& seen) { seen.machines.unmanaged = seen.machines.machines; });

  const auto plan = world.plan();

  EXPECT_THAT(wished(plan), IsEmpty());
  ASSERT_THAT(actions_of<RepairManagers>(plan), SizeIs(1));
  EXPECT_EQ(actions_of<RepairManagers>(plan)[0].machine->metadata.name, "b1");
}

TEST(PlanOfAPool, LeavesANodeAloneThatTheCacheShowsAsItWasBeforeOurWrite) {
  auto world = a_pool_world();
  world.instances({"n1", "n2"}).with(a_node("n1")).with(a_node("n2")).where([](Observation& seen) {
    seen.instances[0].behind = true;
  });

  const auto writes = actions_of<WriteNode>(world.plan());

  ASSERT_THAT(writes, SizeIs(1));
  EXPECT_EQ(writes[0].node->metadata.name, "n2");
}

std::vector<std::string> many(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("n" + std::to_string(i));
  return names;
}

TEST(PlanOfAPool, LeavesNodesBeyondFiveHundredToTheNextTurn) {
  const auto plan_of = [](std::size_t count) {
    auto world = a_pool_world();
    for (const auto& name : many(count)) world.with(a_node(name));
    return world.plan();
  };

  EXPECT_THAT(actions_of<WriteNode>(plan_of(501)), SizeIs(500));
  EXPECT_TRUE(plan_of(501).unfinished);
  EXPECT_FALSE(plan_of(500).unfinished);
}

TEST(PlanOfAPool, LeavesMachinesBeyondTwoHundredToTheNextTurn) {
  const auto plan_of = [](std::size_t count) {
    return a_pool_world().instances(many(count)).boxes(many(count)).plan();
  };

  EXPECT_THAT(actions_of<CreateMachine>(plan_of(201)), SizeIs(200));
  EXPECT_TRUE(plan_of(201).unfinished);
  EXPECT_FALSE(plan_of(200).unfinished);
}

TEST(PlanOfAPool, SaysWhetherNodesThatRetireAreDrainedFirst) {
  auto world = a_pool_world();
  world.knows({"n1"}).referred({"n1"}).instances({"n2"}).connected();
  const auto undrained = actions_of<RetireNodes>(world.plan());
  world.where([](Observation& seen) { seen.drains = true; });
  const auto drained = actions_of<RetireNodes>(world.plan());

  ASSERT_THAT(undrained, SizeIs(1));
  ASSERT_THAT(drained, SizeIs(1));
  EXPECT_FALSE(undrained[0].drain);
  EXPECT_TRUE(drained[0].drain);
}

}  // namespace
}  // namespace capstan::controllers::machinepool
