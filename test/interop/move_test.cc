// `clusterctl move` in the middle of a rollout, to another management server, which is the workload cluster,
// too. The cloud is a program of its own, so that it can be asked which VMs there are; the kubelets are the
// test. Managers and providers of both servers run all the time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/base64.h"
#include "test/envtest/installed_manager_fixture.h"
#include "test/interop/explained.h"
#include "test/interop/simulated_cloud.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

using Names = std::set<std::string>;

constexpr ManagerPorts kPortsOfTheTarget = {.health = 9540, .webhooks = 9543, .diagnostics = 8543};
constexpr std::string_view kAccount = "moved";  // of the cloud, where the credentials lead

// What the sample does not have: credentials, the way to the workload cluster, and kinds without an owner.
constexpr std::string_view kMore = R"(
apiVersion: v1
kind: Secret
metadata: {{name: cloud, namespace: default, labels: {{clusterctl.cluster.x-k8s.io/move: ""}}}}
stringData: {{account: {}}}
---
apiVersion: v1
kind: Secret
metadata: {{name: moving-kubeconfig, namespace: default, labels: {{cluster.x-k8s.io/cluster-name: moving}}}}
type: cluster.x-k8s.io/secret
stringData: {{value: {}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDrainRule
metadata: {{name: moving, namespace: default}}
spec:
  drain: {{behavior: Skip}}
  machines: [{{selector: {{matchLabels: {{batch: "true"}}}}}}]
---
apiVersion: policy.capstan.dev/v1alpha1
kind: MachineLifecyclePolicy
metadata: {{name: moving, namespace: default}}
spec: {{selector: {{matchLabels: {{cluster.x-k8s.io/cluster-name: moving}}}}}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: NodeConfig
metadata: {{name: moving, namespace: default}}
spec: {{clusterName: moving, files: [{{path: /etc/moving, content: "1"}}]}}
---
apiVersion: policy.capstan.dev/v1alpha1
kind: FleetPolicy
metadata: {{name: fleet}}
spec: {{limits: [{{max: 100}}]}}
)";

constexpr Explained kExplained[] = {
    kForeignCertificate,
    kWatchCacheIsBuilt,
    kFirstLease,
    {.pattern = "^get pods .*/capi-system/pods/capi-controller-manager-0 404$",
     .why = "a manager asks whether a workload cluster is the one it runs in, and a process is no Pod"},
    {.pattern = "^Event of capstan-bootstrap: WaitingForCluster of NodeConfig/moving: ",
     .why = "it is made before its Cluster, as clusterctl may move it",
     .sometimes = "the Cluster may be read first"},
    {.pattern = "^create pods/eviction .* 429$", .why = "the budget holds it"},
    {.pattern = "^get (drivermachinepools|cloudconfigs|driverclusters) .* 404$",
     .why = "a pool and a Cluster go when these are gone, by a live read"},
    kGoneBeforeItsStatus,
    kServiceIsSeenLate};

// Two Pods of an application whose budget lets none of them go as long as the other is not ready.
constexpr std::string_view kApplication = R"(
apiVersion: v1
kind: Pod
metadata: {{name: on-{0}, namespace: default, labels: {{app: held}}}}
spec:
  nodeName: {0}
  terminationGracePeriodSeconds: 0
  containers: [{{name: c, image: i}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: held, namespace: default}}
spec: {{minAvailable: 1, selector: {{matchLabels: {{app: held}}}}}}
)";
constexpr std::string_view kRunning =
    R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})";

class Move : public InstalledManager {
 protected:
  static void SetUpTestSuite() {
    Package::SetUpTestSuite();
    if (why_not() || HasFatalFailure()) return;
    start_cloud();
    start_programs("source", {});
    if (HasFailure()) return;
    change_sides();
    start_server();
    if (HasFailure()) return;
    workload_ = servers_.get();
    EXPECT_THAT(init_all_of_ours(), Not(StartsWith("failed")));
    start_programs("target", kPortsOfTheTarget);
    change_sides();
  }
  static void TearDownTestSuite() {
    for (ChildProcess* process : {&provider_, &other_provider_, &other_manager_, &manager_}) process->kill();
    cloud_.reset();
    if (servers_ && other_servers_) {
      Lines troubles = troubles_of(*servers_, {manager_.log(), provider_.log()});
      std::ranges::move(troubles_of(*other_servers_, {other_manager_.log(), other_provider_.log()}),
                        std::back_inserter(troubles));
      expect_explained(troubles, kExplained);
    }
    if (other_servers_) expect_rights_sufficed(*other_servers_);
    other_servers_.reset();
    InstalledManager::TearDownTestSuite();
  }

  // What is done from now on is done at the other one of the two.
  static void change_sides() {
    std::swap(servers_, other_servers_);
    std::swap(manager_, other_manager_);
    std::swap(provider_, other_provider_);
  }
  static std::string move() {
    return clusterctl(
        {"move", "--namespace=default", "--to-kubeconfig=" + other_servers_->kubeconfig_path().string()});
  }

