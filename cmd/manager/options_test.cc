#include "cmd/manager/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::manager {
namespace {

using testing::HasSubstr;

Result<CommandLine> read(const std::vector<const char*>& words) { return read_options(words); }

TEST(Options, HaveUpstreamsDefaults) {
  const auto line = read({});

  ASSERT_TRUE(line);
  EXPECT_EQ(line->options.concurrency.machine, 100);
  EXPECT_EQ(line->options.election.lease_name, "controller-leader-election-capi");
  EXPECT_EQ(line->options.behaviour.sync_period, std::chrono::minutes(10));
  EXPECT_FALSE(line->options.election.leader_elect);
}

TEST(Options, TakeWhatUpstreamsManifestSays) {
  const auto line = read({"--leader-elect", "--diagnostics-address=:8443", "--insecure-diagnostics=false",
                          "--feature-gates=MachinePool=true,ClusterTopology=false,RuntimeSDK=false"});

  ASSERT_TRUE(line);
  EXPECT_TRUE(line->options.election.leader_elect);
}

TEST(Options, RefuseAnUnknownFlagAndSuggestTheNearest) {
  const auto line = read({"--machine-concurency=5"});

  ASSERT_FALSE(line);
  EXPECT_THAT(line.error().message, HasSubstr("machine-concurrency"));
}

TEST(Options, RefuseALeaseThatEndsBeforeItIsRenewed) {
  const auto line = read({"--leader-elect-lease-duration=5s"});

  ASSERT_FALSE(line);
  EXPECT_THAT(line.error().message, HasSubstr("--leader-elect-renew-deadline"));
}

TEST(Options, RefuseGracePeriodsUpstreamWouldRefuse) {
  EXPECT_FALSE(read({"--remote-conditions-grace-period=1m"}));
  EXPECT_FALSE(read({"--remote-connection-grace-period=6m"}));
}

TEST(Options, ReadListenAddresses) {
  EXPECT_TRUE(parse_listen_address("x", "0")->off);
  EXPECT_EQ(parse_listen_address("x", ":9440")->port, 9440);
  EXPECT_EQ(parse_listen_address("x", "127.0.0.1:1")->host, "127.0.0.1");
  EXPECT_EQ(parse_listen_address("x", "[::1]:1")->host, "::1");
}

TEST(Options, RefuseAPortThatThereIsNot) {
  for (const char* address : {":65536", ":99999", "localhost:-1", ":80x", ":"})
    EXPECT_FALSE(parse_listen_address("x", address)) << address;
  EXPECT_TRUE(parse_listen_address("x", ":65535"));
}

TEST(Options, RefuseAnAddressWithoutAPort) {
  const auto line = read({"--health-addr=localhost"});

  ASSERT_FALSE(line);
  EXPECT_THAT(line.error().message, HasSubstr("--health-addr"));
}

TEST(Options, ReadTheNetworksThatWorkloadClustersMayNotBeIn) {
  const auto line =
      read({"--workload-denied-cidrs=10.0.0.0/8,fd00::/8", "--workload-plain-http-on-loopback"});

  ASSERT_TRUE(line) << line.error().message;
  const auto addresses = workload_addresses(line->options.clients);
  ASSERT_TRUE(addresses);
  EXPECT_EQ(addresses->denied.size(), 2U);
  EXPECT_TRUE(addresses->plain_http_on_loopback);
  EXPECT_FALSE(workload_addresses({})->plain_http_on_loopback);
}

TEST(Options, RefuseANetworkThatIsNone) {
  const auto line = read({"--workload-denied-cidrs=10.0.0.0"});

  ASSERT_FALSE(line);
  EXPECT_THAT(line.error().message, HasSubstr("--workload-denied-cidrs 10.0.0.0: expected"));
}

TEST(Options, PrintHelpThatNamesEveryGroup) {
  const auto line = read({"--help"});

  ASSERT_TRUE(line);
  for (const char* group : {"Management cluster", "Leader election", "Controllers", "Servers"})
    EXPECT_THAT(line->print_and_exit, HasSubstr(group));
}

TEST(Options, PrintTheVersionInsteadOfStarting) {
  const auto line = read({"--version", "--kubeconfig=there-is-none"});

  ASSERT_TRUE(line);
  EXPECT_THAT(line->print_and_exit, testing::MatchesRegex("capstan [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_THAT(read({"--help"})->print_and_exit, HasSubstr("--version\n      print name and version"));
}

}  // namespace
}  // namespace capstan::manager
