// cluster-autoscaler's protocol on real servers: a client with its requests and its rights grows and shrinks
// MachineDeployments and pools, names the Machines to delete, starts from zero, and sees which Machines have
// no Node yet or are being deleted.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

#include "api/names.h"
#include "base/threads.h"
#include "base/time.h"
#include "test/envtest/fleet_suite_fixture.h"
#include "test/interop/autoscaler_client.h"
#include "test/interop/explained.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// No VM of class `scarce` can be had.
constexpr std::string_view kCloud = R"(
quota: {classes: {scarce: 0}}
boot: {register: 500ms}
)";
// Of the autoscaler on either server.
constexpr std::string_view kRights = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: cluster-autoscaler}
rules:
- apiGroups: [cluster.x-k8s.io]
  resources: [machinedeployments, machinesets, machinepools, machines]
  verbs: [get, list, watch]
- {apiGroups: [cluster.x-k8s.io], resources: [machines], verbs: [update]}
- apiGroups: [cluster.x-k8s.io]
  resources: [machinedeployments/scale, machinesets/scale, machinepools/scale]
  verbs: [get, patch]
- apiGroups: [infrastructure.cluster.x-k8s.io]
  resources: [drivermachinetemplates, drivermachinepools]
  verbs: [get, list, watch]
- {apiGroups: [""], resources: [nodes], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: cluster-autoscaler}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-autoscaler}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: cluster-autoscaler}]
)";
constexpr std::string_view kCpu = "capacity.cluster-autoscaler.kubernetes.io/cpu";
constexpr std::string_view kMemory = "capacity.cluster-autoscaler.kubernetes.io/memory";
constexpr std::string_view kHook = "pre-drain.delete.hook.machine.cluster.x-k8s.io/test";
// What a Node of the simulated cloud has.
constexpr std::string_view kCapacity = R"({"status":{"capacity":{"cpu":"4","memory":"16Gi"}}})";
constexpr int kNoSuccess = 400;

template <typename Condition>
bool eventually(Condition&& condition, Nanoseconds within = seconds(60)) {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, within);
  while (!condition()) {
    if (deadline.passed(clock.steady_now())) return false;
    threads.pause(Deadline::in(clock, std::chrono::milliseconds(200)));
  }
  return true;
}

std::string trouble_of(const Result<void>& result) { return result ? "" : result.error().describe(); }

Lines without(Lines all, const Lines& gone) {
  std::erase_if(all, [&](const std::string& one) { return std::ranges::find(gone, one) != gone.end(); });
  return all;
}

constexpr Explained kExplained[] = {
    kWatchCacheIsBuilt,
    {.pattern = "ResourceExhausted of DriverMachine/.* no more than 0 VMs of class scarce",
     .why = "one test asks for more than the cloud has",
     .sometimes = "the Machine may be taken back before its VM is asked for"}};

// One bed for all tests; each has a cluster and an autoscaler of its own, none of whose requests is refused.
class Autoscaler : public FleetSuite {
 protected:
  static void SetUpTestSuite() {
    make_bed({.cloud = std::string(kCloud), .audit = FleetBedOptions::Audit::Requests});
    if (HasFatalFailure()) return;
    kubectl({"apply", "-f=-"}, std::string(kRights));
    workload({"apply", "-f=-"}, std::string(kRights));
  }
  static void TearDownTestSuite() {
    if (bed_)
      expect_explained(troubles_of(bed_->management(), {bed_->core().log(), bed_->provider_log()}),
                       kExplained);
    FleetSuite::TearDownTestSuite();
  }
  void SetUp() override {
    ASSERT_NE(bed_, nullptr);
    cluster_ = fmt::format("a{}", ++clusters_);
    begun_ = MicroTime::from(SystemClock().now()).to_string();
    ASSERT_TRUE(log_.emplace(bed_->management().audit_log()).more());
    ASSERT_TRUE(workload_log_.emplace(bed_->workload().audit_log()).more());
    const auto management = bed_->management().kubeconfig_for(kAutoscalerAgent, {});
    const auto workload = bed_->workload().kubeconfig_for(kAutoscalerAgent, {});
    ASSERT_TRUE(management && workload);
    auto started = AutoscalerClient::start({*management, *workload}, {.cluster = cluster_});
    ASSERT_TRUE(started) << started.error().describe();
    client_ = std::move(*started);
  }
  void TearDown() override {
    for (const AuditEntry& entry : requests()) expect_granted(entry);
    FleetSuite::TearDown();
  }