  // --- the fleet ---

  static void apply_fleet() {
    const auto sample = output_of({.argv = {program("capstan-dev"), "up", "--print-sample", "--machines=3",
                                            "--pool=2", "--pool-machines=0"}},
                                  seconds(30));
    ASSERT_TRUE(sample) << sample.error().describe();
    const std::string endpoint = "spec: {controlPlaneEndpoint: {host: 127.0.0.1, port: 6443}}\n";
    std::string fleet = std::regex_replace(*sample, std::regex("demo"), "moving");
    fleet = std::regex_replace(fleet, std::regex("( +)class: small"), "$&\n$1credentialsRef: {name: cloud}");
    fleet =
        std::regex_replace(fleet, std::regex("kind: DriverCluster\nmetadata:\n.*\n.*\n"), "$&" + endpoint);
    const std::string way = json::serialize(json::string(content_of(workload_->kubeconfig_path())));
    kubectl({"apply", "-f=-"}, fmt::format(kMore, kAccount, way));
    kubectl({"apply", "-f=-"}, fleet);
  }
  static std::string field(const std::string& object, const std::string& path) {
    return kubectl({"get", object, "-o=jsonpath={" + path + "}"});
  }
  static std::string condition(const std::string& object, const std::string& type) {
    return field(object, fmt::format(R"(.status.conditions[?(@.type=="{}")].status)", type));
  }
  static bool is_up() {
    return condition("cluster/moving", "Available") == "True" &&
           condition("machinedeployment/moving-workers", "Available") == "True" &&
           field("machinepool/moving-pool", ".status.availableReplicas") == "2";
  }
  static Names lines_about(const std::string& kinds, const std::string& fields) {
    std::istringstream text(
        kubectl({"get", kinds, "-o=jsonpath={range .items[*]}" + fields + "{\"\\n\"}{end}"}));
    Names lines;
    for (std::string line; std::getline(text, line);) lines.insert(line);
    return lines;
  }
  // Everything that a move might make a second time, as the cloud or the user knows it.
  static Names standing() {
    return lines_about("machines,machinesets,drivermachines,drivermachinepools,cloudconfigs",
                       "{.kind} {.metadata.name} {.spec.instanceKey} {.spec.groupKey} {.spec.providerID} "
                       "{.spec.providerIDList} {.spec.version}");
  }
  static Names workers(const std::string& version) {
    Names names = lines_about("machines", "{.spec.version} {.metadata.name} {.spec.providerID}");
    std::erase_if(names,
                  [&](const std::string& name) { return !name.starts_with(version + " moving-workers-"); });
    return names;
  }
  static Names machines_without_node() {
    Names names = lines_about("machines", "{.status.nodeRef.name} {.metadata.name}");
    std::erase_if(names, [](const std::string& name) { return !name.starts_with(' '); });
    return names;
  }

  static std::map<std::string, std::string> vms() {
    const auto found = cloud_->vms(kAccount);
    EXPECT_TRUE(found) << found.error().describe();
    return found.value_or(std::map<std::string, std::string>());
  }

  // --- the kubelets ---

  static std::string workload(std::vector<std::string> arguments, std::string input = {}) {
    return envtest::kubectl(*workload_, std::move(arguments), std::move(input));
  }
  static void report(const std::string& node, std::string_view ready) {
    workload({"patch", node, "--subresource=status", R"(-p={"status":)" + node_status(ready) + "}"});
  }
  // Each VM that has no Node yet gets one.
  static void nodes_join(std::string_view ready) {
    const std::string there = workload({"get", "nodes", "-o=name"});
    for (const auto& [name, id] : vms()) {
      if (there.contains("node/" + name + "\n")) continue;
      workload(
          {"create", "-f=-"},
          fmt::format("{{apiVersion: v1, kind: Node, metadata: {{name: {}}}, spec: {{providerID: '{}'}}}}",
                      name, id));
      report("node/" + name, ready);
    }
  }
  // On the Node of the Machine of that "VERSION NAME PROVIDER-ID".
  static std::string run_a_pod_on(const std::string& worker) {
    const std::string machine = worker.substr(worker.find(' ') + 1, worker.rfind(' ') - worker.find(' ') - 1);
    const std::string node = field("machine/" + machine, ".status.nodeRef.name");
    workload({"apply", "-f=-"}, fmt::format(fmt::runtime(kApplication), node));
    workload({"patch", "pod/on-" + node, "--subresource=status", "-p=" + std::string(kRunning)});
    return machine;
  }
  static std::string disruptions_allowed() {
    return workload({"get", "pdb/held", "-o=jsonpath={.status.disruptionsAllowed}"});
  }
  static void nodes_become_ready() {
    std::istringstream names(workload({"get", "nodes", "-o=name"}));
    for (std::string name; std::getline(names, name);) report(name, "True");
  }

