// docs/beside-upstream.md: upstream's core keeps a Cluster of a ClusterClass and its topology, Capstan the
// Machines. The fleet comes up, rolls by its topology, loses a MachineDeployment and goes, after upstream's
// core was started anew.
#include <algorithm>
#include <set>

#include "test/envtest/audit.h"
#include "test/interop/neighbours_fixture.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::string_view kGates = "--feature-gates=ClusterTopology=true";
constexpr auto kPromised = seconds(5);  // until the topology goes on

// Of pools that the test provides itself: upstream's in-memory provider has none.
constexpr std::string_view kHandKinds = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: handpools.infrastructure.cluster.x-k8s.io
  labels: {cluster.x-k8s.io/v1beta2: v1beta2}
spec:
  group: infrastructure.cluster.x-k8s.io
  names: {kind: HandPool, listKind: HandPoolList, plural: handpools, singular: handpool}
  scope: Namespaced
  versions:
  - name: v1beta2
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: handpooltemplates.infrastructure.cluster.x-k8s.io
  labels: {cluster.x-k8s.io/v1beta2: v1beta2}
spec:
  group: infrastructure.cluster.x-k8s.io
  names: {kind: HandPoolTemplate, listKind: HandPoolTemplateList, plural: handpooltemplates, singular: handpooltemplate}
  scope: Namespaced
  versions:
  - name: v1beta2
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";
constexpr std::string_view kHandTemplate = R"(
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: HandPoolTemplate
metadata: {name: hands, namespace: default}
spec: {template: {spec: {size: small}}}
)";
constexpr std::string_view kPoolClass = R"(-p=[{"op":"add","path":"/spec/workers/machinePools","value":[{
  "class":"hands","metadata":{"labels":{"cluster.x-k8s.io/watch-filter":"capstan"}},
  "bootstrap":{"templateRef":{"apiVersion":"bootstrap.cluster.x-k8s.io/v1beta2","kind":"KubeadmConfigTemplate",
                              "name":"in-memory"}},
  "infrastructure":{"templateRef":{"apiVersion":"infrastructure.cluster.x-k8s.io/v1beta2",
                                   "kind":"HandPoolTemplate","name":"hands"}}}]}])";
constexpr std::string_view kPool = R"(-p=[{"op":"add","path":"/spec/topology/workers/machinePools",
  "value":[{"class":"hands","name":"p","replicas":2}]}])";

constexpr Explained kExplained[] = {
    kNodeIsGone,
    kWebhooksAreAway,
    {.pattern = "^patch clusters .* 500$|topology/cluster: turn failed .*failed calling webhook",
     .why = "the webhooks of Clusters are upstream's, whose core is started anew",
     .sometimes = "only where the Cluster is to be woken just then"},
    {.pattern = "^get leases .*/capstan-beside-system/leases/controller-leader-election-capi(-capstan)? 404$",
     .why = "there is no Capstan without a filter beside it, and the first manager makes its own Lease"},
    {.pattern = "^get (machinehealthchecks|kubeadmconfigtemplates|devmachinetemplates) .* 404$",
     .why = "what a topology has made for a MachineDeployment is looked for before it is deleted"},
    {.pattern = "^get (handpools|kubeadmconfigs) .* 404$",
     .why = "a pool goes when these are gone, by a live read"},
    {.pattern = "^cluster-api: .*ClusterClass is not successfully reconciled",
     .why = "upstream's topology waits for what is said of the class as it is now, and calls that an error",
     .sometimes = "a race"},
    {.pattern = "^cluster-api: .*server side apply dry-run failed .*uid mismatch",
     .why = "upstream's topology reads a template that went meanwhile",
     .sometimes = "a race"},
    {.pattern = "^cluster-api: .*failed to patch (Machine|MachineSet) .*( not found|by a different process)",
     .why = "upstream's core has turns over what is in a Cluster that it keeps; Capstan wrote it, or it went",
     .sometimes = "a race"},
    {.pattern = "^cluster-api: .*(Unable to retrieve Node status.* not found|no matching Node for Machine)",
     .why = "the Node of a Machine of Capstan's is not there yet, or has gone, where upstream's core looks",
     .sometimes = "a race"}};

