// A Cluster of upstream's kubeadm control plane and in-memory infrastructure whose workers are of our own
// Driver kinds: a MachineDeployment with upstream's bootstrap, and a DriverMachinePool with ours. The cloud
// is a program of its own; its kubelets are the test.
#include <fmt/format.h>
#include <httplib.h>

#include <boost/json.hpp>
#include <map>
#include <set>

#include "test/interop/neighbours_fixture.h"
#include "test/interop/simulated_cloud.h"

namespace capstan::envtest {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kAccount = "simulated";  // of the cloud, for who has no credentials
constexpr std::string_view kWorkers = R"(
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DriverMachineTemplate
metadata: {name: mixed-drivers, namespace: default}
spec: {template: {spec: {class: small}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: {name: mixed-drivers, namespace: default}
spec:
  clusterName: mixed
  replicas: 2
  template:
    spec:
      clusterName: mixed
      version: v1.36.0
      bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: KubeadmConfigTemplate, name: mixed-md-0}}
      infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DriverMachineTemplate, name: mixed-drivers}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: CloudConfig
metadata: {name: mixed-pool, namespace: default}
spec: {files: [{path: /etc/motd, content: hello}]}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DriverMachinePool
metadata: {name: mixed-pool, namespace: default}
spec: {class: small}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: {name: mixed-pool, namespace: default}
spec:
  clusterName: mixed
  replicas: 2
  template:
    spec:
      clusterName: mixed
      version: v1.36.0
      bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: CloudConfig, name: mixed-pool}}
      infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DriverMachinePool, name: mixed-pool}
)";
constexpr const char* kNodes = "/api/v1/nodes";
// Upstream's in-memory API server has no status of its own for Nodes, and takes all of one at once.
constexpr std::string_view kNode = R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{}"}},
"spec":{{"providerID":"{}"}},"status":{}}})";

constexpr Explained kExplained[] = {kForeignCertificate,
                                    kFirstLease,
                                    kControlPlaneIsGone,
                                    {.pattern = "^get (drivermachinepools|cloudconfigs) .* 404$",
                                     .why = "a MachinePool goes when these are gone, by a live read"}};

class DriverWorkers : public Neighbours {
 protected:
  static void SetUpTestSuite() {
    if (!can_run()) return;
    start_servers();
    if (!HasFatalFailure()) install_both();
    if (!HasFatalFailure()) start_installed_manager();
    if (!HasFatalFailure()) start_providers();
    if (!HasFatalFailure()) start_cloud();
  }
  static void TearDownTestSuite() {
    provider_.kill();
    cloud_.reset();
    Neighbours::TearDownTestSuite();
  }

  // --- the cloud and its kubelets ---

  static std::map<std::string, std::string> vms() {
    const auto found = cloud_->vms(kAccount);
    EXPECT_TRUE(found) << found.error().describe();
    return found.value_or(std::map<std::string, std::string>());
  }
  static void know_the_way_in() {
    port_ = std::stoi(field("cluster/mixed", ".spec.controlPlaneEndpoint.port"));
  }
  // Creates this Node, or lists all of them where it is empty. Upstream's in-memory API server asks no caller
  // for credentials.
  static std::string ask_for_nodes(const std::string& created = {}) {
    httplib::SSLClient api("127.0.0.1", port_);
    api.enable_server_certificate_verification(false);
    api.set_default_headers({{"Accept", "application/json"}});
    const auto answer = created.empty() ? api.Get(kNodes) : api.Post(kNodes, created, "application/json");
    EXPECT_TRUE(answer && answer->status < 300)
        << (answer ? answer->body : httplib::to_string(answer.error()));
    return answer ? answer->body : std::string();
  }
  // By provider ID.
  static std::map<std::string, std::string> nodes() {
    std::map<std::string, std::string> names;
    const json::value list = json::parse(ask_for_nodes());
    for (const json::value& node : list.at("items").as_array())
      names.emplace(node.at("spec").at("providerID").as_string(), node.at("metadata").at("name").as_string());
    return names;
  }
  // Each VM that has no Node yet gets one; a VM that is gone has taken its kubelet along, and no Node.
  static void nodes_join() {
    const auto there = nodes();
    for (const auto& [name, id] : vms())
      if (!there.contains(id)) ask_for_nodes(fmt::format(fmt::runtime(kNode), name, id, node_status("True")));
  }
  static std::set<std::string> nodes_of_the_pool() {
    std::set<std::string> names;
    for (const auto& [id, name] : nodes())
      if (name.starts_with("mixed-pool-")) names.insert(name);
    return names;
  }