  // A server that builds its watch cache asks to come again.
  static void expect_granted(const AuditEntry& entry) {
    constexpr int kComeAgain = 429;
    if (is_watch(entry) && entry.code == kComeAgain) return;
    EXPECT_LT(entry.code, kNoSuccess) << entry.verb << " " << entry.uri;
  }

  std::string workers() const { return cluster_ + "-workers"; }
  std::string deployment() const { return "machinedeployment/" + workers(); }
  std::string pool() const { return cluster_ + "-pool"; }
  std::string machine_pool() const { return cluster_ + "-machine-pool"; }

  static void annotate(const std::string& object, std::string_view key, std::string_view value) {
    kubectl({"annotate", "--overwrite", object, fmt::format("{}={}", key, value)});
  }
  static void patch(const std::string& object, const std::string& body, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"patch", object, "--type=merge", "-p=" + body};
    words.insert(words.end(), more.begin(), more.end());
    kubectl(std::move(words));
  }
  static std::string field(const std::string& object, const std::string& path) {
    return kubectl({"get", object, "-o=jsonpath={" + path + "}"});
  }
  // The cluster of the sample, and `object` with these limits.
  void apply_limited(const std::vector<std::string>& flags, const std::string& object, int least, int most) {
    apply_sample(cluster_, flags);
    limit(object, least, most);
  }
  // The same with a MachineSet in the place of the MachineDeployment.
  void apply_limited_set(int least, int most) {
    const auto sample = bed_->sample({"--machines=1"});
    ASSERT_TRUE(sample) << sample.error().describe();
    auto mine = std::regex_replace(*sample, std::regex("demo"), cluster_);
    mine = std::regex_replace(mine, std::regex("kind: MachineDeployment"), "kind: MachineSet");
    mine = std::regex_replace(mine, std::regex("  rollout:\n(    .*\n)+"), "");
    kubectl({"apply", "-f=-"}, mine);
    limit("machineset/" + workers(), least, most);
  }
  void limit(const std::string& object, int least, int most) {
    annotate(object, api::annotation::kAutoscalerMinSize, fmt::format("{}", least));
    annotate(object, api::annotation::kAutoscalerMaxSize, fmt::format("{}", most));
    ASSERT_THAT(until("condition=ControlPlaneInitialized", "cluster/" + cluster_), EndsWith("met\n"));
  }

  // With as many instances as it wants; empty with a failure when it is no such group in time.
  NodeGroup found_group(std::string_view kind, const std::string& name) {
    Result<NodeGroup> group = fail(Code::NotFound, "never asked");
    const bool found = eventually([&] { return bool(group = client_->group(kind, name)); });
    if (!found) ADD_FAILURE() << group.error().describe();
    if (!found) return {};
    const auto wanted = static_cast<std::size_t>(target_size(*group));
    EXPECT_TRUE(eventually([&] { return has_settled_at(*group, wanted); })) << name;
    return *group;
  }
  NodeGroup deployment_group() { return found_group("MachineDeployment", workers()); }

  std::vector<Instance> instances(const NodeGroup& group) {
    auto all = client_->instances(group);
    if (!all) ADD_FAILURE() << all.error().describe();
    return all ? *all : std::vector<Instance>();
  }
  // As many available as instances, all of them running, and each listed with the id of its Node. From then
  // on the manager writes none of their Machines, so that the autoscaler's own write can't come too late.
  bool has_settled_at(const NodeGroup& group, std::size_t size) {
    Lines ids;
    for (const Instance& instance : instances(group)) {
      if (instance.state != Instance::State::Running) return false;
      ids.push_back(instance.id);
    }
    Lines nodes = nodes_of(group, ".spec.providerID");
    std::ranges::sort(ids);
    std::ranges::sort(nodes);
    if (ids.size() != size || ids != nodes) return false;
    const auto available = field(group.resource.plural + "/" + group.key.name, ".status.availableReplicas");
    return available == fmt::format("{}", size) || (size == 0 && available.empty());
  }
  static Lines nodes_of(const NodeGroup& group, const std::string& what = ".metadata.name") {
    return field_of_nodes(group.key.name + "-", what);
  }
  Lines machines(const std::string& what = ".metadata.name") const {
    return field_of_machines("pool=" + workers(), what);
  }
  static Lines machines_of_pool(const NodeGroup& group, const std::string& what = ".metadata.name") {
    return field_of_machines("cluster.x-k8s.io/pool-name=" + group.key.name, what);
  }
  std::int64_t target_size(const NodeGroup& group) {
    const auto size = client_->target_size(group);
    if (!size) ADD_FAILURE() << size.error().describe();
    return size.value_or(-1);
  }
  Capacity template_of(const NodeGroup& group) {
    const auto capacity = client_->template_of(group);
    if (!capacity) ADD_FAILURE() << capacity.error().describe();
    return capacity ? capacity->value_or(Capacity()) : Capacity();
  }

  // Those of our client on both servers since the test began, or since they were last asked for. A watch is
  // noted when it ends.
  std::vector<AuditEntry> requests() {
    std::vector<AuditEntry> mine;
    for (auto* log : {&log_, &workload_log_}) {
      const auto entries = *log ? (*log)->more() : Result<std::vector<AuditEntry>>();
      EXPECT_TRUE(entries);
      for (const AuditEntry& entry : entries.value_or(std::vector<AuditEntry>()))
        if (entry.agent == kAutoscalerAgent && entry.at >= begun_) mine.push_back(entry);
    }
    return mine;
  }

  static inline int clusters_ = 0;
  std::string cluster_;
  std::string begun_;
  std::unique_ptr<AutoscalerClient> client_;
  std::optional<AuditReader> log_;
  std::optional<AuditReader> workload_log_;
};