class BesideUpstream : public Neighbours {
 protected:
  static void SetUpTestSuite() {
    if (!can_run()) return;
    start_servers();
    if (!HasFatalFailure()) install();
    if (!HasFatalFailure()) start_core();
    if (!HasFatalFailure()) start_providers({std::string(kGates)});
    if (!HasFatalFailure())
      manager_ = start_installed({.deployment = "capstan-beside-controller-manager",
                                  .namespace_ = "capstan-beside-system",
                                  .account = "capstan-beside-manager",
                                  .program = "capstan",
                                  .health_port = kHealthPort});
    audit_ = std::make_unique<AuditReader>(servers_->audit_log());
    explain(kExplained);
  }
  static void start_core() {
    start_upstream_core({std::string(kGates), "--watch-filter=upstream",
                         "--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields"});
  }

  static Lines lines_about(const std::string& kinds, const std::string& labels, const std::string& fields) {
    return FleetWalk::lines_of(
        kubectl({"get", kinds, "-l=" + labels, "-o=jsonpath={range .items[*]}" + fields + "{\"\\n\"}{end}"}));
  }
  static std::string field(const std::string& object, const std::string& path) {
    return kubectl({"get", object, "-o=jsonpath={" + path + "}"});
  }
  static std::string deployment(const std::string& topology_name) {
    const auto found =
        lines_about("machinedeployments", "topology.cluster.x-k8s.io/deployment-name=" + topology_name,
                    "{.metadata.name}");
    return found.size() == 1 ? found.front() : std::string();
  }
  static bool is_all_of(const std::string& topology_name, const std::string& version) {
    const auto versions = lines_about(
        "machines", "topology.cluster.x-k8s.io/deployment-name=" + topology_name, "{.spec.version}");
    return versions.size() == 2 &&
           std::ranges::all_of(versions, [&](const std::string& each) { return each == version; });
  }
  static bool has_version(const std::string& topology_name, const std::string& version) {
    return field("machinedeployment/" + deployment(topology_name), ".spec.template.spec.version") == version;
  }
  // Upstream's topology rolls one MachineDeployment after the other.
  static void expect_the_next_one_soon(const FleetWalk& fleet, const std::string& version) {
    std::string first = "a";
    std::string second = "b";
    ASSERT_TRUE(
        fleet.eventually([&] { return has_version(first, version) || has_version(second, version); }));
    if (!has_version(first, version)) std::swap(first, second);
    ASSERT_FALSE(has_version(second, version)) << "both at once";
    ASSERT_TRUE(fleet.eventually([&] { return is_all_of(first, version); }));
    const SystemClock clock;
    const SteadyTime done = clock.steady_now();
    ASSERT_TRUE(fleet.eventually([&] { return has_version(second, version); }));
    EXPECT_LE(clock.steady_now() - done, kPromised);
    EXPECT_TRUE(fleet.eventually([&] { return is_all_of(second, version); }));
  }
  // "VERB RESOURCE NAMESPACE/NAME": what upstream's core did since the last look to Machines and MachineSets.
  static Lines writes_of_upstream_to_ours() {
    Lines writes;
    const auto entries = audit_->more();
    EXPECT_TRUE(entries) << entries.error().describe();
    for (const AuditEntry& entry : entries.value_or(std::vector<AuditEntry>()))
      if (entry.agent == "core" && is_write(entry) && entry.code < 300 && is_ours(entry.resource))
        writes.push_back(entry.verb + " " + entry.resource + " " + entry.object);
    return writes;
  }
  static bool is_ours(const std::string& resource) { return resource.starts_with("machines"); }

  static inline std::unique_ptr<AuditReader> audit_;

 private:
  static void install() {
    const auto packaged = package_into(in_folder("repository"), {"--beside"});
    ASSERT_TRUE(packaged) << packaged.error().describe();
    const fs::path core = in_folder("repository") / "cluster-api" / version();
    fs::create_directories(core.parent_path());
    fs::copy(fs::path(std::getenv("CAPSTAN_CLUSTERCTL")).parent_path() / "upstream", core);
    offer("cluster-api", "Core", core / "core-components.yaml");
    offer_providers();
    init({"--core=cluster-api:" + version(), "--addon=capstan:" + std::string(kVersion)});
  }
};