  // --- the fleet ---

  static std::string field(const std::string& object, const std::string& path) {
    return kubectl({"get", object, "-o=jsonpath={" + path + "}"});
  }
  static std::vector<std::string> of_the_machines(const std::string& what) {
    return lines_of(kubectl({"get", "machines", "-l=cluster.x-k8s.io/deployment-name=mixed-drivers",
                             "-o=jsonpath={range .items[*]}{" + what + "}{\"\\n\"}{end}"}));
  }
  static bool rests_with(const std::string& machines, const std::string& instances) {
    return field("machinedeployment/mixed-drivers", ".status.availableReplicas") == machines &&
           field("machinedeployment/mixed-drivers", ".status.replicas") == machines &&
           field("machinedeployment/mixed-drivers", ".status.upToDateReplicas") == machines &&
           field("machinepool/mixed-pool", ".status.availableReplicas") == instances &&
           vms().size() == std::stoul(machines) + std::stoul(instances);
  }
  static bool comes_to_rest_with(const std::string& machines, const std::string& instances) {
    return waited([&] { return nodes_join(), rests_with(machines, instances); });
  }
  static std::string all() {
    return kubectl({"get", "machinedeployments,machinepools,machines,drivermachines,drivermachinepools"});
  }

 private:
  static void install_both() {
    const auto packaged = package_into(in_folder("repository"));
    ASSERT_TRUE(packaged) << packaged.error().describe();
    offer_providers();
    const std::string at = ":" + std::string(kVersion);
    init({"--core=cluster-api" + at, "--infrastructure=capstan" + at, "--bootstrap=capstan" + at});
  }
  static void start_cloud() {
    auto started = SimulatedCloud::start(program("capstan-dev").parent_path(), folder_->path());
    ASSERT_TRUE(started) << started.error().describe();
    cloud_ = std::make_unique<SimulatedCloud>(std::move(*started));
    auto provider = cloud_->start_provider(servers_->kubeconfig_path(), "capstan-provider");
    ASSERT_TRUE(provider) << provider.error().describe();
    provider_ = std::move(*provider);
    explain(kExplained, {provider_.log()});
  }

  static inline std::unique_ptr<SimulatedCloud> cloud_;
  static inline ChildProcess provider_;
  static inline int port_ = 0;  // of the workload cluster
};

TEST_F(DriverWorkers, ComeUpRollScaleAndGoBesideAKubeadmControlPlane) {
  comes_up({.name = "mixed", .api_version = "v1beta2", .control_planes = 1, .workers = 1});
  know_the_way_in();
  kubectl({"apply", "-f=-"}, std::string(kWorkers));
  ASSERT_TRUE(comes_to_rest_with("2", "2")) << all();
  EXPECT_THAT(of_the_machines(".spec.infrastructureRef.kind"), Each("DriverMachine"));
  EXPECT_THAT(of_the_machines(".spec.bootstrap.configRef.kind"), Each("KubeadmConfig"));
  EXPECT_THAT(nodes_of_the_pool(), SizeIs(2));

  kubectl({"patch", "machinedeployment/mixed-drivers", "--type=merge",
           R"(-p={"spec":{"template":{"spec":{"version":"v1.36.1"}}}})"});
  eventually({"get", "machinedeployment/mixed-drivers", "-o=jsonpath={.status.replicas}"}, "3");
  EXPECT_TRUE(comes_to_rest_with("2", "2")) << all();
  EXPECT_THAT(of_the_machines(".spec.version"), Each("v1.36.1"));

  kubectl({"scale", "machinedeployment/mixed-drivers", "--replicas=3"});
  walk("mixed").pool_scales("mixed-pool", 1);
  EXPECT_TRUE(comes_to_rest_with("3", "1")) << all();
  EXPECT_TRUE(waited([] { return nodes_of_the_pool().size() == 1; }));

  // Upstream's kinds go on beside them.
  kubectl({"patch", "kubeadmcontrolplane/mixed-control-plane", "--type=merge",
           R"(-p={"spec":{"machineTemplate":{"spec":{"deletion":{"nodeDrainTimeoutSeconds":5}}}}})"});
  walk("mixed").scales("mixed-md-0", 2);
  goes("mixed");
  EXPECT_THAT(kubectl({"get", "drivermachines,drivermachinepools,cloudconfigs", "-o=name"}), IsEmpty());
  EXPECT_TRUE(waited([] { return vms().empty(); }));
}

}  // namespace
}  // namespace capstan::envtest
