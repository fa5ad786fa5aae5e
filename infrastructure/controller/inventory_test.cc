// What the cloud's list makes us doubt, and when such a doubt is over. Provider tests show what comes of one.
#include "infrastructure/controller/inventory.h"

#include "api/conditions/conditions.h"
#include "infrastructure/controller/machine/reconciler.h"
#include "infrastructure/provider_fixture.h"

namespace capstan::infrastructure {
namespace {

class NobodyListens final : public runtime::EventRecorder {
 public:
  void record(const api::ObjectReference&, runtime::EventType, std::string_view, std::string_view) override {}
};

api::DriverMachine that_ran(const std::string& name, std::string_view version) {
  api::DriverMachine machine;
  machine.metadata.name = Text(name);
  machine.metadata.namespace_ = "default"_text;
  machine.metadata.resource_version = api::ResourceVersion::parse(version).value();
  machine.spec.provider_id = Text("sim:///" + name);
  machine.status.initialization.provisioned = true;
  machine.status.conditions = {
      api::conditions::make(api::condition::kReady, api::status::kTrue, api::condition::kReady)};
  return machine;
}

// The cloud has lost the VMs of m1 and m2.
TEST(Inventory, ForgetsADoubtWithItsDriverMachine) {
  InfrastructureFixture world;
  world.run([&] {
    Caches caches;
    NobodyListens events;
    SeededRandomness randomness(1);
    Inventory inventory({.clock = world.baton,
                         .threads = world.baton,
                         .client = world.management.user,
                         .drivers = world.cloud,
                         .caches = caches},
                        Nanoseconds(0));
    OrphanSearch orphans({.clock = world.baton,
                          .threads = world.baton,
                          .client = world.management.user,
                          .drivers = world.cloud,
                          .caches = caches});
    machine::Reconciler reconciler({.clock = world.baton,
                                    .threads = world.baton,
                                    .client = world.management.user,
                                    .drivers = world.cloud,
                                    .control_planes = world.planes,
                                    .randomness = randomness,
                                    .caches = caches,
                                    .inventory = inventory,
                                    .orphans = orphans,
                                    .events = events});
    caches.driver_machines.apply(that_ran("m1", "1"));
    caches.driver_machines.apply(that_ran("m2", "2"));
    inventory.look(kNever);
    const bool both = inventory.doubts(named("m1")) && inventory.doubts(named("m2"));

    caches.driver_machines.remove(named("m1"), api::ResourceVersion::parse("3").value());
    must(reconciler.reconcile({}, named("m1")), "the turn of one that is gone");
    caches.driver_machines.apply(that_ran("m1", "4"));

    EXPECT_TRUE(both);
    EXPECT_FALSE(inventory.doubts(named("m1"))) << "its successor is another";
    EXPECT_TRUE(inventory.doubts(named("m2")));
  });
}

}  // namespace
}  // namespace capstan::infrastructure
