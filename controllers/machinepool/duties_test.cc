// What a MachinePool controller is for, duty by duty, with providers of both contracts: the newer one in both
// ways it can say that the infrastructure is ready.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machinepool/turn_fixture.h"

namespace capstan::controllers::machinepool {
namespace {

using builders::a_node;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

struct Providers {
  std::string name = {};
  std::string contract = {};
  bool provisioned = false;  // says status.initialization.provisioned, not status.ready
};
void PrintTo(const Providers& providers, std::ostream* out) { *out << providers.name; }

class Scene : public MachinePoolFixture {
 public:
  Scene(fakes::Baton& with, const Providers& providers)
      : MachinePoolFixture(with, 1s, providers.contract), providers_(providers) {}

  void config_says(json::object status) { patch(kConfigs, kPool, {{"status", std::move(status)}}, "status"); }
  void config_is_done(std::string_view secret = "data") {
    json::object status = {{"dataSecretName", secret}};
    if (providers_.contract == "v1beta1") {
      status["ready"] = true;
    } else {
      status["initialization"] = {{"dataSecretCreated", true}};
    }
    config_says(std::move(status));
  }
  void instances(const std::vector<std::string>& nodes, bool ready = true) {
    json::object status;
    if (providers_.provisioned) {
      status["initialization"] = {{"provisioned", ready}};
    } else {
      status["ready"] = ready;
    }
    status["replicas"] = nodes.size();
    json::array ids;
    for (const auto& node : nodes) ids.push_back(json::value(id_of(node)));
    patch(kBoxPools, kPool, {{"spec", {{"providerIDList", std::move(ids)}}}});
    patch(kBoxPools, kPool, {{"status", std::move(status)}}, "status");
  }
  std::vector<std::string> list() {
    std::vector<std::string> ids;
    for (const Text& id : pool().spec.provider_id_list) ids.push_back(id.str());
    return ids;
  }
  std::string secret() {
    const auto name = pool().spec.machine_template.spec.bootstrap.data_secret_name;
    return name ? name->str() : "none";
  }
  json::value controller_of(const kube::Resource& kind) {
    return read(kind, kPool).at("metadata").at("ownerReferences").at(0);
  }