TEST_F(BesideUpstream, TheAddOnBringsNoneOfUpstreamsObjects) {
  const auto brought = [](const std::string& kinds) {
    const std::string each = R"({.kind} {.metadata.namespace}/{.metadata.name}{"\n"})";
    return kubectl({"get", kinds, "-A", "-l=cluster.x-k8s.io/provider=addon-capstan",
                    "-o=jsonpath={range .items[*]}" + each + "{end}"});
  };

  EXPECT_EQ(brought("crds,mutatingwebhookconfigurations,validatingwebhookconfigurations,namespaces,"
                    "clusterroles,clusterrolebindings"),
            "CustomResourceDefinition /fleetpolicies.policy.capstan.dev\n"
            "CustomResourceDefinition /machinelifecyclepolicies.policy.capstan.dev\n"
            "Namespace /capstan-beside-system\n"
            "ClusterRole /capstan-beside-manager-role\n"
            "ClusterRoleBinding /capstan-beside-manager-rolebinding\n");
  EXPECT_EQ(brought("serviceaccounts,services,deployments,roles,rolebindings,issuers,certificates"),
            "ServiceAccount capstan-beside-system/capstan-beside-manager\n"
            "Deployment capstan-beside-system/capstan-beside-controller-manager\n"
            "Role capstan-beside-system/capstan-beside-leader-election-role\n"
            "RoleBinding capstan-beside-system/capstan-beside-leader-election-rolebinding\n");
}

TEST_F(BesideUpstream, AFleetOfAClusterClassComesUpRollsAndGoes) {
  const FleetWalk fleet = walk("beside");

  fleet.comes_up(generated({.name = "beside", .api_version = "topology", .control_planes = 1, .workers = 2}),
                 5);
  EXPECT_THAT(lines_about("machines,machinesets,machinedeployments", "cluster.x-k8s.io/cluster-name=beside",
                          R"({.metadata.labels.cluster\.x-k8s\.io/watch-filter})"),
              Each("capstan"));
  EXPECT_TRUE(fleet.eventually([] {
    return lines_about("machinehealthchecks", "topology.cluster.x-k8s.io/owned",
                       "{.status.currentHealthy}") == Lines{"2", "2"};
  })) << "health checks of a topology have no label";
  fleet.prints({"get", "cluster/beside", "-o=jsonpath={.status.workers.availableReplicas}"}, "4");

  // It rolls.
  kubectl({"patch", "cluster/beside", "--type=merge", R"(-p={"spec":{"topology":{"version":"v1.36.1"}}})"});
  expect_the_next_one_soon(fleet, "v1.36.1");
  if (HasFatalFailure()) return;
  fleet.is_up(5);
  fleet.prints(FleetWalk::condition_of("cluster/beside", "TopologyReconciled"), "True");
  fleet.prints({"get", "cluster/beside", "-o=jsonpath={.status.workers.upToDateReplicas}"}, "4");
  EXPECT_THAT(lines_about("devmachinetemplates,kubeadmconfigtemplates", "topology.cluster.x-k8s.io/owned",
                          "{.metadata.name}"),
              SizeIs(5))
      << "one of the control plane, two of each MachineDeployment";

  // A MachineDeployment goes, with all that is its own.
  const std::string leaving = deployment("b");
  kubectl({"patch", "cluster/beside", "--type=json",
           R"(-p=[{"op":"remove","path":"/spec/topology/workers/machineDeployments/1"}])"});
  fleet.prints({"get", "machinedeployments", "--ignore-not-found", "-o=name",
                "--field-selector=metadata.name=" + leaving},
               "");
  EXPECT_TRUE(fleet.eventually([] {
    return lines_about("devmachinetemplates,kubeadmconfigtemplates,machinesets,machines",
                       "topology.cluster.x-k8s.io/deployment-name=b", "{.metadata.name}")
        .empty();
  }));
  EXPECT_EQ(kubectl({"get", "machinehealthchecks", "--ignore-not-found", "-o=name",
                     "--field-selector=metadata.name=" + leaving}),
            "");

  EXPECT_THAT(writes_of_upstream_to_ours(), Each(StartsWith("patch "))) << "it makes and deletes none";

  // Upstream's core starts anew, and with it come turns over objects that are not its own.
  stop_upstream_core();
  start_core();
  if (HasFatalFailure()) return;
  fleet.is_up(3);
  fleet.goes();
  EXPECT_TRUE(fleet.eventually([] {
    return lines_about("devmachinetemplates,kubeadmconfigtemplates,machinehealthchecks",
                       "topology.cluster.x-k8s.io/owned", "{.metadata.name}")
        .empty();
  }));
  EXPECT_THAT(kubectl({"get", "devmachines,kubeadmconfigs,kubeadmcontrolplanes,devclusters", "-o=name"}),
              IsEmpty());
  EXPECT_THAT(writes_of_upstream_to_ours(), Each(StartsWith("patch "))) << "nor after its start";
}

