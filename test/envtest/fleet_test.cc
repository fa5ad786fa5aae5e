// A fleet on real servers, driven by real kubectl: manifests become Nodes, scale, roll and go; and what
// the real server keeps of it (owners, managers of fields, conditions) is what upstream documents.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <map>
#include <regex>

#include "test/envtest/fleet_suite_fixture.h"

namespace capstan::envtest {
namespace {

namespace json = boost::json;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kEveryKind =
    "clusters,machinedeployments,machinesets,machines,driverclusters,drivermachines,drivermachinetemplates,"
    "cloudconfigs,cloudconfigtemplates,secrets";

constexpr int kMostLooks = 100'000;  // at a log, in which something is about to stand

// What a write says, without the version that it was bound to.
std::string without_version(const std::string& body) {
  static const std::regex version(R"("resourceVersion":"[0-9]+")");
  return std::regex_replace(body, version, "");
}

// One bed for all tests; each has a cluster of its own, applied and Available when it starts.
class Fleet : public FleetSuite {
 protected:
  static void SetUpTestSuite() { make_bed({.audit = FleetBedOptions::Audit::Bodies}); }
  void SetUp() override {
    cluster_ = fmt::format("c{}", ++clusters_);
    apply_sample(cluster_);
    if (HasFatalFailure()) return;
    ASSERT_THAT(until("condition=Available", "machinedeployment/" + workers()), EndsWith("condition met\n"));
  }
  std::string workers() const { return cluster_ + "-workers"; }
  std::string deployment() const { return "machinedeployment/" + workers(); }
  std::string all_of_it() const { return "cluster.x-k8s.io/cluster-name=" + cluster_; }

  Lines machines(const std::string& field = ".metadata.name") const {
    return field_of_machines("pool=" + workers(), field);
  }
  Lines nodes(const std::string& field = ".metadata.name") const { return field_of_nodes(workers(), field); }
  // Everything kubectl knows of this cluster, as JSON documents.
  json::array objects(std::string_view kinds) const {
    const json::value all =
        json::parse(kubectl({"get", std::string(kinds), "--show-managed-fields", "-o=json"}));
    json::array mine;
    for (const json::value& object : all.at("items").as_array()) {
      const std::string_view name(object.at("metadata").at("name").as_string());
      if (name == cluster_ || name.starts_with(cluster_ + "-")) mine.push_back(object);
    }
    return mine;
  }

