#include "agent/wanted.h"

#include <gmock/gmock.h>

#include "agent/checksum.h"

namespace capstan::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const MachineFacts kMachine = {.version = "v1.35.0",
                               .users = "root:x:0:0::/root:/bin/sh\netcd:x:101:102::/:/bin/false\n",
                               .groups = "root:x:0:\nstaff:x:50:\n",
                               .own = {.user = 7, .group = 8}};

Result<Wanted> read(std::string_view members) {
  return read_wanted("{\"clusterName\":\"c1\"," + std::string(members) + "}", kMachine);
}
Result<Wanted> with_file(std::string_view path) {
  return read("\"files\":[{\"path\":\"" + std::string(path) + "\",\"content\":\"x\"}]");
}
std::string refusal(const Result<Wanted>& wanted) { return wanted ? "taken" : wanted.error().message; }

TEST(Wanted, AFileHasModeOwnerAndTheUnitsThatFollowIt) {
  const auto wanted =
      read(R"("files":[{"path":"/etc/a","content":"x","permissions":"0600","owner":"etcd:staff"}],
    "units":[{"name":"a.service","filePaths":["/etc/a"]},{"name":"b.service","content":"[Unit]"}])");

  ASSERT_TRUE(wanted) << wanted.error().message;
  ASSERT_EQ(wanted->files.size(), 2U);
  EXPECT_EQ(wanted->files[0].mark, (Mark{.mode = 0600, .user = 101, .group = 50}));
  EXPECT_EQ(wanted->files[0].checksum, checksum_of("x"));
  EXPECT_THAT(wanted->files[0].units, ElementsAre("a.service"));
  EXPECT_EQ(wanted->files[1].path, "/etc/systemd/system/b.service");
  EXPECT_THAT(wanted->files[1].units, ElementsAre("b.service"));
  EXPECT_EQ(wanted->files[1].mark, (Mark{.mode = 0644, .user = 7, .group = 8}));
}

TEST(Wanted, TheKubeletsConfigurationIsItsJsonAndStays) {
  const auto wanted = read(R"("kubelet":{"configuration":{"maxPods":50},"unit":"k3s.service"})");

  ASSERT_TRUE(wanted) << wanted.error().message;
  ASSERT_EQ(wanted->files.size(), 1U);
  EXPECT_EQ(wanted->files[0].path, "/var/lib/kubelet/config.yaml");
  EXPECT_EQ(wanted->files[0].content, "{\"maxPods\":50}\n");
  EXPECT_THAT(wanted->files[0].units, ElementsAre("k3s.service"));
  EXPECT_TRUE(wanted->files[0].kept);
}

TEST(Wanted, TheKubeletOfTheMachinesVersionIsFetchedOrThatOfTheRunningOne) {
  const std::string binary = "\"sha256\":\"" + std::string(64, 'a') + "\"}";
  const std::string binaries = R"("kubelet":{"binaries":[{"version":"v1.36.0","url":"https://x/36",)" +
                               binary + R"(,{"version":"v1.35.0","url":"https://x/35",)" + binary + "]}";
  const std::string text = "{\"clusterName\":\"c1\"," + binaries + "}";

  const auto of_machine = read(binaries);
  const auto of_running = read_wanted(text, {.version = "v1.34.0", .running_version = "v1.36.0"});
  const auto of_none = read_wanted(text, {.version = "v1.34.0"});

  ASSERT_TRUE(of_machine && of_running && of_none);
  EXPECT_EQ(of_machine->kubelet->url, "https://x/35");
  EXPECT_EQ(of_machine->kubelet->path, "/usr/local/bin/kubelet");
  EXPECT_EQ(of_running->kubelet->url, "https://x/36");
  EXPECT_FALSE(of_none->kubelet);
}

TEST(Wanted, PathsThatLeadElsewhereAreRefused) {
  EXPECT_EQ(refusal(with_file("/etc/a")), "taken");
  for (const std::string_view path : {"/etc/../x", "/etc//x", "/etc/./x", "/etc/", "/"})
    EXPECT_THAT(refusal(with_file(path)), HasSubstr("has a part that is empty")) << path;
  EXPECT_THAT(refusal(with_file("/etc/a\\u0000b")), HasSubstr("control characters"));
  EXPECT_THAT(refusal(with_file("etc/a")), HasSubstr("path"));
}

TEST(Wanted, FilesOfTheAgentAndTheKubeletsCredentialsAreRefused) {
  EXPECT_THAT(refusal(with_file("/var/lib/capstan-agent/state.json")), HasSubstr("is the agent's own"));
  EXPECT_THAT(refusal(with_file("/etc/capstan/agent.json")), HasSubstr("is the agent's own"));
  EXPECT_THAT(refusal(with_file("/etc/kubernetes/kubelet.conf")), HasSubstr("is named twice"));
}

TEST(Wanted, WhatTheSchemaForbidsIsRefusedHere) {
  EXPECT_THAT(refusal(read(R"("units":[{"name":"-a.service"}])")), testing::Not("taken"));
  EXPECT_THAT(refusal(read(R"("units":[{"name":"a/b.service"}])")), HasSubstr("units[0].name"));
  EXPECT_THAT(refusal(read(R"("kubelet":{"unit":"--now"})")), HasSubstr("is no name of a unit"));
  EXPECT_THAT(
      refusal(read(R"("kubelet":{"binaries":[{"version":"v1.35.0","url":"http://x","sha256":"a"}]})")),
      HasSubstr("kubelet.binaries[0]"));
  EXPECT_THAT(refusal(read(R"("files":[{"path":"/a","owner":"ceph"}])")),
              HasSubstr("there is no user \"ceph\""));
  EXPECT_THAT(refusal(read_wanted("{", kMachine)), testing::Not("taken"));
}

TEST(UnitName, HasATypeAndNothingThatIsAnOption) {
  EXPECT_EQ(unit_name("kubelet"), "kubelet.service");
  EXPECT_EQ(unit_name("a@1.timer"), "a@1.timer");
  EXPECT_EQ(unit_name("--now"), std::nullopt);
  EXPECT_EQ(unit_name("a b"), std::nullopt);
  EXPECT_EQ(unit_name(""), std::nullopt);
}

}  // namespace
}  // namespace capstan::agent