 private:
  static void start_cloud() {
    auto started = SimulatedCloud::start(program("capstan-dev").parent_path(), folder_->path());
    ASSERT_TRUE(started) << started.error().describe();
    cloud_ = std::make_unique<SimulatedCloud>(std::move(*started));
  }
  static void start_programs(const std::string& side, const ManagerPorts& ports) {
    start_installed_manager(ports);
    auto started = cloud_->start_provider(servers_->kubeconfig_path(), "provider-" + side);
    ASSERT_TRUE(started) << started.error().describe();
    provider_ = std::move(*started);
  }

  static inline std::unique_ptr<SimulatedCloud> cloud_;
  static inline ChildProcess provider_;
  static inline std::unique_ptr<RealServers> other_servers_;
  static inline ChildProcess other_manager_;
  static inline ChildProcess other_provider_;
  static inline const RealServers* workload_ = nullptr;  // the target
};

TEST_F(Move, InTheMiddleOfARolloutMakesNoMachineAndNoVmASecondTime) {
  apply_fleet();
  EXPECT_TRUE(waited([] { return nodes_join("True"), is_up(); }))
      << kubectl({"get", "machines,machinepools"});
  ASSERT_THAT(vms(), SizeIs(6));
  kubectl({"patch", "machinedeployment/moving-workers", "--type=merge",
           R"(-p={"spec":{"template":{"spec":{"version":"v1.36.0"}}}})"});
  ASSERT_TRUE(waited([] { return machines_without_node().size() == 1 && vms().size() == 7; }));

  // Not while a Machine has no Node.
  EXPECT_THAT(move(), AllOf(StartsWith("failed"), HasSubstr("is still provisioning the node")));
  EXPECT_EQ(field("cluster/moving", ".spec.paused"), "");

  // Its Node is there and not ready, which holds the roll.
  nodes_join("False");
  ASSERT_TRUE(waited([] { return machines_without_node().empty(); }));
  const Names before = standing();
  const auto vms_before = vms();
  const Names rolled = workers("v1.36.0");
  ASSERT_THAT(rolled, SizeIs(1));
  ASSERT_THAT(workers("v1.35.0"), SizeIs(3));
  ASSERT_THAT(move(), Not(StartsWith("failed")));

  EXPECT_THAT(
      lines_about("clusters,machinedeployments,machinelifecyclepolicies,machinedrainrules", "{.kind}"),
      IsEmpty());
  EXPECT_THAT(standing(), IsEmpty());
  change_sides();
  EXPECT_EQ(standing(), before);
  EXPECT_TRUE(waited([] {
    return condition("cluster/moving", "Available") == "True" && machines_without_node().empty() &&
           field("machinepool/moving-pool", ".status.availableReplicas") == "2" &&
           field("machinedeployment/moving-workers", ".status.replicas") == "4";
  })) << kubectl({"get", "clusters,machinedeployments,machinepools,machines"});
  EXPECT_EQ(standing(), before);
  EXPECT_EQ(vms(), vms_before);
  for (const char* kind : {"machinelifecyclepolicies", "machinedrainrules", "nodeconfigs"})
    EXPECT_EQ(lines_about(kind, "{.metadata.name}"), Names{"moving"}) << kind;
  EXPECT_THAT(lines_about("fleetpolicies", "{.metadata.name}"), IsEmpty()) << "docs/install.md says so";
  EXPECT_EQ(field("secret/cloud", ".data.account"), base64_encode(kAccount));

  // The roll goes on with the Machine that it had begun with, up to one whose Pod has a budget.
  const std::string held = run_a_pod_on(*workers("v1.35.0").begin());
  EXPECT_TRUE(waited([] { return disruptions_allowed() == "0"; })) << disruptions_allowed();
  nodes_become_ready();
  EXPECT_TRUE(waited([&] {
    nodes_join("True");
    return field("machine/" + held, R"(.status.conditions[?(@.type=="Deleting")].message)")
        .contains("disruption budget");
  }));
  EXPECT_THAT(workload({"get", "pods", "-o=name"}), HasSubstr("pod/on-"));
  ASSERT_THAT(workers("v1.36.0"), Not(IsEmpty()));
  run_a_pod_on(*workers("v1.36.0").begin());  // so that the budget lets the other one go
  EXPECT_TRUE(waited([] {
    nodes_join("True");
    return workers("v1.36.0").size() == 3 && workers("v1.35.0").empty() && is_up();
  })) << kubectl({"get", "machinedeployments,machines"});
  EXPECT_THAT(rolled, IsSubsetOf(workers("v1.36.0")));
  EXPECT_THAT(vms(), SizeIs(6));
  kubectl({"delete", "cluster/moving", "--timeout=50s"});
  EXPECT_TRUE(waited([] { return vms().empty(); }));
}

}  // namespace
}  // namespace capstan::envtest
