// The kit finds what a driver does not keep, and nothing in one that keeps all.
#include "infrastructure/remote/check.h"

#include <gmock/gmock.h>

#include <functional>

#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "infrastructure/remote/loopback.h"
#include "infrastructure/remote/messages.h"
#include "infrastructure/remote/remote_driver.h"
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
    return faults_in(check_driver({clock, threads, driver}, {.run = "r1", .patience = 1s}));
  }
  std::vector<std::string> broken_behind(Transport& transport) {
    RemoteDriver driver(transport, clock);
    return faults_in(
        check_driver({.clock = clock, .threads = threads, .driver = driver, .transport = &transport},
                     {.run = "r1", .more_vms = 2, .patience = 1s}));
  }

 private:
  static std::vector<std::string> faults_in(const std::vector<CheckResult>& results) {
    std::vector<std::string> broken;
    for (const auto& result : results)
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
  std::function<void(Tags&)> bend_tags = [](Tags&) {};

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
    Tags bent = tags;
    bend_tags(bent);
    return cloud_.tag(id, bent, credentials, deadline);
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

// The simulated cloud behind the protocol, but for the answers that a test bends.
class BentMessages final : public Transport {
 public:
  BentMessages(Driver& cloud, const Clock& clock) : loopback_(cloud, clock) {}

  std::function<void(std::string_view verb, std::string_view request, Answer&)> bend;

  DriverResult<Answer> post(std::string_view verb, const std::string& body,
                            const Deadline& deadline) override {
    auto answer = loopback_.post(verb, body, deadline);
    if (answer && bend) bend(verb, body, *answer);
    return answer;
  }

 private:
  Loopback loopback_;
};

// Pages of one VM each. `goes_on_at`: with which VM, for the number of the page.
void page(std::string_view verb, std::string_view request, Answer& answer,
          const std::function<std::size_t(std::size_t)>& goes_on_at) {
  if (verb != verb::kList) return;
  const std::string asked = api::decode<ListRequest>(request)->continue_.str();
  const std::size_t number = asked.empty() ? 0 : std::stoul(asked);
  const auto all = *api::decode<ListAnswer>(answer.body);
  ListAnswer one;
  const std::size_t at = goes_on_at(number);
  if (at < all.vms.size()) one.vms.push_back(all.vms[at]);
  if (number + 1 < all.vms.size()) one.continue_ = Text(std::to_string(number + 1));
  answer.body = api::encode(one);
}

TEST(DriverCheck, FindsNothingInTheProtocolOfTheSimulatedCloudPageByPage) {
  CheckStage stage;
  BentMessages transport(stage.cloud, stage.clock);
  transport.bend = [](auto verb, auto request, Answer& answer) {
    page(verb, request, answer, [](std::size_t number) { return number; });
  };

  EXPECT_THAT(stage.broken_behind(transport), IsEmpty());
  EXPECT_THAT(stage.cloud.vms(), IsEmpty());
  EXPECT_EQ(stage.cloud.created(), 4U);
}

TEST(DriverCheck, NoticesAGapBetweenPages) {
  CheckStage stage;
  BentMessages transport(stage.cloud, stage.clock);
  transport.bend = [](auto verb, auto request, Answer& answer) {
    page(verb, request, answer, [](std::size_t number) { return number == 0 ? 0 : number + 1; });
  };

  EXPECT_THAT(stage.broken_behind(transport),
              Contains(testing::MatchesRegex("list has each VM once, over all of its pages: .*: "
                                             "list shows 0 VMs of the key")));
}

TEST(DriverCheck, NoticesAVmOnTwoPages) {
  CheckStage stage;
  BentMessages transport(stage.cloud, stage.clock);
  transport.bend = [](auto verb, auto request, Answer& answer) {
    page(verb, request, answer, [](std::size_t number) { return number == 1 ? 0 : number; });
  };

  EXPECT_THAT(stage.broken_behind(transport),
              Contains(testing::MatchesRegex("list has each VM once, over all of its pages: .* stands in the "
                                             "list twice")));
}

TEST(DriverCheck, NoticesAnUnknownVerbThatIsAnswered) {
  CheckStage stage;
  BentMessages transport(stage.cloud, stage.clock);
  transport.bend = [](std::string_view verb, auto, Answer& answer) {
    if (verb == "noSuchVerb") answer = {.status = kOk, .body = "{}"};
  };

  EXPECT_THAT(
      stage.broken_behind(transport),
      testing::ElementsAre("a verb that is not known answers Unimplemented: HTTP 200, which is no error"));
}

TEST(DriverCheck, NoticesAnUnknownVerbThatIsAFailureOfAnotherKind) {
  CheckStage stage;
  BentMessages transport(stage.cloud, stage.clock);
  transport.bend = [](std::string_view verb, auto, Answer& answer) {
    if (verb == "noSuchVerb") answer = {.status = 404, .body = "<html>no such page</html>"};
  };

  EXPECT_THAT(stage.broken_behind(transport),
              testing::ElementsAre(testing::StartsWith(
                  "a verb that is not known answers Unimplemented: HTTP 404 without a JSON object: ")));
}

TEST(DriverCheck, NoticesAnErrorThatSaysNothing) {
  CheckStage stage;
  BentMessages transport(stage.cloud, stage.clock);
  transport.bend = [](std::string_view verb, auto, Answer& answer) {
    if (verb == verb::kStatus && answer.status != kOk) answer.body = R"({"code":"NotFound"})";
  };

  EXPECT_THAT(
      stage.broken_behind(transport),
      testing::ElementsAre("an error is not HTTP 200, and has a code and a message: message: is empty, "
                           "and people can't say what is wrong"));
}

TEST(DriverCheck, FindsNothingInTheSimulatedCloudAndLeavesNothingBehind) {
  CheckStage stage;

  EXPECT_THAT(stage.broken(), IsEmpty());
  EXPECT_THAT(stage.cloud.vms(), IsEmpty());
  EXPECT_EQ(stage.cloud.created(), 2U);
}

TEST(DriverCheck, NamesThePromiseThatIsBroken) {
  CheckStage stage({{.verb = sim::SimVerb::Tag, .code = DriverCode::Internal, .message = "no tags here"}});

  EXPECT_THAT(stage.broken(),
              testing::ElementsAre("tag sets a tag and takes it off: Internal: no tags here"));
}

TEST(DriverCheck, LeavesOutWhatNeedsAVmWhenThereIsNone) {
  CheckStage stage({{.verb = sim::SimVerb::Create, .code = DriverCode::PermissionDenied, .message = "no"}});

  EXPECT_THAT(stage.broken(), testing::ElementsAre("create answers a VM: PermissionDenied: no"));
}

TEST(DriverCheck, NoticesATagThatAnEmptyValueDoesNotTakeOff) {
  CheckStage stage;
  Bent driver(stage.cloud);
  driver.bend_tags = [](Tags& tags) {
    std::erase_if(tags, [](const auto& each) { return each.second.empty(); });
  };

  EXPECT_THAT(
      stage.broken_by(driver),
      testing::ElementsAre("tag sets a tag and takes it off: status shows the tag that an empty value "
                           "took off"));
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
