#include "test/fakes/fake_workload_clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "kube/resources.h"
#include "kube/stub_client.h"
#include "test/builders/node.h"

namespace capstan::fakes {
namespace {

using builders::a_node;
using kube::ObjectKey;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ObjectKey kCluster = {"default", "c"};

class Answering final : public kube::StubClient {
 public:
  Result<kube::json::value> get_path(std::string_view path, const Deadline&) override {
    return kube::json::value(path);
  }
};

std::vector<std::string> names(const std::vector<runtime::Snapshot<api::Node>>& nodes) {
  std::vector<std::string> found;
  for (const auto& node : nodes) found.emplace_back(node->metadata.name.view());
  return found;
}

// Every call of a handler, in order: "cluster", "+n1", "~n1", "-n1"; with "?" where it is initial.
std::vector<std::string>& record(FakeWorkloadClusters& clusters, std::vector<std::string>& news) {
  clusters.on_reach_change([&](const ObjectKey& cluster) { news.push_back(cluster.name); });
  clusters.on_node_change([&](const ObjectKey&, const runtime::Change<api::Node>& change) {
    const char* what = !change.before ? "+" : change.after ? "~" : "-";
    news.push_back((change.initial ? "?" : "") + std::string(what) + change.object().metadata.name.str());
  });
  return news;
}

TEST(FakeWorkloadClusters, IsNotConnectedBeforeTheTestSaysSo) {
  FakeWorkloadClusters clusters;

  const auto cluster = clusters.get(kCluster);

  ASSERT_FALSE(cluster);
  EXPECT_EQ(cluster.error().code, Code::NotConnected);
  EXPECT_FALSE(clusters.reach(kCluster).connected);
  EXPECT_FALSE(clusters.reach(kCluster).problem.empty());
}

TEST(FakeWorkloadClusters, HandsOutTheClientAndTheNodesOfAConnectedCluster) {
  FakeWorkloadClusters clusters;
  Answering client;
  clusters.put_node(kCluster, a_node("n1").provider_id("x:///1"));
  clusters.connect(kCluster, &client);

  const auto cluster = clusters.get(kCluster);

  ASSERT_TRUE(cluster);
  EXPECT_EQ((*cluster)->client().get_path("/version", Deadline::never()), kube::json::value("/version"));
  EXPECT_TRUE((*cluster)->nodes().synced());
  EXPECT_THAT(names((*cluster)->nodes_with("x:///1")), ElementsAre("n1"));
  EXPECT_THAT(names((*cluster)->nodes_with("x:///2")), IsEmpty());
}

TEST(FakeWorkloadClusters, AnswersBothNodesOfOneProviderId) {
  FakeWorkloadClusters clusters;
  clusters.connect(kCluster);

  clusters.put_node(kCluster, a_node("b").provider_id("x:///1"));
  clusters.put_node(kCluster, a_node("a").provider_id("x:///1"));

  EXPECT_THAT(names((*clusters.get(kCluster))->nodes_with("x:///1")), ElementsAre("a", "b"));
}

TEST(FakeWorkloadClusters, TellsNodesFirstAndThenTheConnection) {
  FakeWorkloadClusters clusters;
  std::vector<std::string> news;
  record(clusters, news);
  clusters.put_node(kCluster, a_node("n1"));

  clusters.connect(kCluster);
  clusters.put_node(kCluster, a_node("n2"));
  clusters.put_node(kCluster, a_node("n2").cordoned());
  clusters.remove_node(kCluster, "n1");

  EXPECT_THAT(news, ElementsAre("?+n1", "c", "+n2", "~n2", "-n1"));
}

TEST(FakeWorkloadClusters, LeavesHoldersOfALostClusterTheirNodesAndNoClient) {
  FakeWorkloadClusters clusters;
  Answering client;
  clusters.put_node(kCluster, a_node("n1"));
  clusters.connect(kCluster, &client);
  const auto held = *clusters.get(kCluster);

  clusters.lose(kCluster, "the dog ate the cable");

  EXPECT_EQ(held->client().get_path("/version", Deadline::never()).error(),
            (Error{.code = Code::NotConnected, .message = "the dog ate the cable"}));
  EXPECT_EQ(held->nodes().size(), 1U);
  EXPECT_EQ(clusters.get(kCluster).error().code, Code::NotConnected);
  EXPECT_EQ(clusters.reach(kCluster).problem, "the dog ate the cable");
}

TEST(FakeWorkloadClusters, ListsNodesAgainAfterReconnecting) {
  FakeWorkloadClusters clusters;
  clusters.connect(kCluster);
  clusters.lose(kCluster);
  clusters.put_node(kCluster, a_node("n1"));
  std::vector<std::string> news;
  record(clusters, news);

  clusters.connect(kCluster);

  EXPECT_THAT(news, ElementsAre("?+n1", "c"));
}

}  // namespace
}  // namespace capstan::fakes