TEST_F(BesideUpstream, APoolOfAClusterClassIsProvidedSizedAndGoes) {
  const FleetWalk fleet = walk("pooled");
  kubectl({"apply", "-f=-"}, std::string(kHandKinds));
  kubectl({"wait", "--for=condition=Established", "crd/handpools.infrastructure.cluster.x-k8s.io",
           "crd/handpooltemplates.infrastructure.cluster.x-k8s.io", "--timeout=60s"});
  kubectl({"apply", "-f=-"}, std::string(kHandTemplate));
  fleet.comes_up(generated({.name = "pooled", .api_version = "topology", .control_planes = 1, .workers = 1}),
                 3);

  kubectl({"patch", "clusterclass/in-memory", "--type=json", std::string(kPoolClass)});
  kubectl({"patch", "cluster/pooled", "--type=json", std::string(kPool)});
  const std::string of_pool = "topology.cluster.x-k8s.io/pool-name=p";
  ASSERT_TRUE(fleet.eventually([&] {
    return lines_about("machinepools", of_pool,
                       R"({.metadata.labels.cluster\.x-k8s\.io/watch-filter} {.spec.replicas})") ==
           Lines{"capstan 2"};
  }));
  const std::string pool = "machinepool/" + lines_about("machinepools", of_pool, "{.metadata.name}").front();
  ASSERT_TRUE(fleet.eventually([&] {
    return kubectl({"get", "handpools", "-l=" + of_pool,
                    "-o=jsonpath={.items[*].metadata.ownerReferences[?(@.controller==true)].kind}"}) ==
           "MachinePool";
  })) << "the object of the infrastructure is made the pool's own: "
      << kubectl({"get", "handpools,machinepools", "-o=yaml"});

  // It is provided: what the provider says stands on the pool.
  const std::string hands = "handpool/" + lines_about("handpools", of_pool, "{.metadata.name}").front();
  kubectl({"patch", hands, "--type=merge", R"(-p={"spec":{"providerIDList":["hand://1","hand://2"]}})"});
  kubectl({"patch", hands, "--subresource=status", "--type=merge",
           R"(-p={"status":{"ready":true,"replicas":2,"initialization":{"provisioned":true}}})"});
  fleet.prints({"get", pool, "-o=jsonpath={.spec.providerIDList}"}, R"(["hand://1","hand://2"])");
  fleet.prints(FleetWalk::condition_of(pool, "InfrastructureReady"), "True");
  fleet.prints(FleetWalk::condition_of(pool, "BootstrapConfigReady"), "True");

  // Its topology sizes it.
  kubectl({"patch", "cluster/pooled", "--type=json",
           R"(-p=[{"op":"replace","path":"/spec/topology/workers/machinePools/0/replicas","value":3}])"});
  fleet.prints({"get", pool, "-o=jsonpath={.spec.replicas}"}, "3");
  fleet.prints(FleetWalk::condition_of(pool, "ScalingUp"), "True");

  // Its topology lets it go, with what was made for it.
  kubectl({"patch", "cluster/pooled", "--type=json",
           R"(-p=[{"op":"remove","path":"/spec/topology/workers/machinePools"}])"});
  EXPECT_TRUE(fleet.eventually([&] {
    return lines_about("machinepools,handpools,kubeadmconfigs", of_pool, "{.metadata.name}").empty();
  }));

  fleet.goes();
  kubectl({"delete", "handpooltemplate/hands", "crd/handpools.infrastructure.cluster.x-k8s.io",
           "crd/handpooltemplates.infrastructure.cluster.x-k8s.io"});
}

}  // namespace
}  // namespace capstan::envtest
