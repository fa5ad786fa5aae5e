#include "cmd/manager/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/controllers.h"

namespace capstan::manager {
namespace {

using testing::HasSubstr;

Result<CommandLine> read(const std::vector<const char*>& words) { return read_options(words); }

TEST(Options, HaveUpstreamsDefaults) {
  const auto line = read({});

  ASSERT_TRUE(line);
  EXPECT_EQ(line->options.concurrency.machine, 100);
  EXPECT_EQ(line->options.election.lease_name, "");
  EXPECT_FALSE(line->options.scope.beside_upstream);
  EXPECT_EQ(line->options.behaviour.sync_period, std::chrono::minutes(10));
  EXPECT_EQ(line->options.behaviour.unmanaged_node_after, std::chrono::minutes(20));
  EXPECT_FALSE(line->options.behaviour.mcm_aliases);
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

TEST(Options, OwnTheFleetPolicyWhereTheySeeAllOrWhenTheySaySo) {
  const auto owns = [](const std::vector<const char*>& words) {
    return owns_fleet_policy(read(words)->options.scope);
  };

  EXPECT_TRUE(owns({}));
  EXPECT_FALSE(owns({"--watch-filter=blue"}));
  EXPECT_FALSE(owns({"--namespace=blue"}));
  EXPECT_TRUE(owns({"--watch-filter=blue", "--owns-fleet-policy=true"}));
  EXPECT_FALSE(owns({"--owns-fleet-policy=false"}));
  EXPECT_FALSE(read({"--owns-fleet-policy=perhaps"}));
  EXPECT_FALSE(read({"--owns-fleet-policy=true", "--namespace=blue"}));
}

TEST(Options, RefuseALeaseThatEndsBeforeItIsRenewed) {
  const auto line = read({"--leader-elect-lease-duration=5s"});

  ASSERT_FALSE(line);
  EXPECT_THAT(line.error().message, HasSubstr("--leader-elect-renew-deadline"));
}

TEST(Options, RefuseSelfManagedCertificatesThatNothingServesOrThatNeverSettle) {
  EXPECT_TRUE(read({"--webhook-self-managed-certs", "--webhook-self-managed-settle=1s"}));
  const auto without_server = read({"--webhook-self-managed-certs", "--webhook-port=0"});
  const auto at_once = read({"--webhook-self-managed-certs", "--webhook-self-managed-settle=0s"});

  ASSERT_FALSE(without_server);
  EXPECT_THAT(without_server.error().message, HasSubstr("--webhook-port is 0"));
  ASSERT_FALSE(at_once);
  EXPECT_THAT(at_once.error().message, HasSubstr("--webhook-self-managed-settle"));
}

TEST(Options, RefuseGracePeriodsUpstreamWouldRefuse) {
  EXPECT_FALSE(read({"--remote-conditions-grace-period=1m"}));
  EXPECT_FALSE(read({"--remote-connection-grace-period=6m"}));
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

TEST(Options, SayWhichControllersRun) {
  const auto left_out = [](const char* flag) {
    const auto line = read({flag});
    EXPECT_TRUE(line) << line.error().message;
    return line ? *left_out_controllers(line->options.behaviour.controllers)
                : std::set<std::string, std::less<>>{};
  };

  EXPECT_THAT(left_out("--controllers=*"), testing::IsEmpty());
  EXPECT_THAT(left_out("--controllers=*,-machinepool"), testing::ElementsAre("machinepool"));
  EXPECT_THAT(left_out("--controllers=machine,cluster"),
              testing::ElementsAre("crdmigrator", "fleetpolicy", "machinedeployment", "machinehealthcheck",
                                   "machinelifecyclepolicy", "machinepool", "machineset", "topology/cluster",
                                   "topology/machinedeployment", "topology/machineset", "unclaimednode"));
  EXPECT_THAT(*left_out_controllers(read({})->options.behaviour.controllers), testing::IsEmpty());
}

TEST(Options, RefuseAControllerThatThereIsNotAndNameThoseThatThereAre) {
  const auto line = read({"--controllers=machines"});

  ASSERT_FALSE(line);
  EXPECT_THAT(line.error().message, HasSubstr("--controllers machines: there is no such controller"));
  EXPECT_THAT(line.error().message, HasSubstr("machine, machinepool"));
}

TEST(Options, RefuseAPhaseOfTheMigrationThatThereIsNot) {
  const auto known = read({"--skip-crd-migration-phases=CleanupManagedFields"});
  const auto unknown = read({"--skip-crd-migration-phases=All"});

  ASSERT_TRUE(known);
  const auto phases = migration_phases(known->options.behaviour.skip_crd_migration_phases);
  ASSERT_TRUE(phases);
  EXPECT_TRUE(phases->storage_versions);
  EXPECT_FALSE(phases->managed_fields);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("StorageVersionMigration, CleanupManagedFields"));
}

TEST(Options, NameTheHazardsOfControllersAndEachOfThemInTheHelp) {
  const auto help = read({"--help"})->print_and_exit;
  const auto begin = help.find("--controllers");
  const std::string one_line = help.substr(begin, help.find("\n  --", begin) - begin);

  EXPECT_THAT(one_line, HasSubstr("FOR DEVELOPMENT"));
  for (const std::string_view name : controllers::controller_names())
    EXPECT_THAT(one_line, HasSubstr(std::string(name)));
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
