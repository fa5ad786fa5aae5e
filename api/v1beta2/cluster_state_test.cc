#include "api/v1beta2/cluster_state.h"

#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::api {
namespace {

Cluster cluster_that_says(std::string_view status) {
  Cluster cluster;
  cluster.status.conditions = {conditions::make(condition::kControlPlaneInitialized, status, "Test")};
  return cluster;
}

TEST(ControlPlaneInitialized, IsSaidByItsProvider) {
  Cluster cluster;
  EXPECT_FALSE(control_plane_initialized(cluster));
  cluster.status.initialization.control_plane_initialized = true;
  EXPECT_TRUE(control_plane_initialized(cluster));
}

// Its status never has the flag: upstream's core sets that from a control plane object alone.
TEST(ControlPlaneInitialized, IsSaidByTheConditionOfAClusterWithoutAControlPlaneObject) {
  EXPECT_TRUE(control_plane_initialized(cluster_that_says(status::kTrue)));
  EXPECT_FALSE(control_plane_initialized(cluster_that_says(status::kFalse)));
}

}  // namespace
}  // namespace capstan::api
