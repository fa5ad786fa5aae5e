#include "kubeconfig/dial.h"

#include <gmock/gmock.h>

namespace capstan::kubeconfig {
namespace {

using testing::HasSubstr;

TEST(CountRequests, TellsProbesAndWatchesFromWhatAFleetAsksFor) {
  Metrics metrics;
  const auto count = count_requests(metrics);

  count({.method = "GET", .path = kProbePath, .status = 200});
  count({.method = "GET", .path = "/api/v1/nodes", .status = 200, .stream = true});
  count({.method = "PATCH", .path = "/api/v1/nodes/a", .status = 200});
  count({.method = "PATCH", .path = "/api/v1/nodes/a", .status = 200});
  count({.method = "GET", .path = kProbePath, .status = 0});

  const std::string text = metrics.text();
  const std::string name = "capstan_workload_requests_total";
  EXPECT_THAT(text, HasSubstr(name + R"({code="200",method="GET",use="probe"} 1)"));
  EXPECT_THAT(text, HasSubstr(name + R"({code="200",method="GET",use="watch"} 1)"));
  EXPECT_THAT(text, HasSubstr(name + R"({code="200",method="PATCH",use="request"} 2)"));
  EXPECT_THAT(text, HasSubstr(name + R"({code="<error>",method="GET",use="probe"} 1)"));
}

}  // namespace
}  // namespace capstan::kubeconfig
