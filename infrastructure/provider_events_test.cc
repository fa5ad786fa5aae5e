// The Events of the infrastructure provider, word for word: what `kubectl describe` shows of an object that
// is not ready.
#include "infrastructure/provider_fixture.h"

namespace capstan::infrastructure {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

// "Warning VMGone: ..." about the object of that kind and name, in the order in which they came up.
std::vector<std::string> events_about(Management& management, std::string_view kind, std::string_view name) {
  const auto listed = management.user.list(kube::resources::events(), {.namespace_ = "default"}, kNever);
  must(listed, "list the Events");
  std::map<std::string, std::string> by_name;  // a name ends in the time of the Event
  for (const json::value& event : listed->at("items").as_array()) {
    const auto text = [&](std::string_view field) { return std::string(event.at(field).as_string()); };
    const json::value& about = event.at("involvedObject");
    if (about.at("kind").as_string() != kind || about.at("name").as_string() != name) continue;
    by_name.emplace(event.at("metadata").at("name").as_string(),
                    text("type") + " " + text("reason") + ": " + text("message"));
  }
  std::vector<std::string> texts;
  for (const auto& [unused, text] : by_name) texts.push_back(text);
  return texts;
}

TEST(ProviderEvents, SayOncePerReasonWhyAMachineIsNotReady) {
  InfrastructureFixture world;
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();
    world.management.add_machine("m1", {}, false);
    ASSERT_TRUE(world.eventually([&] { return !world.management.ready_reason("m1").empty(); }));
    world.management.add_data_secret("m1");
    world.management.change<api::Machine>(
        "m1", [](api::Machine& machine) { machine.spec.bootstrap.data_secret_name = "m1"_text; });
    ASSERT_TRUE(world.eventually([&] { return world.node("m1").has_value(); }));
    const std::string id = world.management.get<api::DriverMachine>("m1")->spec.provider_id.str();

    world.cloud.vanish("m1");
    ASSERT_TRUE(world.eventually([&] { return world.management.ready_reason("m1") == "VMGone"; }));
    world.pause(10min);

    EXPECT_THAT(events_about(world.management, "DriverMachine", "m1"),
                ElementsAre("Warning WaitingForBootstrapData: waiting for spec.bootstrap.dataSecretName of "
                            "Machine m1",
                            "Warning VMGone: the cloud has no VM " + id +
                                " any more; a new one is made for a new Machine only"));
  });
}

TEST(ProviderEvents, SayWhatStandsAgainstAClusterButNotWhatItWaitsFor) {
  InfrastructureFixture world;
  world.run([&] {
    const json::value foreign = {{"apiVersion", "v1"},
                                 {"kind", "Secret"},
                                 {"metadata", {{"name", "c1-ca"}, {"namespace", "default"}}},
                                 {"data", {{"tls.crt", "eA=="}}}};
    must(world.management.user.create(kube::resources::secrets(), named("c1-ca"), foreign, {}, kNever),
         "create");
    InfrastructureFixture::Process provider(world, world.management);
    world.management.add_cluster();
    api::DriverCluster without_owner;
    without_owner.metadata.name = "alone"_text;
    without_owner.metadata.namespace_ = "default"_text;
    world.management.put(without_owner);

    world.pause(1min);

    EXPECT_THAT(events_about(world.management, "DriverCluster", "c1"),
                ElementsAre("Warning CertificateAuthorityTaken: Secret default/c1-ca holds another "
                            "certificate authority than the one of this control plane; delete the Secret"));
    EXPECT_THAT(events_about(world.management, "DriverCluster", "alone"), IsEmpty());
  });
}

TEST(ProviderEvents, SayWhyAPoolDoesNotGrowButNotThatItGrows) {
  sim::Script script;
  script.quota.vms = 2;
  InfrastructureFixture world(script);
  world.run([&] {
    InfrastructureFixture::Process provider(world, world.management);
    world.bring_cluster_up();

    world.management.add_pool("mp1", 3);
    ASSERT_TRUE(world.eventually([&] { return world.management.has("mp1", 2); }));
    world.management.resize("mp1", 2'000'000'000);
    ASSERT_TRUE(
        world.eventually([&] { return world.management.pool_ready("mp1").starts_with("InvalidSize"); }));
    world.pause(1min);

    EXPECT_THAT(
        events_about(world.management, "DriverMachinePool", "mp1"),
        ElementsAre("Warning ResourceExhausted: can't create a VM: ResourceExhausted: quota of 2 VMs reached",
                    "Warning InvalidSize: spec.replicas of MachinePool mp1 is 2000000000: a pool has between "
                    "0 and 10000 instances; nothing is made or removed until it asks for such a number"));
  });
}

}  // namespace
}  // namespace capstan::infrastructure
