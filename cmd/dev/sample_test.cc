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
  EXPECT_EQ(*shipped, sample_yaml(kShippedSample));
}

TEST(Sample, HasPoolsOfBothSortsWhereAskedFor) {
  const auto kinds = [](const SampleOptions& options) {
    std::vector<std::string> pools;
    for (const auto& document : sample(options)) {
      if (document.at("kind") != "DriverMachinePool") continue;
      const bool machines = document.at("spec").as_object().contains("withMachines");
      pools.push_back(std::string(document.at("metadata").at("name").as_string()) + (machines ? "+" : ""));
    }
    return pools;
  };

  EXPECT_THAT(kinds({}), testing::IsEmpty());
  EXPECT_THAT(kinds({.pool = 1, .pool_machines = 1}),
              testing::ElementsAre("demo-pool", "demo-machine-pool+"));
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
