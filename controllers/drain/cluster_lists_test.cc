#include "controllers/drain/cluster_lists.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "apiserver/api.h"
#include "kube/resources.h"
#include "kube/stub_client.h"
#include "kube/typed.h"
#include "test/builders/node.h"
#include "test/fakes/baton.h"
#include "test/fakes/fake_workload_clusters.h"
#include "test/fakes/faulty_client.h"
#include "test/fakes/memory_client.h"

namespace capstan::controllers::drain {
namespace {

namespace json = boost::json;
using testing::Each;
using testing::ElementsAre;
using namespace std::chrono_literals;

const kube::ObjectKey kCluster{.namespace_ = "default", .name = "c1"};

// A workload cluster of Nodes n0 to n19 with a Pod and a VolumeAttachment on each.
class Workload {
 public:
  static constexpr int kNodes = 20;

  explicit Workload(fakes::Baton& with)
      : baton(with),
        api_({.clock = with}),
        server(api_, with),
        client(server, with, with, {}),
        lists(with, with) {
    for (int i = 0; i < kNodes; ++i) {
      make_pod(i);
      make_attachment(i);
    }
    clusters_.connect(kCluster, &client);
    for (int i = 0; i < kNodes; ++i) clusters_.put_node(kCluster, builders::a_node(node(i)));
    cluster = clusters_.get(kCluster).value();
  }
  static std::string node(int number) { return fmt::format("n{}", number); }

  void reconnect(kube::Client& other) {
    clusters_.lose(kCluster);
    clusters_.connect(kCluster, &other);
    cluster = clusters_.get(kCluster).value();
  }
  void add_nodes(int more) {
    for (int i = kNodes; i < kNodes + more; ++i) clusters_.put_node(kCluster, builders::a_node(node(i)));
  }
  std::vector<std::size_t> pods_of_all_nodes() { return pods_of_nodes(kNodes); }
  // At once, as one thread each.
  std::vector<std::size_t> pods_of_nodes(int number) {
    std::vector<std::size_t> counts(static_cast<std::size_t>(number));
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < number; ++i)
      threads.push_back(baton.spawn(node(i), [this, i, &counts](const std::stop_token& stop) {
        counts[static_cast<std::size_t>(i)] =
            lists.pods(*cluster, node(i), Deadline::in(baton, 1min, stop)).value().size();
      }));
    for (auto& thread : threads) thread->join();
    return counts;
  }

  fakes::Baton& baton;

 private:
  apiserver::Api api_;
  fakes::FakeWorkloadClusters clusters_;

  void make(const kube::Resource& resource, json::object object) {
    object["apiVersion"] = resource.api_version();
    object["kind"] = resource.kind;
    const std::string name(object.at("metadata").at("name").as_string());
    const kube::ObjectKey key{.namespace_ = resource.namespaced ? "default" : "", .name = name};
    const auto made = server.create(resource, key, object, {}, Deadline::never());
    ASSERT_TRUE(made) << made.error().describe();
  }
  void make_pod(int number) {
    make(kube::resources::pods(),
         {{"metadata", {{"name", fmt::format("p{}", number)}, {"namespace", "default"}}},
          {"spec",
           {{"nodeName", node(number)}, {"containers", json::array{{{"name", "c"}, {"image", "i"}}}}}}});
  }
  void make_attachment(int number) {
    make(kube::resource_of<api::VolumeAttachment>(),
         {{"metadata", {{"name", fmt::format("v{}", number)}}},
          {"spec",
           {{"attacher", "a"},
            {"nodeName", node(number)},
            {"source", {{"persistentVolumeName", fmt::format("pv{}", number)}}}}}});
  }

