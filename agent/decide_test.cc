#include "agent/decide.h"

#include <gmock/gmock.h>

#include "agent/checksum.h"
#include "agent/places.h"

namespace capstan::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

WantedFile a_file(std::string path, std::string content, std::set<std::string> units = {}) {
  std::string checksum = checksum_of(content);
  return {.path = std::move(path),
          .content = std::move(content),
          .checksum = std::move(checksum),
          .units = std::move(units)};
}

// A Node on which everything stands that is wanted; a story changes something of it.
struct DecideStage {
  State state = {};
  Wanted wanted = {.checksum = "c1", .places = usual_places()};
  Disk disk = {};
  bool joined = true;
  std::string bootstrap_kubeconfig = {};
  std::string facts_without_token = {};

  DecideStage() {
    wanted.files = {a_file("/etc/a.conf", "a", {"a.service"}),
                    a_file("/etc/systemd/system/b.service", "b", {"b.service"})};
    wanted.units = {{.name = "a.service"}, {.name = "b.service"}};
    settle();
  }
  // As if all of it had been carried out.
  void settle() {
    state = {.applied = wanted.checksum};
    disk.clear();
    for (const WantedFile& file : wanted.files) {
      disk[file.path] = {.checksum = file.checksum, .mark = file.mark};
      if (!file.kept) state.files[file.path] = file.units;
    }
    for (const WantedUnit& unit : wanted.units) state.units[unit.name] = unit.enabled;
  }
  Plan plan() const {
    return decide({.state = state,
                   .disk = disk,
                   .wanted = &wanted,
                   .places = wanted.places,
                   .joined = joined,
                   .bootstrap_kubeconfig = bootstrap_kubeconfig,
                   .facts_without_token = facts_without_token,
                   .facts_path = "/etc/capstan/agent.json"});
  }
  std::vector<std::string> steps() const {
    std::vector<std::string> words;
    for (const Step& step : plan().steps) words.push_back(describe(step));
    return words;
  }
};

TEST(Decide, NothingIsDoneWhenAllIsAsItIsWanted) {
  const DecideStage stage;

  EXPECT_THAT(stage.steps(), IsEmpty());
  EXPECT_EQ(stage.plan().state, stage.state);
}

TEST(Decide, AChangedFileRestartsTheUnitThatFollowsItAlone) {
  DecideStage stage;
  stage.wanted.files[0] = a_file("/etc/a.conf", "a2", {"a.service"});
  stage.wanted.checksum = "c2";

  EXPECT_THAT(stage.steps(), ElementsAre("write /etc/a.conf", "restart a.service", "applied c2"));
  EXPECT_THAT(stage.plan().state.restarts, ElementsAre("a.service"));
}

TEST(Decide, AFileThatWasChangedByHandIsRepaired) {
  DecideStage stage;
  stage.disk["/etc/a.conf"].mark.mode = 0777;

  EXPECT_THAT(stage.steps(), ElementsAre("write /etc/a.conf", "restart a.service"));
}

TEST(Decide, SystemdReadsAChangedUnitBeforeItIsRestarted) {
  DecideStage stage;
  stage.wanted.files[1] = a_file("/etc/systemd/system/b.service", "b2", {"b.service"});

  EXPECT_THAT(stage.steps(),
              ElementsAre("write /etc/systemd/system/b.service", "reload units", "restart b.service"));
}

TEST(Decide, ANewUnitIsEnabledAndStartedByItsRestart) {
  DecideStage stage;
  stage.wanted.files.push_back(a_file("/etc/systemd/system/c.service", "c", {"c.service"}));
  stage.wanted.units.push_back({.name = "c.service"});

  EXPECT_THAT(stage.steps(), ElementsAre("write /etc/systemd/system/c.service", "reload units",
                                         "enable c.service", "restart c.service"));
}

TEST(Decide, AnImagesUnitIsStartedNotRestarted) {
  DecideStage stage;
  stage.wanted.units.push_back({.name = "chronyd.service"});

  EXPECT_THAT(stage.steps(), ElementsAre("enable and start chronyd.service"));
}

TEST(Decide, ADisabledUnitIsStoppedOnceAndNotRestarted) {
  DecideStage stage;
  stage.wanted.units[0].enabled = false;
  stage.wanted.files[0] = a_file("/etc/a.conf", "a2", {"a.service"});

  EXPECT_THAT(stage.steps(), ElementsAre("write /etc/a.conf", "disable a.service"));
  stage.settle();
  EXPECT_THAT(stage.steps(), IsEmpty());
}

TEST(Decide, WhatItWroteAndIsNoLongerWantedGoes) {
  DecideStage stage;
  stage.wanted.files.clear();
  stage.wanted.units = {{.name = "a.service"}};

  EXPECT_THAT(stage.steps(),
              ElementsAre("remove /etc/a.conf", "disable b.service", "remove /etc/systemd/system/b.service",
                          "reload units", "restart a.service"));
}

