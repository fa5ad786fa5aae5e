// The kit finds what a driver does not keep, and nothing in one that keeps all.
#include "infrastructure/remote/check.h"

#include <gmock/gmock.h>

#include <functional>

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

  std::vector<std::string> broken() { return broken_by(cloud); }
  std::vector<std::string> broken_by(Driver& driver) {
    std::vector<std::string> broken;
    for (const auto& result : check_driver({clock, threads, driver}, {.run = "r1", .patience = 1s}))
      if (result.fault) broken.push_back(result.promise + ": " + *result.fault);
    return broken;
  }
};

// A driver that does as the simulated cloud, but for what a test bends.
class Bent final : public Driver {
 public:
  explicit Bent(Driver& cloud) : cloud_(cloud) {}

  std::function<void(CreateVm&)> bend_create = [](CreateVm&) {};
  std::function<void(std::vector<Vm>&)> bend_list = [](std::vector<Vm>&) {};

  DriverResult<Vm> create(const CreateVm& wanted, const Credentials& credentials,
                          const Deadline& deadline) override {
    CreateVm bent = wanted;
    bend_create(bent);
    return cloud_.create(bent, credentials, deadline);
  }
  DriverResult<Vm> initialize(const InitializeVm& wanted, const Credentials& credentials,
                              const Deadline& deadline) override {
    return cloud_.initialize(wanted, credentials, deadline);
  }
  DriverResult<void> remove(const VmId& id, const Credentials& credentials,
                            const Deadline& deadline) override {
    return cloud_.remove(id, credentials, deadline);
  }
  DriverResult<Vm> status(const VmId& id, const Credentials& credentials, const Deadline& deadline) override {
    return cloud_.status(id, credentials, deadline);
  }
  DriverResult<std::vector<Vm>> list(const Tags& tags, const Credentials& credentials,
                                     const Deadline& deadline) override {
    auto listed = cloud_.list(tags, credentials, deadline);
    if (listed) bend_list(*listed);
    return listed;
  }
  DriverResult<void> tag(const VmId& id, const Tags& tags, const Credentials& credentials,
                         const Deadline& deadline) override {
    return cloud_.tag(id, tags, credentials, deadline);
  }
  DriverResult<std::vector<std::string>> volume_ids(std::span<const std::string> specs,
                                                    const Deadline& deadline) override {
    return cloud_.volume_ids(specs, deadline);
  }
  DriverResult<Identity> identity(const Credentials& credentials, const Deadline& deadline) override {
    return cloud_.identity(credentials, deadline);
  }

 private:
  Driver& cloud_;
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

TEST(DriverCheck, NoticesASecondVmThatNoAnswerShows) {
  CheckStage stage;
  Bent driver(stage.cloud);
  driver.bend_list = [](std::vector<Vm>& listed) {
    for (const Vm& vm : std::vector<Vm>(listed)) {
      if (vm.name.ends_with("-b")) listed.push_back(vm);
    }
  };

  EXPECT_THAT(stage.broken_by(driver),
              Contains("two creates at once with one key make one VM: list shows 2 VMs of the key"));
}

TEST(DriverCheck, NoticesOneVmForTwoKeys) {
  CheckStage stage;
  Bent driver(stage.cloud);
  driver.bend_create = [](CreateVm& wanted) { wanted.instance_key = wanted.name = "the only one"; };

  EXPECT_THAT(stage.broken_by(driver),
              Contains(testing::StartsWith("create with another key makes another VM: VM sim:///")));
}

TEST(DriverCheck, NoticesAListThatKeepsWhatIsGone) {
  CheckStage stage;
  Bent driver(stage.cloud);
  std::vector<Vm> all;
  driver.bend_list = [&](std::vector<Vm>& listed) {
    if (listed.empty()) listed = all;
    all = listed;
  };

  EXPECT_THAT(stage.broken_by(driver),
              Contains(testing::StartsWith("list shows no VM that is deleted: list still shows ")));
}

TEST(DriverCheck, NoticesVmsThatStay) {
  CheckStage stage({{.verb = sim::SimVerb::Remove, .code = DriverCode::Internal, .message = "locked"}});

  EXPECT_THAT(stage.broken(), Contains("delete removes the VMs: Internal: locked"));
}

}  // namespace
}  // namespace capstan::infrastructure::remote