TEST_F(Autoscaler, GrowsAMachineDeploymentAndTakesTheTwoMachinesItNames) {
  ASSERT_NO_FATAL_FAILURE(apply_limited({"--machines=1"}, deployment(), 1, 5));
  patch(deployment(), R"({"spec":{"deletion":{"order":"Newest"}}})");
  const auto group = deployment_group();
  const Lines eldest = nodes_of(group);

  const auto grown = client_->increase_size(group, 3);
  const bool there = eventually([&] { return has_settled_at(group, 4); });
  const Lines four = nodes_of(group);
  ASSERT_THAT(eldest, SizeIs(1));
  ASSERT_THAT(four, SizeIs(4));
  const Lines named = {eldest[0], without(four, eldest)[1]};
  const auto shrunk = client_->delete_nodes(group, named);
  const bool gone = eventually([&] { return has_settled_at(group, 2); });

  EXPECT_EQ(trouble_of(grown), "");
  EXPECT_TRUE(there);
  EXPECT_EQ(trouble_of(shrunk), "");
  EXPECT_TRUE(gone);
  EXPECT_EQ(nodes_of(group), without(four, named));
  EXPECT_EQ(machines(), without(four, named));
  EXPECT_EQ(target_size(group), 2);
  EXPECT_THAT(until("jsonpath={.status.replicas}=2", deployment()), EndsWith("condition met\n"));
}

TEST_F(Autoscaler, GrowsAMachineSetAndTakesTheMachineItNames) {
  ASSERT_NO_FATAL_FAILURE(apply_limited_set(1, 4));
  const auto group = found_group("MachineSet", workers());
  patch("machineset/" + workers(), R"({"spec":{"deletion":{"order":"Newest"}}})");
  const Lines eldest = nodes_of(group);

  const auto grown = client_->increase_size(group, 2);
  const bool there = eventually([&] { return has_settled_at(group, 3); });
  const Lines three = nodes_of(group);
  const auto shrunk = client_->delete_nodes(group, eldest);
  const bool gone = eventually([&] { return has_settled_at(group, 2); });

  EXPECT_EQ(trouble_of(grown), "");
  EXPECT_TRUE(there);
  EXPECT_THAT(eldest, SizeIs(1));
  EXPECT_EQ(trouble_of(shrunk), "");
  EXPECT_TRUE(gone);
  EXPECT_EQ(machines(), without(three, eldest));
}