 public:
  fakes::MemoryClient server;
  fakes::FaultyClient client;
  ClusterLists lists;
  std::shared_ptr<kubeconfig::WorkloadCluster> cluster;
};

void in_workload(const std::function<void(Workload&)>& body) {
  fakes::Baton baton({.seed = 3});
  const auto report = baton.run([&] {
    Workload workload(baton);
    body(workload);
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

TEST(ClusterLists, OfOneNodeAreThoseOfThatNode) {
  in_workload([](Workload& workload) {
    const auto pods = workload.lists.pods(*workload.cluster, "n7", Deadline::never()).value();
    const auto volumes = workload.lists.attachments(*workload.cluster, "n7", Deadline::never()).value();

    ASSERT_EQ(pods.size(), 1);
    EXPECT_EQ(pods.front().metadata.name, "p7");
    ASSERT_EQ(volumes.size(), 1);
    EXPECT_EQ(volumes.front().metadata.name, "v7");
    EXPECT_EQ(workload.client.calls(fakes::Call::Read), 2);
  });
}

TEST(ClusterLists, TwentyNodesThatGoTogetherCostAFewListsOfPods) {
  in_workload([](Workload& workload) {
    EXPECT_THAT(workload.pods_of_all_nodes(), Each(1));

    EXPECT_LE(workload.client.calls(fakes::Call::Read), 4);
  });
}

// 600 Nodes would have 18,000 Pods as a rule, 37 pages: more than a list for each of these six.
TEST(ClusterLists, OfALargeClusterAreOneWhereTheNodesThatWentBeforeHadFewPods) {
  in_workload([](Workload& workload) {
    workload.add_nodes(580);
    for (int i = 0; i < 4; ++i)
      ASSERT_TRUE(workload.lists.pods(*workload.cluster, Workload::node(i), Deadline::never()));
    const auto before = workload.client.calls(fakes::Call::Read);

    EXPECT_THAT(workload.pods_of_nodes(6), Each(1));

    EXPECT_LE(workload.client.calls(fakes::Call::Read) - before, 4) << "two pages, after one that went alone";
  });
}

// Answers lists alone, after a moment, with one Pod on each of n0, n1 and n2; that on n1 can't be read.
class OneBrokenPod final : public kube::StubClient {
 public:
  explicit OneBrokenPod(fakes::Baton& baton) : baton_(baton) {}
  Result<json::value> list(const kube::Resource&, const kube::ListOptions& options,
                           const Deadline& deadline) override {
    baton_.pause(deadline.no_later_than(baton_.steady_now() + 100ms));
    json::array items;
    for (int i = 0; i < 3; ++i) {
      const std::string node = Workload::node(i);
      if (!options.field_selector.empty() && options.field_selector != "spec.nodeName=" + node) continue;
      const json::value name = i == 1 ? json::value(5) : json::value("p");
      items.push_back({{"metadata", {{"name", name}}}, {"spec", {{"nodeName", node}}}});
    }
    ++lists;
    return json::value{{"metadata", json::object()}, {"items", std::move(items)}};
  }
  int lists = 0;

 private:
  fakes::Baton& baton_;
};

TEST(ClusterLists, APodThatCanNotBeReadIsTheTroubleOfItsNodeAlone) {
  in_workload([](Workload& workload) {
    OneBrokenPod client(workload.baton);
    workload.reconnect(client);
    std::vector<Result<std::vector<api::Pod>>> answers(3);
    std::vector<std::unique_ptr<Thread>> threads;
    for (std::size_t i = 0; i < 3; ++i) {
      threads.push_back(workload.baton.spawn("n", [&, i](const std::stop_token&) {
        answers[i] = workload.lists.pods(*workload.cluster, Workload::node(static_cast<int>(i)),
                                         Deadline::in(workload.baton, 1min));
      }));
    }
    for (auto& thread : threads) thread->join();

    EXPECT_TRUE(answers[0]);
    EXPECT_FALSE(answers[1]);
    EXPECT_TRUE(answers[2]);
    EXPECT_EQ(client.lists, 3) << "one Node goes alone, two are asked for one by one";
  });
}

}  // namespace
}  // namespace capstan::controllers::drain
