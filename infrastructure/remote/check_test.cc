// The kit finds what a driver does not keep, and nothing in one that keeps all.
#include "infrastructure/remote/check.h"

#include <gmock/gmock.h>

#include "infrastructure/sim/cloud.h"

namespace capstan::infrastructure::remote {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::IsEmpty;

struct CheckStage {
  SystemClock clock = {};
  SystemThreads threads = {};
  sim::SimCloud cloud;

  explicit CheckStage(std::vector<sim::FaultRule> faults = {})
      : cloud({.clock = clock, .threads = threads},
              {.latency = {.create = 0ns, .remove = 0ns, .status = 0ns, .list = 0ns},
               .faults = std::move(faults)}) {}

  std::vector<std::string> broken() {
    std::vector<std::string> broken;
    for (const auto& result : check_driver({clock, threads, cloud}, {.run = "r1", .patience = 1s}))
      if (result.fault) broken.push_back(result.promise + ": " + *result.fault);
    return broken;
  }
};

TEST(DriverCheck, FindsNothingInTheSimulatedCloudAndLeavesNothingBehind) {
  CheckStage stage;

  EXPECT_THAT(stage.broken(), IsEmpty());
  EXPECT_THAT(stage.cloud.vms(), IsEmpty());
  EXPECT_EQ(stage.cloud.created(), 2U);
}

TEST(DriverCheck, NamesThePromiseThatIsBroken) {
  CheckStage stage({{.verb = sim::SimVerb::Tag, .code = DriverCode::Internal, .message = "no tags here"}});

  EXPECT_THAT(stage.broken(), testing::ElementsAre("tag sets a tag: Internal: no tags here"));
}

TEST(DriverCheck, LeavesOutWhatNeedsAVmWhenThereIsNone) {
  CheckStage stage({{.verb = sim::SimVerb::Create, .code = DriverCode::PermissionDenied, .message = "no"}});

  EXPECT_THAT(stage.broken(), testing::ElementsAre("create answers a VM: PermissionDenied: no"));
}

TEST(DriverCheck, NoticesVmsThatStay) {
  CheckStage stage({{.verb = sim::SimVerb::Remove, .code = DriverCode::Internal, .message = "locked"}});

  EXPECT_THAT(stage.broken(), Contains("delete removes the VMs: Internal: locked"));
}

}  // namespace
}  // namespace capstan::infrastructure::remote