TEST(Decide, AFileOfTheImageThatIsAsWantedIsNeverRemoved) {
  DecideStage stage;
  stage.wanted.files.push_back(a_file("/etc/motd", "hello"));
  stage.disk["/etc/motd"] = {.checksum = checksum_of("hello"), .mark = Mark{}};

  EXPECT_THAT(stage.steps(), IsEmpty());
  EXPECT_FALSE(stage.plan().state.files.contains("/etc/motd"));
}

TEST(Decide, TheKubeletsConfigurationStaysWhenItIsLeftOut) {
  DecideStage stage;
  stage.wanted.files.push_back(a_file("/var/lib/kubelet/config.yaml", "{}", {"kubelet.service"}));
  stage.wanted.files.back().kept = true;
  EXPECT_THAT(stage.steps(), ElementsAre("write /var/lib/kubelet/config.yaml", "restart kubelet.service"));
  stage.settle();

  stage.wanted.files.pop_back();

  EXPECT_THAT(stage.steps(), IsEmpty());
}

TEST(Decide, AnotherKubeletIsFetchedAndRestarted) {
  DecideStage stage;
  stage.wanted.kubelet = {.path = "/usr/local/bin/kubelet", .url = "https://x", .checksum = "k2"};
  stage.disk["/usr/local/bin/kubelet"] = {.checksum = "k1"};
  EXPECT_THAT(stage.steps(), ElementsAre("fetch /usr/local/bin/kubelet", "restart kubelet.service"));

  stage.disk["/usr/local/bin/kubelet"].checksum = "k2";

  EXPECT_THAT(stage.steps(), IsEmpty());
}

TEST(Decide, ANodesKubeletIsFetchedWhenItsOtherUnitsRunAndAMachinesBeforeItJoins) {
  DecideStage stage;
  stage.wanted.kubelet = {.path = "/usr/local/bin/kubelet", .url = "https://x", .checksum = "k2"};
  stage.wanted.files[1] = a_file("/etc/systemd/system/b.service", "b2", {"b.service"});
  stage.wanted.checksum = "c2";
  stage.state.restarts = {"z.service"};

  EXPECT_THAT(stage.steps(),
              ElementsAre("write /etc/systemd/system/b.service", "reload units", "restart b.service",
                          "restart z.service", "fetch /usr/local/bin/kubelet", "restart kubelet.service",
                          "applied c2"));
  EXPECT_THAT(stage.plan().state.restarts, ElementsAre("b.service", "kubelet.service", "z.service"));

  stage.joined = false;
  EXPECT_EQ(stage.steps().at(1), "fetch /usr/local/bin/kubelet");
}

TEST(Decide, AMachineThatHasNotJoinedGetsItsBootstrapKubeconfigLastOfTheFiles) {
  DecideStage stage;
  stage.joined = false;
  stage.bootstrap_kubeconfig = "token";
  stage.wanted.files[0] = a_file("/etc/a.conf", "a2", {"a.service"});

  EXPECT_THAT(stage.steps(), ElementsAre("write /etc/a.conf", "write /etc/kubernetes/bootstrap-kubelet.conf",
                                         "enable and start kubelet.service", "restart a.service"));
}

TEST(Decide, AMachineThatHasJoinedGetsNoneAndLosesItsToken) {
  DecideStage stage;
  stage.bootstrap_kubeconfig = "token";
  stage.facts_without_token = "{}";
  stage.disk["/etc/kubernetes/bootstrap-kubelet.conf"] = {.checksum = "x"};

  EXPECT_THAT(stage.steps(),
              ElementsAre("remove /etc/kubernetes/bootstrap-kubelet.conf", "write /etc/capstan/agent.json"));
}

TEST(Decide, TheTokenDoesNotStayWhereTheKubeconfigWasBefore) {
  DecideStage stage;
  stage.joined = false;
  stage.bootstrap_kubeconfig = "token";
  stage.state.files["/old.conf"] = {};
  stage.state.units["kubelet.service"] = true;

  EXPECT_THAT(stage.steps(), ElementsAre("remove /old.conf", "write /etc/kubernetes/bootstrap-kubelet.conf"));
  EXPECT_TRUE(stage.plan().state.files.contains("/etc/kubernetes/bootstrap-kubelet.conf"));
}

TEST(Decide, WhatAKilledProcessOwedIsStillDone) {
  DecideStage stage;
  stage.state.restarts = {"a.service"};
  stage.state.reload = true;

  EXPECT_THAT(stage.steps(), ElementsAre("reload units", "restart a.service"));
}

TEST(Decide, ARemovedUnitThatIsOffTheDiskIsNotStoppedAgain) {
  DecideStage stage;
  stage.wanted.files.pop_back();
  stage.wanted.units.pop_back();
  stage.disk.erase("/etc/systemd/system/b.service");

  EXPECT_THAT(stage.steps(), ElementsAre("remove /etc/systemd/system/b.service", "reload units"));
}

TEST(Decide, ItsOwnUnitIsRestartedAfterEverythingElse) {
  DecideStage stage;
  stage.wanted.checksum = "c2";
  stage.state.restarts = {std::string(kOwnUnit), "a.service", "z.service"};

  EXPECT_THAT(stage.steps(), ElementsAre("restart a.service", "restart z.service", "applied c2",
                                         "restart capstan-agent.service"));
}

}  // namespace
}  // namespace capstan::agent
