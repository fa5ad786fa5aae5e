#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.h"
#include "controllers/shared/controller_fixture.h"
#include "controllers/unclaimed/reconciler.h"
#include "test/builders/cluster.h"
#include "test/builders/identity.h"
#include "test/builders/machine.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"
#include "test/builders/node.h"
#include "test/fakes/scripted_client.h"

namespace capstan::controllers::unclaimed {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

const kube::ObjectKey kOne{"default", "c1"};

class UnclaimedFixture : public ControllerFixture<Reconciler> {
 public:
  explicit UnclaimedFixture(fakes::Baton& with)
      : ControllerFixture(with, {.name = "unclaimednode", .kind = "Cluster", .pace = 100ms}) {
    node_api.on_patch = [](const kube::Resource&, const kube::ObjectKey& key, const json::value&,
                           const kube::PatchOptions&) -> Result<json::value> {
      return json::value{{"metadata", {{"name", key.name}, {"resourceVersion", "900000"}}}};
    };
    put(builders::a_cluster("c1").without_control_plane_ref().running().build());
    make(builders::a_machine_set("web").labelled("team", "a").build());
    workload_clusters.connect(kOne, &workload);
  }
  void node_joins() {
    workload_clusters.put_node(
        kOne, builders::a_node("n1").provider_id("docker:////n1").created(Time::from(baton.now())).build());
  }
  std::vector<std::string> nodes_written() { return workload.described_writes(); }

  fakes::ScriptedClient node_api;
  fakes::RecordingClient workload{node_api};
};

api::MachinePool pool_of(std::string_view provider_id) {
  api::MachinePool pool;
  pool.metadata = builders::metadata_of(api::kind::kMachinePool, "mp");
  pool.metadata.labels.set("team", "pools");
  pool.spec.cluster_name = Text(kOne.name);
  pool.spec.provider_id_list = std::vector<Text>{Text(provider_id)};
  auto& spec = pool.spec.machine_template.spec;
  spec.cluster_name = Text(kOne.name);
  spec.bootstrap.data_secret_name = "data"_text;
  spec.infrastructure_ref = {.api_group = "infrastructure.cluster.x-k8s.io"_text,
                             .kind = "DockerMachinePool"_text,
                             .name = "mp"_text};
  return pool;
}

void among_nodes(const std::function<void(UnclaimedFixture&)>& body) {
  under_seeds([&](fakes::Baton& baton) {
    UnclaimedFixture world(baton);
    body(world);
  });
}

TEST(UnclaimedTurns, MarkANodeAfterItsTimeAndTellTheCluster) {
  among_nodes([](UnclaimedFixture& world) {
    world.make(builders::a_policy("care").selecting("team", "a").build());
    world.start();
    world.node_joins();

    world.settle(1190s);
    EXPECT_THAT(world.nodes_written(), IsEmpty());
    world.settle(30s);

    EXPECT_THAT(world.nodes_written(), ElementsAre("patch nodes n1"));
    EXPECT_THAT(world.events.events,
                Contains(HasSubstr("NodeNotManaged: Node n1 is left alone: no Machine")));
  });
}

TEST(UnclaimedTurns, LeaveANodeAloneThatAMachineClaims) {
  among_nodes([](UnclaimedFixture& world) {
    world.make(builders::a_policy("care").selecting("team", "a").build());
    world.put(builders::a_machine("m1").provider_id("docker:////n1").build());
    world.start();
    world.node_joins();

    world.settle(2h);

    EXPECT_THAT(world.nodes_written(), IsEmpty());
  });
}

TEST(UnclaimedTurns, LeaveANodeAloneThatAPoolClaimsAndMarkTheNextOne) {
  among_nodes([](UnclaimedFixture& world) {
    world.make(builders::a_policy("care").selecting("team", "pools").build());
    world.put(pool_of("docker:////n1"));
    world.start();
    world.node_joins();
    world.workload_clusters.put_node(
        kOne,
        builders::a_node("n2").provider_id("docker:////n2").created(Time::from(world.baton.now())).build());

    world.settle(2h);

    EXPECT_THAT(world.nodes_written(), ElementsAre("patch nodes n2"));
  });
}

TEST(UnclaimedTurns, DoNothingInAClusterThatNoPolicyGoverns) {
  among_nodes([](UnclaimedFixture& world) {
    world.start();
    world.node_joins();

    world.settle(2h);

    EXPECT_THAT(world.nodes_written(), IsEmpty());
  });
}

}  // namespace
}  // namespace capstan::controllers::unclaimed