  static inline int clusters_ = 0;
  std::string cluster_;
};

std::string kind_and_name(const json::value& object) {
  return fmt::format("{}/{}", std::string_view(object.at("kind").as_string()),
                     std::string_view(object.at("metadata").at("name").as_string()));
}

// "Machine/a <- MachineSet/b controller"
Lines chain(const json::array& objects) {
  Lines links;
  for (const auto& object : objects) {
    const auto* owners = object.at("metadata").as_object().if_contains("ownerReferences");
    if (owners == nullptr) continue;
    for (const auto& owner : owners->as_array()) {
      const bool controller = owner.as_object().contains("controller");
      const bool blocks = owner.as_object().contains("blockOwnerDeletion");
      links.push_back(fmt::format("{} <- {}/{}{}{}", kind_and_name(object),
                                  std::string_view(owner.at("kind").as_string()),
                                  std::string_view(owner.at("name").as_string()),
                                  controller ? " controller" : "", blocks ? " blocks" : ""));
    }
  }
  return links;
}

// "manager Update status"
Lines managers(const json::value& object) {
  Lines all;
  for (const auto& entry : object.at("metadata").at("managedFields").as_array()) {
    const auto* part = entry.as_object().if_contains("subresource");
    all.push_back(fmt::format("{} {}{}", std::string_view(entry.at("manager").as_string()),
                              std::string_view(entry.at("operation").as_string()),
                              part == nullptr ? "" : " " + std::string(part->as_string())));
  }
  return all;
}

// "Available=True Available"
Lines conditions(const json::value& object) {
  Lines all;
  for (const auto& one : object.at("status").at("conditions").as_array())
    all.push_back(fmt::format("{}={} {}", std::string_view(one.at("type").as_string()),
                              std::string_view(one.at("status").as_string()),
                              std::string_view(one.at("reason").as_string())));
  return all;
}

TEST_F(Fleet, AManifestBecomesMachinesThatRunAndNodesThatAreReady) {
  EXPECT_THAT(machines(".status.phase"), ElementsAre("Running", "Running", "Running"));
  EXPECT_EQ(machines(".status.nodeRef.name"), nodes());
  EXPECT_EQ(machines(".spec.providerID"), nodes(".spec.providerID"));
  EXPECT_THAT(nodes(".metadata.annotations.cluster\\.x-k8s\\.io/cluster-name"), Each(cluster_));
  EXPECT_EQ(nodes(".metadata.annotations.cluster\\.x-k8s\\.io/machine"), machines());
}

TEST_F(Fleet, KubectlScalesItUpAndDown) {
  const auto up = kubectl({"scale", deployment(), "--replicas=5"});
  const auto grown = until("jsonpath={.status.availableReplicas}=5", deployment());
  const auto most = nodes();
  const auto down = kubectl({"scale", deployment(), "--replicas=1"});
  const auto shrunk = until("jsonpath={.status.replicas}=1", deployment());

  EXPECT_THAT(up, EndsWith("scaled\n"));
  EXPECT_THAT(grown, EndsWith("condition met\n"));
  EXPECT_THAT(most, SizeIs(5));
  EXPECT_THAT(down, EndsWith("scaled\n"));
  EXPECT_THAT(shrunk, EndsWith("condition met\n"));
  EXPECT_THAT(nodes(), SizeIs(1));
  EXPECT_EQ(nodes(), machines(".status.nodeRef.name"));
}

TEST_F(Fleet, ANewVersionReachesEveryMachineAndNode) {
  const Lines before = machines();

  kubectl(
      {"patch", deployment(), "--type=merge", R"(-p={"spec":{"template":{"spec":{"version":"v1.36.0"}}}})"});
  const auto replaced = until("delete", "machineset/" + before.front().substr(0, before.front().rfind('-')));
  const auto fresh = until("jsonpath={.status.upToDateReplicas}=3", deployment());
  const auto settled = until("condition=RollingOut=false", deployment());

  EXPECT_THAT(replaced, Not(StartsWith("failed")));
  EXPECT_THAT(fresh, EndsWith("condition met\n"));
  EXPECT_THAT(settled, EndsWith("condition met\n"));
  EXPECT_THAT(machines(".spec.version"), ElementsAre("v1.36.0", "v1.36.0", "v1.36.0"));
  EXPECT_THAT(nodes(".status.nodeInfo.kubeletVersion"), ElementsAre("v1.36.0", "v1.36.0", "v1.36.0"));
  for (const auto& old : before) EXPECT_THAT(machines(), Not(Contains(old)));
  EXPECT_THAT(lines_of(kubectl({"get", "machinesets", "-l", all_of_it(), "-o=name"})), SizeIs(1));
}

TEST_F(Fleet, ALabelOfTheTemplateComesToMachinesAndClonesAndGoesAgainWithoutARollout) {
  const Lines before = machines();
  const auto relabel = [&](const std::string& labels) {
    return kubectl({"patch", deployment(), "--type=merge",
                    fmt::format(R"(-p={{"spec":{{"template":{{"metadata":{{"labels":{}}}}}}}}})", labels)});
  };
  const auto await_everywhere = [&](const std::string& label, const std::string& value) {
    for (const auto& name : before)
      for (const auto* kind : {"machine/", "drivermachine/", "cloudconfig/"})
        ASSERT_THAT(until("jsonpath={.metadata.labels." + label + "}=" + value, kind + name),
                    EndsWith("condition met\n"));
  };

  relabel(fmt::format(R"({{"team":"{}"}})", cluster_));
  await_everywhere("team", cluster_);
  relabel(R"({"team":null,"crew":"second"})");
  await_everywhere("crew", "second");

  EXPECT_EQ(kubectl({"get", "machines,drivermachines,cloudconfigs", "-l", "team=" + cluster_, "-o=name"}),
            "");
  EXPECT_EQ(machines(), before);
}

TEST_F(Fleet, ADeletedDeploymentTakesItsMachinesAndTheirNodesWithIt) {
  const auto deleted = kubectl({"delete", deployment(), "--timeout=50s"});

  EXPECT_THAT(deleted, HasSubstr("deleted"));
  EXPECT_THAT(machines(), IsEmpty());
  EXPECT_THAT(nodes(), IsEmpty());
  EXPECT_EQ(kubectl({"get", "cluster", cluster_, "-o=jsonpath={.status.phase}"}), "Provisioned");
}

TEST_F(Fleet, ADeletedClusterLeavesNothingBehind) {
  const auto deleted = kubectl({"delete", "cluster", cluster_, "--timeout=50s"});
  for (const auto& left : objects(kEveryKind)) {
    kubectl({"wait", "--for=delete", "--timeout=30s", kind_and_name(left)});
  }

  EXPECT_THAT(deleted, HasSubstr("deleted"));
  EXPECT_EQ(json::serialize(objects(kEveryKind)), "[]");
}

TEST_F(Fleet, AClusterDeletedInTheForegroundGoesAsWell) {
  const auto deleted = kubectl({"delete", "cluster", cluster_, "--cascade=foreground", "--timeout=50s"});

  EXPECT_THAT(deleted, HasSubstr("deleted"));
  EXPECT_EQ(json::serialize(objects("clusters,machinedeployments,machinesets,machines,driverclusters")),
            "[]");
}

TEST_F(Fleet, OwnersFormAChainUpToTheCluster) {
  const std::string machine = machines().front();
  const std::string set = machine.substr(0, machine.rfind('-'));

  const Lines links = chain(objects(kEveryKind));

  const auto link = [](const std::string& format_, auto... args) {
    return fmt::format(fmt::runtime(format_), args...);
  };
  EXPECT_THAT(links,
              IsSupersetOf({
                  link("MachineDeployment/{} <- Cluster/{}", workers(), cluster_),
                  link("MachineSet/{} <- MachineDeployment/{} controller blocks", set, workers()),
                  link("Machine/{} <- MachineSet/{} controller blocks", machine, set),
                  link("DriverMachine/{0} <- Machine/{0} controller blocks", machine),
                  link("CloudConfig/{0} <- Machine/{0} controller blocks", machine),
                  link("Secret/{0} <- CloudConfig/{0} controller blocks", machine),
                  link("Machine/{0}-control-plane-0 <- Cluster/{0}", cluster_),
                  link("DriverMachine/{0}-control-plane-0 <- Machine/{0}-control-plane-0 controller blocks",
                       cluster_),
                  link("DriverCluster/{0} <- Cluster/{0}", cluster_),
                  link("DriverMachineTemplate/{} <- Cluster/{}", workers(), cluster_),
                  link("CloudConfigTemplate/{} <- Cluster/{}", workers(), cluster_),
                  link("Secret/{0}-kubeconfig <- Cluster/{0}", cluster_),
              }));
  // one owner each, from birth
  EXPECT_THAT(links, Each(Not(HasSubstr("DriverMachine/" + machine + " <- MachineSet"))));
}

TEST_F(Fleet, FieldsAreManagedUnderUpstreamsNames) {
  for (const auto& object : objects("machinedeployments"))
    EXPECT_THAT(managers(object), UnorderedElementsAre("kubectl-client-side-apply Update", "manager Update",
                                                       "manager Update status"));
  for (const auto& object : objects("machinesets"))
    EXPECT_THAT(managers(object), UnorderedElementsAre("capi-machinedeployment Apply", "manager Update",
                                                       "manager Update status"));
  for (const auto& machine : machines()) {
    const auto of = [&](const std::string& kind) {
      return managers(json::parse(kubectl({"get", kind, machine, "--show-managed-fields", "-o=json"})));
    };
    EXPECT_THAT(of("machine"),
                UnorderedElementsAre("capi-machineset Apply", "manager Update", "manager Update status"));
    EXPECT_THAT(of("drivermachine"),
                UnorderedElementsAre("capi-machineset Apply", "capstan-infrastructure Update",
                                     "capstan-infrastructure Update status"));
    EXPECT_THAT(of("cloudconfig"),
                UnorderedElementsAre("capi-machineset Apply", "capstan-bootstrap Update status"));
  }
}

TEST_F(Fleet, ConditionsOfASettledFleetAreThoseOfUpstream) {
  const auto of = [&](const std::string& object) {
    return conditions(json::parse(kubectl({"get", object, "-o=json"})));
  };
  const auto machine = machines().front();

  EXPECT_THAT(of(deployment()),
              UnorderedElementsAre("Available=True Available", "RollingOut=False NotRollingOut",
                                   "ScalingUp=False NotScalingUp", "ScalingDown=False NotScalingDown",
                                   "MachinesReady=True Ready", "MachinesUpToDate=True UpToDate",
                                   "Remediating=False NotRemediating", "Paused=False NotPaused",
                                   "Deleting=False NotDeleting"));
  EXPECT_THAT(of("machineset/" + machine.substr(0, machine.rfind('-'))),
              UnorderedElementsAre("ScalingUp=False NotScalingUp", "ScalingDown=False NotScalingDown",
                                   "MachinesReady=True Ready", "MachinesUpToDate=True UpToDate",
                                   "Remediating=False NotRemediating", "Paused=False NotPaused",
                                   "Deleting=False NotDeleting"));
  EXPECT_THAT(of("machine/" + machine),
              UnorderedElementsAre("Available=True Available", "Ready=True Ready", "UpToDate=True UpToDate",
                                   "BootstrapConfigReady=True Ready", "InfrastructureReady=True Ready",
                                   "NodeHealthy=True NodeHealthy", "NodeReady=True NodeReady",
                                   "Updating=False NotUpdating", "Paused=False NotPaused",
                                   "Deleting=False NotDeleting"));
  EXPECT_THAT(of("cluster/" + cluster_),
              IsSupersetOf({"InfrastructureReady=True Ready", "ControlPlaneInitialized=True Initialized",
                            "RemoteConnectionProbe=True ProbeSucceeded", "Paused=False NotPaused",
                            "Deleting=False NotDeleting"}));
}

TEST_F(Fleet, APausedClusterStandsStillUntilItIsResumed) {
  const auto pause = [&](const char* paused) {
    kubectl({"patch", "cluster", cluster_, "--type=merge",
             fmt::format(R"(-p={{"spec":{{"paused":{}}}}})", paused)});
  };

  pause("true");
  const auto held = until("condition=Paused", deployment());
  AuditReader log(bed_->management().audit_log());
  ASSERT_TRUE(log.more());
  kubectl({"scale", deployment(), "--replicas=4"});
  // A pace of the manager is a tenth of a second: in three seconds it has looked often.
  const auto grown = bed_->management().run_kubectl(
      {"wait", "--for=jsonpath={.spec.replicas}=5", "--timeout=3s", deployment()});
  const auto entries = log.more();
  const auto still = machines();
  pause("false");
  const auto resumed = until("jsonpath={.status.availableReplicas}=4", deployment());

  EXPECT_THAT(held, EndsWith("condition met\n"));
  ASSERT_TRUE(grown);
  EXPECT_NE(grown->exit_code, 0) << "nothing ever scales it to 5";
  ASSERT_TRUE(entries);
  const auto writes_to_machines = std::ranges::count_if(*entries, [](const AuditEntry& entry) {
    return entry.agent == "capstan" && is_write(entry) && entry.resource.starts_with("machine") &&
           !entry.resource.ends_with("/status");
  });
  EXPECT_EQ(writes_to_machines, 0);
  EXPECT_THAT(still, SizeIs(3));
  EXPECT_THAT(resumed, EndsWith("condition met\n"));
}

TEST_F(Fleet, AManagerKilledWhileItCreatesMakesNoMachineTooMany) {
  AuditReader log(bed_->management().audit_log());
  ASSERT_TRUE(log.more());

  const auto new_machines = [&log] {
    const auto entries = log.more();
    return std::ranges::count_if(entries.value(), [](const AuditEntry& entry) {
      return entry.agent == "capstan" && entry.resource == "machines" && entry.code == 201;
    });
  };
  kubectl({"scale", deployment(), "--replicas=12"});
  std::ptrdiff_t before = 0;
  for (int looks = 0; before == 0 && looks < kMostLooks; ++looks) before = new_machines();
  ::kill(bed_->core().pid(), SIGKILL);
  ASSERT_TRUE(bed_->stop_core());
  before += new_machines();
  ASSERT_TRUE(bed_->start_core());
  const auto grown = until("jsonpath={.status.availableReplicas}=12", deployment());

  EXPECT_THAT(grown, EndsWith("condition met\n"));
  EXPECT_GT(before, 0);
  EXPECT_EQ(before + new_machines(), 9);
  EXPECT_THAT(machines(), SizeIs(12));
}

TEST_F(Fleet, NothingTheManagerSendsIsRefusedAndNothingIsRepeated) {
  AuditReader log(bed_->management().audit_log());
  ASSERT_TRUE(log.more());

  kubectl({"scale", deployment(), "--replicas=6"});
  const auto grown = until("jsonpath={.status.availableReplicas}=6", deployment());

  const auto entries = log.more();
  ASSERT_TRUE(entries);
  Lines refused;
  std::map<std::string, int> written;  // how often the same thing
  for (const AuditEntry& entry : *entries) {
    if (entry.agent != "capstan") continue;
    const auto what = fmt::format("{} {} {}", entry.verb, entry.resource, entry.object);
    if (is_refused(entry)) refused.push_back(fmt::format("{} {}", what, entry.code));
    const bool counts = is_write(entry) && !is_lease(entry) && !is_event(entry);
    if (counts) ++written[fmt::format("{} {}", what, without_version(entry.body))];
  }
  Lines repeated;
  for (const auto& [what, times] : written)
    if (times > 1) repeated.push_back(fmt::format("{} times {}", times, what));
  EXPECT_THAT(grown, EndsWith("condition met\n"));
  EXPECT_THAT(refused, IsEmpty());
  EXPECT_THAT(repeated, IsEmpty());
}

}  // namespace
}  // namespace capstan::envtest
