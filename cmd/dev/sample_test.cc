#include "cmd/dev/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "cmd/dev/files.h"

namespace capstan::dev {
namespace {

TEST(Sample, IsTheFileWeShip) {
  const auto shipped = read_file("config/samples/fleet.yaml");

  ASSERT_TRUE(shipped) << "write it anew: capstan-dev up --print-sample > config/samples/fleet.yaml";
  EXPECT_EQ(*shipped, sample_yaml({}));
}

TEST(Sample, EveryClusterHasNamesOfItsOwn) {
  std::vector<std::string> clusters;
  for (const auto& document : sample({.clusters = 3})) {
    if (document.at("kind") == "Cluster")
      clusters.emplace_back(document.at("metadata").at("name").as_string());
  }

  EXPECT_THAT(clusters, testing::ElementsAre("demo-1", "demo-2", "demo-3"));
}

}  // namespace
}  // namespace capstan::dev