TEST_F(Autoscaler, GrowsAPoolWithMachinesAndTakesTheOneItNames) {
  ASSERT_NO_FATAL_FAILURE(
      apply_limited({"--machines=0", "--pool-machines=1"}, "machinepool/" + machine_pool(), 1, 4));
  const auto group = found_group("MachinePool", machine_pool());
  const Lines eldest = nodes_of(group);

  const auto grown = client_->increase_size(group, 2);
  const bool there = eventually([&] { return has_settled_at(group, 3); });
  const Lines three = nodes_of(group);
  const auto shrunk = client_->delete_nodes(group, eldest);
  const bool gone = eventually([&] { return has_settled_at(group, 2); });

  EXPECT_EQ(trouble_of(grown), "");
  EXPECT_TRUE(there);
  EXPECT_THAT(eldest, SizeIs(1));
  EXPECT_EQ(trouble_of(shrunk), "");
  EXPECT_TRUE(gone);
  EXPECT_EQ(nodes_of(group), without(three, eldest));
  EXPECT_EQ(machines_of_pool(group), without(three, eldest));
  EXPECT_EQ(target_size(group), 2);
}

// The autoscaler knows no other way to shrink a pool than by its Machines; its size alone can still be set.
TEST_F(Autoscaler, SizesAPoolWithoutMachinesButCantNameItsNodes) {
  ASSERT_NO_FATAL_FAILURE(apply_limited({"--machines=0", "--pool=1"}, "machinepool/" + pool(), 1, 4));
  const auto group = found_group("MachinePool", pool());

  const auto grown = client_->increase_size(group, 2);
  const bool there = eventually([&] { return has_settled_at(group, 3); });
  const auto named = client_->delete_nodes(group, {pool() + "-0"});
  const auto unnamed = client_->decrease_target_size(group, 1);
  const auto size = target_size(group);
  const auto set = client_->set_size(group, 1);
  const bool gone = eventually([&] { return has_settled_at(group, 1); });

  EXPECT_EQ(trouble_of(grown), "");
  EXPECT_TRUE(there);
  EXPECT_THAT(trouble_of(named), HasSubstr("no Machine of Node"));
  EXPECT_THAT(trouble_of(unnamed), HasSubstr("has 3 Nodes"));
  EXPECT_EQ(size, 3);
  EXPECT_EQ(trouble_of(set), "");
  EXPECT_TRUE(gone);
}

TEST_F(Autoscaler, TakesAMachineDeploymentFromZeroAndBackByItsCapacityAnnotations) {
  ASSERT_NO_FATAL_FAILURE(apply_limited({"--machines=0"}, deployment(), 0, 3));

  const auto without_capacity = client_->group("MachineDeployment", workers());
  annotate(deployment(), kCpu, "4");
  annotate(deployment(), kMemory, "16Gi");
  const auto group = deployment_group();
  const auto capacity = template_of(group);
  const auto grown = client_->increase_size(group, 2);
  const bool there = eventually([&] { return has_settled_at(group, 2); });
  const auto nodes = nodes_of(group);
  const auto cpus = nodes_of(group, ".status.capacity.cpu");
  const auto shrunk = client_->delete_nodes(group, nodes);
  const bool gone = eventually([&] { return has_settled_at(group, 0); });

  ASSERT_FALSE(without_capacity);
  EXPECT_EQ(without_capacity.error().code, Code::NotFound);
  EXPECT_THAT(capacity, ElementsAre(Pair("cpu", "4"), Pair("memory", "16Gi"), Pair("pods", "110")));
  EXPECT_EQ(trouble_of(grown), "");
  EXPECT_TRUE(there);
  EXPECT_THAT(nodes, SizeIs(2));
  EXPECT_THAT(cpus, Each(capacity.at("cpu")));
  EXPECT_EQ(trouble_of(shrunk), "");
  EXPECT_TRUE(gone);
  EXPECT_THAT(machines(), IsEmpty());
  EXPECT_EQ(deployment_group().id(), group.id());
  EXPECT_EQ(target_size(group), 0);
}

