// What a running cloud takes from its file, and what it says of the rest.
#include "cmd/dev/fault_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/fakes/baton.h"
#include "test/fakes/collecting_sink.h"

namespace capstan::dev {
namespace {

using infrastructure::sim::SimCloud;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

constexpr std::string_view kStarted = "latency: {create: 1s}\nfaults: []\n";

std::filesystem::path path_of_this_test() {
  return std::filesystem::path(testing::TempDir()) /
         testing::UnitTest::GetInstance()->current_test_info()->name();
}

// The file is there with one text, and gets another one while the cloud runs: what is logged of it.
std::vector<std::string> logged_when_changed_to(std::string_view text) {
  const auto path = path_of_this_test();
  std::ofstream(path) << kStarted;
  fakes::Baton baton({.seed = 1});
  fakes::CollectingSink sink;
  const auto report = baton.run([&] {
    SimCloud cloud({.clock = baton, .threads = baton}, *infrastructure::sim::parse_script(kStarted));
    const FaultFile file({.clock = baton, .threads = baton, .cloud = cloud, .log = Log(sink, baton)}, path,
                         *infrastructure::sim::parse_script(kStarted));
    baton.pause(Deadline::in(baton, 2s));
    std::ofstream(path) << text;
    baton.pause(Deadline::in(baton, 3s));
  });
  EXPECT_TRUE(report.finished()) << report.why;
  std::filesystem::remove(path);
  return sink.lines();
}

// "OK", or the code of the refusal.
std::string answer_to_create(SimCloud& cloud, const std::string& name) {
  const auto made = cloud.create({.instance_key = "key-of-" + name, .name = name}, {}, Deadline::never());
  return made ? "OK" : std::string(to_string(made.error().code));
}

TEST(FaultFile, MakesCallsFailOnceItSaysSoAndUntilItIsCleared) {
  const auto path = path_of_this_test();
  std::ofstream(path) << kStarted;
  fakes::Baton baton({.seed = 1});
  const auto report = baton.run([&] {
    SimCloud cloud({.clock = baton, .threads = baton}, *infrastructure::sim::parse_script(kStarted));
    const FaultFile file({.clock = baton, .threads = baton, .cloud = cloud}, path,
                         *infrastructure::sim::parse_script(kStarted));
    EXPECT_EQ(answer_to_create(cloud, "a"), "OK");

    std::ofstream(path) << "latency: {create: 1s}\nfaults:\n- {verb: create, code: ResourceExhausted}\n";
    baton.pause(Deadline::in(baton, 2s));
    EXPECT_EQ(answer_to_create(cloud, "b"), "ResourceExhausted");

    std::ofstream(path) << kStarted;
    baton.pause(Deadline::in(baton, 2s));
    EXPECT_EQ(answer_to_create(cloud, "b"), "OK");
    EXPECT_EQ(cloud.vms().size(), 2U);
  });
  EXPECT_TRUE(report.finished()) << report.why;
  std::filesystem::remove(path);
}

TEST(FaultFile, IsFollowedWithoutAWordWhereFaultsAloneChange) {
  EXPECT_THAT(logged_when_changed_to("latency: {create: 1s}\nfaults:\n- vanish: 2m\n"), IsEmpty());
}

TEST(FaultFile, SaysOnceThatTheRestIsNotFollowed) {
  EXPECT_THAT(logged_when_changed_to("latency: {create: 9s}\nfaults: []\n"),
              testing::ElementsAre(HasSubstr("only `faults` is followed while this runs")));
}

TEST(FaultFile, ThatIsNoScriptChangesNothing) {
  EXPECT_THAT(logged_when_changed_to("faults: 7\n"), testing::ElementsAre(HasSubstr("faults not followed")));
}

TEST(FaultFile, ThatChangedWhileItsCloudWasMadeIsFollowed) {
  const auto path = path_of_this_test();
  fakes::Baton baton({.seed = 1});
  const auto report = baton.run([&] {
    const infrastructure::sim::Script started;
    SimCloud cloud({.clock = baton, .threads = baton}, started);
    std::ofstream(path) << "faults: [{verb: create, code: Unavailable}]\n";
    const FaultFile file({.clock = baton, .threads = baton, .cloud = cloud}, path, started);
    baton.pause(Deadline::in(baton, 2s));
    EXPECT_NE(answer_to_create(cloud, "a"), "OK");
  });
  std::filesystem::remove(path);
  EXPECT_TRUE(report.finished()) << report.why;
}

TEST(FaultFile, MayBeMadeLaterAndThatIsSaid) {
  const auto path = path_of_this_test();
  std::ostringstream notes;

  const auto script = script_at_start(path, 7, notes);

  ASSERT_TRUE(script);
  EXPECT_EQ(script->seed, 7U);
  EXPECT_THAT(script->faults, IsEmpty());
  EXPECT_THAT(notes.str(), HasSubstr(path.string() + " is not there yet"));
}

TEST(FaultFile, ThatIsNoScriptIsRefusedAtTheStart) {
  const auto path = path_of_this_test();
  std::ofstream(path) << "faults: [{vanish: 2m, fro: 5m}]";
  std::ostringstream notes;

  const auto script = script_at_start(path, 7, notes);

  std::filesystem::remove(path);
  EXPECT_THAT(script.error().message, HasSubstr(path.string() + ": faults[0].fro: no field"));
}

}  // namespace
}  // namespace capstan::dev
