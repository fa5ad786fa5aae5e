// A real clusterctl over a fleet that lives: `upgrade apply` hands it from upstream's core to ours and back.
// No Machine is made anew, and what `describe cluster` shows of it differs by what docs/deviations.md lists.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

#include "test/interop/neighbours_fixture.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::string_view kWayBack = "v1.14.300";
constexpr std::string_view kHook = "pre-drain.delete.hook.machine.cluster.x-k8s.io/held";
constexpr std::string_view kClusters[] = {"still", "held"};

constexpr Explained kExplained[] = {
    kForeignCertificate,
    kWebhooksAreAway,
    kFirstLease,
    kUpstreamReadsNoRevision,
    {.pattern = "^update leases .*fieldManager=manager.* 403$",
     .why = "clusterctl takes upstream's roles away while its manager runs",
     .sometimes = "it depends on when that renews its Lease"},
    {.pattern = "^get leases .* 403$|a right is missing; .*leases",
     .why = "clusterctl takes our roles away while our manager runs",
     .sometimes = "it depends on when the manager looks at its Lease"},
    {.pattern = " 401$|ERROR .*Unauthorized: ",
     .why = "clusterctl takes our account away, and its Pod, which is here a process "
            "that is stopped a moment later",
     .sometimes = "it depends on when the manager asks for something"}};

// Two Clusters: one at rest, and one with a roll that is paused and a Machine whose deletion waits.
class Clusterctl : public Neighbours {
 protected:
  static void SetUpTestSuite() {
    if (!can_run()) return;
    start_servers();
    if (!HasFatalFailure()) install_upstream();
    if (!HasFatalFailure()) start_upstream_core({});
    if (!HasFatalFailure()) start_providers();
    explain(kExplained);
  }

  // --- the fleet ---

  static void make_fleet() {
    for (const std::string_view cluster : kClusters)
      comes_up({.name = std::string(cluster), .api_version = "v1beta2", .control_planes = 1, .workers = 2});
    const auto machines =
        lines_of(kubectl({"get", "machines", "-l=cluster.x-k8s.io/deployment-name=held-md-0", "-o=name"}));
    ASSERT_THAT(machines, SizeIs(2));
    kubectl({"annotate", machines.front(), std::string(kHook) + "=test"});
    kubectl({"delete", machines.front(), "--wait=false"});
    rollout("pause");
    kubectl({"patch", "machinedeployment/held-md-0", "--type=merge",
             R"(-p={"spec":{"template":{"spec":{"version":"v1.36.1"}}}})"});
    eventually(condition_of("machinedeployment/held-md-0", "RollingOut"), "True");
    eventually(condition_of("machinedeployment/held-md-0", "MachinesReady"), "False");
  }
  static void rollout(const std::string& verb) {
    EXPECT_THAT(clusterctl({"alpha", "rollout", verb, "machinedeployment/held-md-0"}),
                Not(StartsWith("failed")));
  }
  // Every Machine with all that is its own.
  static std::string standing() {
    return kubectl({"get", "machines,devmachines,kubeadmconfigs,machinesets", "--sort-by=.metadata.name",
                    "-o=jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.uid} "
                    "{.spec.providerID} {.metadata.deletionTimestamp}{\"\\n\"}{end}"});
  }
  static std::string nodes_by_its_kubeconfig(const std::string& cluster) {
    const fs::path kubeconfig = in_folder(cluster + ".kubeconfig");
    std::ofstream(kubeconfig) << clusterctl({"get", "kubeconfig", cluster});
    return text_of(run(
        {.argv = {servers_->kubectl(), "--kubeconfig=" + kubeconfig.string(), "get", "--raw=/api/v1/nodes"}},
        seconds(30)));
  }

  // --- who is the core ---

  // Each has to find out by itself how everything is: the conditions of the one before are gone.
  static void hand_over_to_ours() {
    upgrade_to(kVersion);
    stop_upstream_core();
    forget_conditions();
    start_installed_manager();
  }
  static void hand_back() {
    expect_rights_sufficed(*servers_);
    roles_were_taken_away_ = true;
    upgrade_to(kWayBack);
    manager_.kill();
    forget_conditions();
    start_upstream_core({});
  }

  // --- what is shown ---