TEST_F(Autoscaler, TakesAMachineDeploymentFromZeroByTheCapacityOfItsTemplate) {
  ASSERT_NO_FATAL_FAILURE(apply_limited({"--machines=0"}, deployment(), 0, 3));

  const auto without_capacity = client_->group("MachineDeployment", workers());
  patch("drivermachinetemplate/" + workers(), std::string(kCapacity), {"--subresource=status"});
  const auto group = deployment_group();
  const auto capacity = template_of(group);
  const auto grown = client_->increase_size(group, 1);
  const bool there = eventually([&] { return has_settled_at(group, 1); });
  const auto cpus = nodes_of(group, ".status.capacity.cpu");
  const auto memories = nodes_of(group, ".status.capacity.memory");
  annotate(deployment(), kCpu, "8");
  const bool annotated = eventually([&] { return template_of(group)["cpu"] == "8"; });

  ASSERT_FALSE(without_capacity);
  EXPECT_THAT(capacity, ElementsAre(Pair("cpu", "4"), Pair("memory", "16Gi"), Pair("pods", "110")));
  EXPECT_EQ(trouble_of(grown), "");
  EXPECT_TRUE(there);
  EXPECT_THAT(cpus, ElementsAre("4"));
  EXPECT_THAT(memories, ElementsAre("16Gi"));
  EXPECT_TRUE(annotated);
}

// A list of instances that is empty all at once is believed after half a minute, also of a pool that wants
// none. What the provider writes of its pool leaves the capacity alone.
TEST_F(Autoscaler, TakesAPoolToZeroAndFromThereByItsOwnCapacity) {
  ASSERT_NO_FATAL_FAILURE(
      apply_limited({"--machines=0", "--pool-machines=1"}, "machinepool/" + machine_pool(), 0, 2));
  const auto group = found_group("MachinePool", machine_pool());

  const auto shrunk = client_->delete_nodes(group, nodes_of(group));
  const bool none = eventually([&] { return has_settled_at(group, 0); }, seconds(120));
  const auto without_capacity = client_->group("MachinePool", machine_pool());
  patch("drivermachinepool/" + machine_pool(), std::string(kCapacity), {"--subresource=status"});
  const auto with_capacity = found_group("MachinePool", machine_pool());
  const auto grown = client_->increase_size(with_capacity, 2);
  const bool there = eventually([&] { return has_settled_at(with_capacity, 2); });

  EXPECT_EQ(trouble_of(shrunk), "");
  EXPECT_TRUE(none);
  ASSERT_FALSE(without_capacity);
  EXPECT_EQ(trouble_of(grown), "");
  EXPECT_TRUE(there);
  EXPECT_EQ(template_of(with_capacity)["memory"], "16Gi");
}

TEST_F(Autoscaler, StaysWithinTheLimitsOfTheGroup) {
  ASSERT_NO_FATAL_FAILURE(apply_limited({"--machines=2"}, deployment(), 2, 3));
  const auto group = deployment_group();

  const auto too_few = client_->delete_nodes(group, {nodes_of(group).at(0)});
  const auto too_many = client_->increase_size(group, 2);
  const auto most = client_->increase_size(group, 1);
  const auto one_more = client_->increase_size(group, 1);
  const bool there = eventually([&] { return has_settled_at(group, 3); });
  const auto two_less = client_->delete_nodes(group, without(nodes_of(group), {nodes_of(group).at(0)}));
  const auto sent = requests();

  for (const auto& refused : {too_few, too_many, one_more, two_less}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::Invalid);
  }
  EXPECT_EQ(trouble_of(most), "");
  EXPECT_TRUE(there);
  EXPECT_EQ(std::ranges::count_if(sent, is_write), 1);
  EXPECT_EQ(target_size(group), 3);
  EXPECT_THAT(machines(".metadata.annotations"), Each(Not(HasSubstr("delete-machine"))));
}