 private:
  const Providers providers_;
};

class Duties : public testing::TestWithParam<Providers> {
 protected:
  static void in_simulation(const std::function<void(Scene&)>& body) {
    under_seeds([&](fakes::Baton& baton) {
      Scene scene(baton, GetParam());
      body(scene);
    });
  }
};

TEST_P(Duties, TheClusterOwnsThePoolAndThePoolItsTwoObjects) {
  in_simulation([](Scene& scene) {
    scene.make_pool();
    scene.start();

    const auto pool = scene.pool();
    const auto& owner = pool.metadata.owner_references->front();
    EXPECT_EQ(owner.kind, "Cluster");
    EXPECT_EQ(owner.name, "c1");
    EXPECT_FALSE(owner.controller.value_or(false));
    EXPECT_EQ(pool.metadata.labels.value_or_empty("cluster.x-k8s.io/cluster-name"), "c1");
    for (const auto* kind : {&kConfigs, &kBoxPools}) {
      EXPECT_EQ(scene.controller_of(*kind).at("kind"), json::value("MachinePool"));
      EXPECT_EQ(scene.controller_of(*kind).at("controller"), json::value(true));
    }
  });
}

TEST_P(Duties, TheDataSecretIsCopiedWhenItIsThereAndNotBefore) {
  in_simulation([](Scene& scene) {
    scene.make_pool();
    scene.start();
    scene.config_says({{"dataSecretName", "too-early"}});
    scene.settle();
    const auto before = scene.secret();

    scene.config_is_done("data");
    scene.settle();
    const auto then = scene.secret();
    scene.config_is_done("rotated");
    scene.settle();

    EXPECT_EQ(before, "none");
    EXPECT_EQ(then, "data");
    EXPECT_EQ(scene.secret(), "rotated");
    EXPECT_EQ(scene.pool().status.initialization.bootstrap_data_secret_created, true);
  });
}

TEST_P(Duties, ASecretOfTheUserIsNeverTouched) {
  in_simulation([](Scene& scene) {
    auto pool = a_pool(1);
    pool.spec.machine_template.spec.bootstrap = {.data_secret_name = Text("mine")};
    scene.make_pool(pool);
    scene.start();
    scene.config_is_done("not-asked-for");
    scene.settle(1min);

    EXPECT_EQ(scene.secret(), "mine");
    EXPECT_EQ(scene.pool().status.initialization.bootstrap_data_secret_created, true);
    EXPECT_FALSE(scene.read(kConfigs, kPool).at("metadata").as_object().contains("ownerReferences"));
  });
}

TEST_P(Duties, TheListIsCopiedOnceTheInfrastructureIsReady) {
  in_simulation([](Scene& scene) {
    scene.make_pool();
    scene.start();
    scene.instances({"n1"}, false);
    scene.settle();
    const auto before = scene.list();

    scene.instances({"n1", "n2"});
    scene.settle();

    EXPECT_THAT(before, IsEmpty());
    EXPECT_THAT(scene.list(), ElementsAre("docker:////n1", "docker:////n2"));
    EXPECT_EQ(scene.pool().status.initialization.infrastructure_provisioned, true);
    EXPECT_EQ(scene.pool().status.replicas, 2);
  });
}

TEST_P(Duties, NodesAreFoundByTheirProviderIdAndCountedWhenReady) {
  in_simulation([](Scene& scene) {
    scene.make_pool();
    scene.connect();
    scene.start();
    scene.config_is_done();
    scene.instances({"n1", "n2"});
    scene.make_node(a_node("n1"));
    scene.make_node(a_node("stranger").provider_id("docker:////elsewhere"));
    scene.settle();
    const auto half = scene.pool();

    scene.make_node(a_node("n2"));
    scene.settle();
    const auto whole = scene.pool();

    EXPECT_EQ(half.status.phase, "ScalingUp");
    EXPECT_EQ(half.status.node_refs.size(), 1u);
    EXPECT_EQ(half.status.ready_replicas, 1);
    EXPECT_EQ(whole.status.phase, "Running");
    EXPECT_EQ(whole.status.ready_replicas, 2);
    EXPECT_EQ(whole.status.available_replicas, 2);
    EXPECT_EQ(whole.status.deprecated->v1beta1->ready_replicas, 2);
    for (const auto& ref : whole.status.node_refs) {
      EXPECT_EQ(ref.kind, "Node");
      EXPECT_FALSE(ref.uid.str().empty());
    }
  });
}

TEST_P(Duties, NodesGoWithTheirInstanceAndWithThePool) {
  in_simulation([](Scene& scene) {
    scene.make_pool();
    scene.connect();
    scene.start();
    scene.config_is_done();
    scene.instances({"n1", "n2"});
    for (const auto* name : {"n1", "n2"}) {
      scene.make_node(a_node(name));
      scene.settle();
      scene.watch_node(name);
    }
    scene.settle();

    scene.instances({"n2"});
    scene.settle();
    const bool first_gone = !scene.node_exists("n1") && scene.node_exists("n2");
    scene.remove(kPools, kPool);
    scene.settle(10s);

    EXPECT_TRUE(first_gone);
    EXPECT_FALSE(scene.node_exists("n2"));
    EXPECT_FALSE(scene.exists(kPools, kPool));
    EXPECT_FALSE(scene.exists(kConfigs, kPool));
    EXPECT_FALSE(scene.exists(kBoxPools, kPool));
  });
}

TEST_P(Duties, AFailureOfEitherProviderIsTold) {
  in_simulation([](Scene& scene) {
    scene.make_pool();
    scene.start();
    scene.config_says({{"failureReason", "BadConfig"}, {"failureMessage", "no such image"}});
    scene.settle();
    const auto first = scene.pool().status.deprecated->v1beta1->failure_message.str();
    scene.patch(kBoxPools, kPool,
                {{"status", {{"failureReason", "Quota"}, {"failureMessage", "no boxes left"}}}}, "status");
    scene.settle();

    const auto pool = scene.pool();
    const auto& old = *pool.status.deprecated->v1beta1;
    EXPECT_THAT(first, HasSubstr("Kind=Recipe with name \"mp1\": no such image"));
    EXPECT_EQ(old.failure_reason, "Quota");
    EXPECT_THAT(old.failure_message.str(), HasSubstr("Kind=BoxPool with name \"mp1\": no boxes left"));
  });
}

TEST_P(Duties, APoolRunsOnceAllOfItIsReadyAndNoSooner) {
  in_simulation([](Scene& scene) {
    scene.make_pool(a_pool(1));
    scene.connect();
    scene.make_node(a_node("n1"));
    scene.start();
    const auto pending = scene.pool().status.phase.str();
    scene.config_is_done();
    scene.settle();
    const auto provisioning = scene.pool().status.phase.str();
    scene.instances({"n1"}, false);
    scene.settle();
    const auto waits = scene.pool().status.phase.str();

    scene.instances({"n1"});
    scene.settle();

    EXPECT_EQ(pending, "Pending");
    EXPECT_EQ(provisioning, "Provisioning");
    EXPECT_EQ(waits, "Provisioning");
    EXPECT_EQ(scene.pool().status.phase, "Running");
  });
}

INSTANTIATE_TEST_SUITE_P(Contracts, Duties,
                         testing::Values(Providers{"NewerByReady", "v1beta2", false},
                                         Providers{"NewerByProvisioned", "v1beta2", true},
                                         Providers{"Older", "v1beta1", false}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace capstan::controllers::machinepool