  // Line by line, each behind the object that it is about, without how long something has been so.
  static Lines described() {
    static const std::regex since(R"( (\d+[smhd])+ )");
    static const std::regex gaps(" +");
    Lines lines;
    for (const std::string_view cluster : kClusters) {
      std::string object;
      for (std::string line :
           lines_of(clusterctl({"describe", "cluster", std::string(cluster), "--show-conditions=all",
                                "--grouping=false", "--show-machinesets"}))) {
        line = std::regex_replace(std::regex_replace(line + " ", since, " "), gaps, " ");
        const auto name = line.find("default/");
        if (name != std::string::npos) object = line.substr(name, line.find_first_of(", ", name) - name);
        lines.push_back(object + " " + line);
      }
    }
    std::ranges::sort(lines);
    return lines;
  }
  static void is_described_as(const Lines& wanted) {
    Lines found;
    EXPECT_TRUE(waited([&] { return (found = described()) == wanted; }))
        << fmt::format("not shown:\n{}\nshown instead:\n{}", fmt::join(without(wanted, found), "\n"),
                       fmt::join(without(found, wanted), "\n"));
  }
  static Lines without(const Lines& lines, const Lines& others) {
    Lines left;
    std::ranges::set_difference(lines, others, std::back_inserter(left));
    return left;
  }
  // Nothing changes for a while.
  static Lines settled() {
    const SystemClock clock;
    Lines last = described();
    SteadyTime since = clock.steady_now();
    EXPECT_TRUE(waited([&] {
      Lines now = described();
      if (now != last) since = clock.steady_now();
      last = std::move(now);
      return clock.steady_now() - since >= seconds(5);
    }));
    return last;
  }

 private:
  static void forget_conditions() {
    for (const std::string& object :
         lines_of(kubectl({"get", "clusters,machinedeployments,machinesets,machines", "-o=name"})))
      kubectl(
          {"patch", object, "--subresource=status", "--type=merge", R"(-p={"status":{"conditions":null}})"});
  }
  static void install_upstream() {
    const auto packaged = package_into(in_folder("repository"));
    ASSERT_TRUE(packaged) << packaged.error().describe();
    const fs::path upstream = fs::path(std::getenv("CAPSTAN_CLUSTERCTL")).parent_path() / "upstream";
    for (const std::string& each : {version(), std::string(kWayBack)})
      fs::copy(upstream, in_folder("repository") / "cluster-api" / each);
    offer_providers();
    init({"--core=cluster-api:" + version()});
  }
  // clusterctl merges a CRD into the one that stands, and Service and URL would both be there.
  static void lead_conversions_to_the_service() {
    auto crds = json::parse(kubectl({"get", "crds", "-l=cluster.x-k8s.io/provider=cluster-api", "-o=json"}),
                            {}, {.max_depth = 128});
    for (json::value& crd : crds.at("items").as_array()) {
      boost::system::error_code absent;
      auto* caller = crd.find_pointer("/spec/conversion/webhook/clientConfig", absent);
      if (caller == nullptr) continue;
      *caller = {{"service",
                  {{"namespace", "capi-system"}, {"name", "capi-webhook-service"}, {"path", "/convert"}}}};
    }
    kubectl({"replace", "-f=-"}, json::serialize(crds));
  }
  static void upgrade_to(std::string_view version) {
    lead_conversions_to_the_service();
    ASSERT_THAT(clusterctl({"upgrade", "apply", "--core=capi-system/cluster-api:" + std::string(version)}),
                Not(StartsWith("failed")));
  }
};

TEST_F(Clusterctl, UpgradesALivingFleetToOursAndBackAndDescribesItAlike) {
  make_fleet();
  if (HasFatalFailure()) return;
  const Lines upstreams = settled();
  const std::string before = standing();

  hand_over_to_ours();
  if (HasFailure()) return;
  is_described_as(upstreams);
  EXPECT_EQ(standing(), before);
  EXPECT_THAT(nodes_by_its_kubeconfig("still"), HasSubstr("still-md-0-"));

  hand_back();
  if (HasFailure()) return;
  is_described_as(upstreams);
  EXPECT_EQ(standing(), before);
}

}  // namespace
}  // namespace capstan::envtest