TEST_F(Autoscaler, SeesAMachineThatCantBeHadAndTakesBackThatOneAlone) {
  ASSERT_NO_FATAL_FAILURE(apply_limited({"--machines=1"}, deployment(), 1, 3));
  const auto group = deployment_group();
  const auto first = machines();
  patch("drivermachinetemplate/" + workers(), R"({"spec":{"template":{"spec":{"class":"scarce"}}}})");

  const auto grown = client_->increase_size(group, 1);
  const bool two = eventually([&] { return instances(group).size() == 2; });
  const Lines new_one = without(machines(), first);
  ASSERT_THAT(new_one, SizeIs(1));
  until("jsonpath={.status.phase}=Provisioning", "machine/" + new_one[0]);
  const auto while_pending = instances(group);
  const auto shrunk = client_->decrease_target_size(group, 1);
  const bool one = eventually([&] { return has_settled_at(group, 1); });

  EXPECT_EQ(trouble_of(grown), "");
  EXPECT_TRUE(two);
  EXPECT_THAT(
      while_pending,
      UnorderedElementsAre(Instance{machines(".spec.providerID").at(0), Instance::State::Running},
                           Instance{"pending-machine-default_" + new_one[0], Instance::State::Pending}));
  EXPECT_EQ(trouble_of(shrunk), "");
  EXPECT_TRUE(one);
  EXPECT_EQ(machines(), first);
}

TEST_F(Autoscaler, SeesAMachineThatIsBeingDeleted) {
  ASSERT_NO_FATAL_FAILURE(apply_limited({"--machines=2"}, deployment(), 1, 3));
  const auto group = deployment_group();
  const Lines both = nodes_of(group);
  ASSERT_THAT(both, SizeIs(2));
  annotate("machine/" + both[0], kHook, "");

  const auto shrunk = client_->delete_nodes(group, {both[0]});
  const Instance leaving{"deleting-machine-default_" + both[0], Instance::State::Deleting};
  const bool with_capacity = eventually([&] {
    const auto all = instances(group);
    return std::ranges::find(all, leaving) != all.end() && all.size() == 2;
  });
  const auto phase = until("jsonpath={.status.phase}=Deleting", "machine/" + both[0]);
  const auto again = client_->delete_nodes(group, {both[0]});
  kubectl({"annotate", "machine/" + both[0], fmt::format("{}-", kHook)});
  const bool gone = eventually([&] { return has_settled_at(group, 1); });

  EXPECT_EQ(trouble_of(shrunk), "");
  EXPECT_TRUE(with_capacity);
  EXPECT_THAT(phase, EndsWith("condition met\n"));
  EXPECT_THAT(trouble_of(again), HasSubstr("needs 1 of 1"));
  EXPECT_TRUE(gone);
  EXPECT_THAT(nodes_of(group), ElementsAre(both[1]));
}

TEST_F(Autoscaler, SendsTheseRequestsAndNoneIsRefused) {
  ASSERT_NO_FATAL_FAILURE(apply_limited({"--machines=2"}, deployment(), 1, 3));

  const auto group = deployment_group();
  const auto grown = client_->increase_size(group, 1);
  const bool there = eventually([&] { return has_settled_at(group, 3); });
  const auto capacity = template_of(group);
  const auto shrunk = client_->delete_nodes(group, {nodes_of(group).at(0)});
  const bool gone = eventually([&] { return has_settled_at(group, 2); });
  client_.reset();  // and with it the watches

  EXPECT_EQ(trouble_of(grown), "");
  EXPECT_TRUE(there);
  EXPECT_THAT(capacity, IsEmpty());
  EXPECT_EQ(trouble_of(shrunk), "");
  EXPECT_TRUE(gone);
  std::set<std::string> sorts;
  EXPECT_TRUE(eventually([&] {
    for (const AuditEntry& entry : requests()) {
      sorts.insert(fmt::format("{} {}", entry.verb, entry.resource));
      expect_granted(entry);
    }
    return std::ranges::count_if(sorts, [](const auto& sort) { return sort.starts_with("watch "); }) == 6;
  }));
  EXPECT_THAT(sorts, UnorderedElementsAre(
                         "get /apis", "get /apis/cluster.x-k8s.io/v1beta2", "list machinedeployments",
                         "watch machinedeployments", "list machinesets", "watch machinesets",
                         "list machinepools", "watch machinepools", "list machines", "watch machines",
                         "list nodes", "watch nodes", "list drivermachinetemplates",
                         "watch drivermachinetemplates", "get machinedeployments/scale",
                         "patch machinedeployments/scale", "get machines", "update machines"));
}

}  // namespace
}  // namespace capstan::envtest
