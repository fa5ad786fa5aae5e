// What is sent to a Node of a workload cluster: write_node() against an API server, with a kubelet that the
// test plays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/shared/controller_fixture.h"
#include "controllers/shared/node_writes.h"
#include "test/builders/node.h"

namespace capstan::controllers {
namespace {

using testing::ElementsAre;

const kube::ObjectKey kMachineOfNode{.namespace_ = "default", .name = "m1"};

// A controller that does nothing: the test writes in its place.
struct Idle final : runtime::Reconciler {
  explicit Idle(const Deps&) {}
  void bind(const Host&) {}
  void add_triggers(runtime::Queue&) {}
  Result<runtime::Outcome> reconcile(const runtime::Context&, const kube::ObjectKey&) override {
    return runtime::Outcome::done();
  }
};

// Node n1 of a workload cluster, whose kubelet reports, and what a Machine sees of it.
class WrittenNode {
 public:
  explicit WrittenNode(fakes::Baton& baton)
      : stage_(baton, {.name = "idle", .kind = "Machine"}), api_({.clock = baton}), nodes_(api_, baton) {
    stage_.start();
    make_node();
  }

  void make_node() {
    must(nodes_.create(kube::resources::nodes(), {.name = "n1"},
                       {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "n1"}}}}, {},
                       Deadline::never()));
    report("12:00:00");
  }
  void remove_node() { must(nodes_.remove(kube::resources::nodes(), {.name = "n1"}, {}, Deadline::never())); }
  void report(std::string_view at) {
    const std::string time = "2026-01-01T" + std::string(at) + "Z";
    const json::array conditions{
        {{"type", "Ready"}, {"status", "True"}, {"reason", "KubeletReady"}, {"lastHeartbeatTime", time}}};
    patch({{"status", {{"conditions", conditions}}}}, "status");
  }
  void patch(const json::value& body, std::string_view subresource = {}) {
    must(nodes_.patch(kube::resources::nodes(), {.name = "n1"}, body,
                      {.subresource = std::string(subresource)}, Deadline::never()));
  }

  json::value live() {
    return nodes_.get(kube::resources::nodes(), {.name = "n1"}, Deadline::never()).value();
  }
  api::Node node() { return api::from_json<api::Node>(live()).value(); }
  std::vector<std::string> conditions() {
    std::vector<std::string> lines;
    const json::value node = live();
    for (const auto& each : node.at("status").at("conditions").as_array())
      lines.push_back(std::string(each.at("type").as_string()) + " " +
                      std::string(each.at("status").as_string()));
    return lines;
  }

  Result<void> write(const api::Node& seen, const NodeChange& change) {
    const runtime::Context context{.deadline = Deadline::never()};
    const Host host = stage_.host();
    const ActContext with{.deps = stage_.deps(), .host = host, .contests = contests_, .context = context};
    return write_node(with, writes_, kMachineOfNode, {.client = nodes_, .node = seen, .change = change});
  }

 private:
  ControllerFixture<Idle> stage_;
  apiserver::Api api_;
  fakes::MemoryClient nodes_;
  Contests contests_;
  NodeWrites writes_{stage_.baton};
};

NodeChange says(std::string_view status) {
  return {.condition = api::NodeCondition{.type = "capstan.dev/Preserved"_text,
                                          .status = Text(status),
                                          .last_transition_time = builders::noon(),
                                          .reason = "Preserved"_text}};
}
NodeChange tainted(NodeChange change) {
  change.taints =
      api::List<api::NodeTaint>({{.key = "capstan.dev/preserved"_text, .effect = "NoSchedule"_text}});
  return change;
}

void on_a_node(const std::function<void(WrittenNode&)>& story) {
  under_seeds(
      [&](fakes::Baton& baton) {
        WrittenNode ground(baton);
        story(ground);
      },
      1);
}

TEST(NodeConditions, StandBesideThoseOfTheKubelet) {
  on_a_node([](WrittenNode& ground) {
    const auto written = ground.write(ground.node(), tainted(says("True")));

    ASSERT_TRUE(written) << written.error().describe();
    EXPECT_THAT(ground.conditions(), ElementsAre("Ready True", "capstan.dev/Preserved True"));
    EXPECT_EQ(ground.live().at("status").at("conditions").at(0).at("lastHeartbeatTime"),
              "2026-01-01T12:00:00Z");
    ASSERT_EQ(ground.node().spec.taints.size(), 1U);
    EXPECT_EQ(ground.node().spec.taints[0].key, "capstan.dev/preserved");
  });
}

TEST(NodeConditions, ReplaceTheOneOfTheirType) {
  on_a_node([](WrittenNode& ground) {
    must(ground.write(ground.node(), says("True")));

    must(ground.write(ground.node(), says("False")));

    EXPECT_THAT(ground.conditions(), ElementsAre("Ready True", "capstan.dev/Preserved False"));
  });
}

// Caches leave heartbeats out, so what was seen is older than the Node most of the time.
TEST(NodeConditions, AloneWaitForNoHeartbeat) {
  on_a_node([](WrittenNode& ground) {
    const api::Node seen = ground.node();
    ground.report("12:05:00");

    must(ground.write(seen, says("True")));

    EXPECT_THAT(ground.conditions(), ElementsAre("Ready True", "capstan.dev/Preserved True"));
    EXPECT_EQ(ground.live().at("status").at("conditions").at(0).at("lastHeartbeatTime"),
              "2026-01-01T12:05:00Z");
  });
}

TEST(NodeConditions, WithTaintsAreOfWhatWasSeen) {
  on_a_node([](WrittenNode& ground) {
    const api::Node seen = ground.node();
    ground.patch({{"spec", {{"taints", json::array{{{"key", "mine"}, {"effect", "NoExecute"}}}}}}});

    const auto written = ground.write(seen, tainted(says("True")));

    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, Code::Conflict);
    EXPECT_THAT(ground.conditions(), ElementsAre("Ready True"));
    EXPECT_EQ(ground.node().spec.taints[0].key, "mine");
  });
}

TEST(NodeConditions, AreNotWrittenToAnotherNodeOfThatName) {
  on_a_node([](WrittenNode& ground) {
    const api::Node seen = ground.node();
    ground.remove_node();
    ground.make_node();

    must(ground.write(seen, says("True")));

    EXPECT_THAT(ground.conditions(), ElementsAre("Ready True"));
  });
}

TEST(NodeConditions, OfANodeThatIsGoneAreNoError) {
  on_a_node([](WrittenNode& ground) {
    const api::Node seen = ground.node();
    ground.remove_node();

    EXPECT_TRUE(ground.write(seen, tainted(says("True"))));
  });
}

TEST(NodeConditions, AloneTakeNoOtherPatch) {
  on_a_node([](WrittenNode& ground) {
    const api::Node before = ground.node();

    must(ground.write(before, says("True")));

    EXPECT_EQ(ground.node().metadata.resource_version.number(),
              before.metadata.resource_version.number() + 1);
  });
}

}  // namespace
}  // namespace capstan::controllers
