// A fleet made by upstream's core is taken over in the middle of life, lives on under `capstan`, and is given
// back, in the middle of life again: which Machines there are, and what is written, which is what
// docs/takeover.md lists. CAPSTAN_UPSTREAM names upstream's core.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "base/threads.h"
#include "test/envtest/fleet_suite_fixture.h"
#include "test/envtest/scratch_folder.h"
#include "test/interop/explained.h"
#include "test/interop/takeover_page.h"
#include "test/interop/write_ledger.h"

namespace capstan::envtest {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::Not;
using ::testing::SizeIs;

// Four VMs of class `scarce`; a Node takes a while to register, so that a pool can be met while it grows;
// kubelets say nothing by themselves.
constexpr std::string_view kCloud = R"(
quota: {classes: {scarce: 4}}
boot: {register: 20s}
heartbeat: {lease: 10m, status: 0s}
)";
constexpr std::string_view kScarceTemplate = R"(
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DriverMachineTemplate
metadata: {{name: {}-scarce, namespace: default}}
spec: {{template: {{spec: {{class: scarce}}}}}}
)";
constexpr std::string_view kCheck = R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: {name: sick, namespace: default}
spec:
  clusterName: sick
  selector: {matchLabels: {pool: sick-workers}}
  checks: {unhealthyNodeConditions: [{type: Ready, status: "False", timeoutSeconds: 1}]}
)";
// No controller computes the budget: it allows what its status says.
constexpr std::string_view kHeldPod = R"(
apiVersion: v1
kind: Pod
metadata: {{name: held, labels: {{app: held}}}}
spec:
  nodeName: {}
  terminationGracePeriodSeconds: 0
  containers: [{{name: c, image: i}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: held}}
spec:
  minAvailable: 1
  selector: {{matchLabels: {{app: held}}}}
)";
// A budget protects Pods that run.
constexpr std::string_view kRunning =
    R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})";
constexpr std::string_view kAllowsNone =
    R"({"status":{"observedGeneration":1,"expectedPods":1,"currentHealthy":1,"desiredHealthy":1,"disruptionsAllowed":0}})";
constexpr std::string_view kHook = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/watched";
constexpr std::string_view kOurs = "capstan";
constexpr std::string_view kUpstreams = "manager";  // its program in a release
constexpr auto kQuiet = minutes(1);
constexpr auto kStops = seconds(40);  // upstream gives its controllers 30 s

using Rows = std::map<std::string, std::set<std::string>>;  // what was written, and on which objects

template <typename Condition>
bool eventually(Condition&& condition, Nanoseconds within = minutes(3)) {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, within);
  while (!condition()) {
    if (deadline.passed(clock.steady_now())) return false;
    threads.pause(Deadline::in(clock, std::chrono::milliseconds(500)));
  }
  return true;
}

constexpr Explained kExplained[] = {
    kWatchCacheIsBuilt,
    {.pattern = "FailedDrainNode of Machine/draining-.*error getting client: connection to the workload",
     .why = "upstream's core goes on with a drain before it has reached the workload cluster",
     .sometimes = "only where its first turn comes before that"},
    kUpstreamLosesARace,
    kUpstreamReadsNoRevision,
    {.pattern = "^core: .*failed to sync Machines: machines.* not found",
     .why = "the Machine went while upstream's core had a turn over its MachineSet",
     .sometimes = "a race"},
    {.pattern = "^core: .*Reconciler error.*connection to the workload",
     .why = "upstream's core goes on before it has reached the workload cluster",
     .sometimes = "only where its first turn comes before that"},
    {.pattern = "ResourceExhausted of DriverMachine/rolling-.* no more than 4 VMs of class scarce",
     .why = "so a rollout stands still half way"}};

class TakeOver : public FleetSuite {
 protected:
  static void SetUpTestSuite() {
    const char* upstream = std::getenv("CAPSTAN_UPSTREAM");
    ASSERT_NE(upstream, nullptr) << "CAPSTAN_UPSTREAM is not set: start with scripts/envtest --interop";
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    programs_ = std::make_unique<ScratchFolder>(std::move(*folder));
    // Field managers of updates are named after the program.
    const auto core = programs_->path() / kUpstreams;
    std::filesystem::create_symlink(std::filesystem::absolute(upstream) / "core", core);
    upstream_ = upstream;
    make_bed({.other_core = core,
              .other_crds = upstream_ + "/crds",
              .cloud = std::string(kCloud),
              .audit = FleetBedOptions::Audit::Answers});
    logs_.emplace_back(bed_->management().audit_log());
    logs_.emplace_back(bed_->workload().audit_log());
  }

  static void TearDownTestSuite() {
    if (bed_)
      expect_explained(troubles_of(bed_->management(), {bed_->core().log(), bed_->provider_log()}),
                       kExplained);
    FleetSuite::TearDownTestSuite();
  }

  // --- looking ---

  static std::string field(const std::string& object, const std::string& path) {
    return kubectl({"get", object, "-o=jsonpath={" + path + "}"});
  }
  static std::string condition(const std::string& object, const std::string& type,
                               const std::string& part = "status") {
    return field(object, fmt::format(R"(.status.conditions[?(@.type=="{}")].{})", type, part));
  }
  static Lines workers(const std::string& cluster, const std::string& what = ".metadata.name") {
    return field_of_machines("pool=" + cluster + "-workers", what);
  }
  static std::ptrdiff_t workers_with(const std::string& cluster, const std::string& what,
                                     const std::string& value) {
    return std::ranges::count(workers(cluster, what), value);
  }
  static std::set<std::string> lines_about(const std::string& resource, const std::string& fields) {
    const auto lines =
        lines_of(kubectl({"get", resource, "-o=jsonpath={range .items[*]}" + fields + "{\"\\n\"}{end}"}));
    return {lines.begin(), lines.end()};
  }
  // Upstream calls instances ready that have no Node yet.
  static std::ptrdiff_t nodes_of_the_pool() {
    const auto refs = kubectl(
        {"get", "machinepool/growing-pool", "-o=jsonpath={range .status.nodeRefs[*]}{.name}{\"\\n\"}{end}"});
    return std::ssize(lines_of(refs));
  }
  // Every Machine with all that is its own, and every MachineSet with its size; Nodes but for those that the
  // growing pool is about to have.
  static std::map<std::string, std::set<std::string>> standing() {
    const std::string uid = "{.metadata.name} {.metadata.uid}";
    const std::string going = " {.metadata.deletionTimestamp}";
    const Lines nodes = field_of_nodes("", ".metadata.name} {.metadata.uid");
    std::set<std::string> lasting(nodes.begin(), nodes.end());
    std::erase_if(lasting, [](const std::string& node) { return node.starts_with("growing-pool-"); });
    return {{"machinesets", lines_about("machinesets", uid + " {.spec.replicas}" + going)},
            {"machines", lines_about("machines", uid + " {.spec.providerID} {.spec.version}" + going)},
            {"drivermachines", lines_about("drivermachines", uid + " {.spec.providerID}" + going)},
            {"cloudconfigs", lines_about("cloudconfigs", uid + going)},
            {"nodes", lasting}};
  }
  // Who wrote what there is of this kind, as the API server keeps account.
  static std::string field_managers(const std::string& resource) {
    return kubectl({"get", resource, "-o=jsonpath={.items[*].metadata.managedFields[*].manager}",
                    "--show-managed-fields"});
  }

  // --- who is the core ---

  // What was written since the last look by this program.
  static Rows new_writes(std::string_view agent) {
    Rows rows;
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      const auto entries = logs_[i].more();
      EXPECT_TRUE(entries) << entries.error().describe();
      for (const AuditEntry& entry : entries.value_or(std::vector<AuditEntry>())) {
        if (!is_done_write(entry)) continue;
        for (const std::string& row : ledgers_[i].rows_of(entry))
          if (entry.agent == agent) rows[row].insert(entry.object);
      }
    }
    return rows;
  }
  // Quiet is when nothing changes: upstream patches a Machine that waits every 15 s as it is.
  static bool changes_something(const Rows::value_type& row) { return !row.first.ends_with(" nothing"); }
  static Rows writes_until_quiet(std::string_view agent, Nanoseconds quiet = kQuiet) {
    const SystemClock clock;
    SystemThreads threads;
    Rows writes;
    const Deadline patience = Deadline::in(clock, minutes(10));
    for (SteadyTime last = clock.steady_now(); clock.steady_now() - last < quiet;) {
      if (patience.passed(clock.steady_now())) {
        ADD_FAILURE() << agent << " writes on after ten minutes";
        break;
      }
      Rows more = new_writes(agent);
      if (std::ranges::any_of(more, changes_something)) last = clock.steady_now();
      for (auto& [row, objects] : more) writes[row].merge(objects);
      threads.pause(Deadline::in(clock, seconds(1)));
    }
    return writes;
  }
  // Stops the core that runs; what it had written until then is nothing of the next one.
  static void stop(std::string_view agent) {
    const auto stopped = bed_->stop_core(kStops);
    EXPECT_TRUE(stopped) << stopped.error().describe();
    new_writes(agent);
  }
  static Rows writes_of_the_other_core(std::string_view agent) {
    const auto started = bed_->start_resting_core();
    EXPECT_TRUE(started) << started.error().describe();
    Rows writes = writes_until_quiet(agent);
    fmt::print("{} wrote:\n", agent);
    for (const auto& [row, objects] : writes) fmt::print("  {:<60} {}\n", row, fmt::join(objects, " "));
    std::fflush(stdout);
    return writes;
  }
  static void expect_nothing_made_or_deleted(const Rows& writes) {
    for (const auto& [row, objects] : writes) EXPECT_TRUE(row.starts_with("patch ")) << row;
  }
  static void expect_as_listed(const Rows& writes, const std::string& heading) {
    const ListedWrites listed = listed_below(heading);
    std::set<std::string> unlisted;
    std::set<std::string> missing = listed.always;
    for (const auto& [row, objects] : writes) {
      missing.erase(row);
      if (!listed.always.contains(row) && !listed.sometimes.contains(row)) unlisted.insert(row);
    }
    EXPECT_THAT(unlisted, IsEmpty()) << "written, but not below '" << heading << "' of " << kTakeoverPage;
    EXPECT_THAT(missing, IsEmpty()) << "below '" << heading << "' of " << kTakeoverPage
                                    << ", but not written";
  }

  // --- the middle of life ---

  static void make_clusters() {
    apply_sample("rolling", {"--machines=4"});
    apply_sample("paused", {"--machines=2"});
    apply_sample("draining", {"--machines=2"});
    apply_sample("sick", {"--machines=3"});
    apply_sample("growing", {"--machines=0", "--pool=2"});
    for (const std::string cluster : {"rolling", "paused", "draining", "sick", "growing"}) {
      EXPECT_TRUE(eventually([&] { return is_initialized(cluster); })) << cluster;
      EXPECT_TRUE(eventually([&] {
        return condition("machinedeployment/" + cluster + "-workers", "Available") == "True";
      })) << cluster;
    }
    EXPECT_TRUE(eventually(has_a_pool_of_two));
  }
  // Upstream watches the Nodes of a cluster from its initialization on. Those that came before are found by a
  // turn of their Machine or pool, and an edit brings a turn.
  static void bring_a_turn(const std::string& object) {
    kubectl({"annotate", "--overwrite", object, "test=" + std::to_string(++edits_)});
  }
  static bool is_initialized(const std::string& cluster) {
    bring_a_turn("machine/" + cluster + "-control-plane-0");
    return condition("cluster/" + cluster, "ControlPlaneInitialized") == "True";
  }
  static bool has_a_pool_of_two() {
    bring_a_turn("machinepool/growing-pool");
    return nodes_of_the_pool() == 2;
  }
  static void change(const std::string& object, const std::string& patch) {
    kubectl({"patch", object, "--type=merge", "-p=" + patch});
  }
  static void use_scarce_machines(const std::string& cluster) {
    kubectl({"apply", "-f=-"}, fmt::format(fmt::runtime(kScarceTemplate), cluster));
    change(
        "machinedeployment/" + cluster + "-workers",
        fmt::format(R"({{"spec":{{"template":{{"spec":{{"infrastructureRef":{{"name":"{}-scarce"}}}}}}}}}})",
                    cluster));
  }
  // Two Machines of four are new; the third can't be had as long as another cluster has two.
  static void roll_by_half() {
    use_scarce_machines("growing");
    kubectl({"scale", "machinedeployment/growing-workers", "--replicas=2"});
    EXPECT_TRUE(eventually(
        [] { return field("machinedeployment/growing-workers", ".status.availableReplicas") == "2"; }));
    use_scarce_machines("rolling");
  }
  static bool is_rolled_by_half() {
    return workers("rolling").size() == 5 && workers_with("rolling", ".status.phase", "Running") == 4 &&
           field("machinedeployment/rolling-workers", ".status.upToDateReplicas") == "3";
  }
  static void pause_with_a_change_pending() {
    change("machinedeployment/paused-workers", R"({"spec":{"paused":true}})");
    change("machinedeployment/paused-workers", R"({"spec":{"template":{"spec":{"version":"v1.36.0"}}}})");
  }
  static void begin_a_drain_that_is_held() {
    const Lines machines = workers("draining", ".metadata.name} {.status.nodeRef.name");
    ASSERT_THAT(machines, SizeIs(2));
    const auto space = machines.front().find(' ');
    const std::string machine = "machine/" + machines.front().substr(0, space);
    workload({"apply", "-f=-"}, fmt::format(fmt::runtime(kHeldPod), machines.front().substr(space + 1)));
    workload({"patch", "pod/held", "--subresource=status", "-p=" + std::string(kRunning)});
    workload({"patch", "pdb/held", "--subresource=status", "--type=merge", "-p=" + std::string(kAllowsNone)});
    kubectl({"delete", machine, "--wait=false"});
    EXPECT_TRUE(
        eventually([&] { return condition(machine, "Deleting", "reason").starts_with("DrainingNode"); }));
    EXPECT_TRUE(eventually([&] {
      return condition(machine, "Deleting", "message").find("disruption budget") != std::string::npos;
    })) << condition(machine, "Deleting", "message");
    others_of_the_draining_one_ = staying("draining");
    EXPECT_THAT(others_of_the_draining_one_, SizeIs(1));
  }
  static void begin_a_remediation_that_is_held() {
    const Lines machines = workers("sick", ".metadata.name} {.status.nodeRef.name");
    ASSERT_THAT(machines, SizeIs(3));
    const auto space = machines.front().find(' ');
    const std::string machine = "machine/" + machines.front().substr(0, space);
    kubectl({"annotate", machine, std::string(kHook) + "=test"});
    kubectl({"apply", "-f=-"}, std::string(kCheck));
    EXPECT_TRUE(eventually([] { return field("machinehealthcheck/sick", ".status.currentHealthy") == "3"; }));
    workload({"patch", "node/" + machines.front().substr(space + 1), "--subresource=status",
              "--type=strategic",
              R"(-p={"status":{"conditions":[{"type":"Ready","status":"False","reason":"Test"}]}})"});
    EXPECT_TRUE(eventually([&] {
      return condition(machine, "Deleting", "reason") == "WaitingForPreTerminateHook";
    })) << condition(machine, "Deleting", "reason");
    others_of_the_sick_one_ = staying("sick");
    EXPECT_THAT(others_of_the_sick_one_, SizeIs(2));
  }
  // What upstream's webhook gives each new Machine; this API server asks no webhook.
  static void give_machines_their_defaults() {
    for (const std::string& machine : lines_of(kubectl({"get", "machines", "-o=name"})))
      change(machine, R"({"spec":{"deletion":{"nodeDeletionTimeoutSeconds":10}}})");
  }
  // The VMs are there, and the pool's status, as upstream writes it, counts them; their Nodes are not there.
  static void begin_to_grow() {
    kubectl({"scale", "machinepool/growing-pool", "--replicas=12"});
    EXPECT_TRUE(
        eventually([] { return field("drivermachinepool/growing-pool", ".status.replicas") == "12"; }));
    writes_until_quiet(kUpstreams, seconds(3));
  }

  // --- what held each of them up goes away ---

  static void let_the_roll_go_on() {
    const Lines new_ones = up_to_date("rolling");
    kubectl({"scale", "machinedeployment/growing-workers", "--replicas=0"});
    EXPECT_TRUE(eventually([] { return workers("growing").empty(); }));
    kubectl({"annotate", "drivermachines", "--all", "test=look-again"});
    EXPECT_TRUE(eventually([] { return is_settled("rolling", 4) && up_to_date("rolling").size() == 4; }));
    EXPECT_THAT(new_ones, SizeIs(3));
    EXPECT_THAT(new_ones, IsSubsetOf(up_to_date("rolling")));
  }
  static void let_the_sick_one_go() {
    kubectl({"annotate", "machines", "-l=pool=sick-workers", std::string(kHook) + "-"});
    EXPECT_TRUE(eventually([] { return is_settled("sick", 3); }));
    EXPECT_THAT(others_of_the_sick_one_, IsSubsetOf(staying("sick")));
  }
  static void let_the_drain_end() {
    workload({"delete", "pdb/held"});
    EXPECT_TRUE(eventually([] { return is_settled("draining", 2); }));
    EXPECT_THAT(others_of_the_draining_one_, IsSubsetOf(staying("draining")));
  }
  // By UID: Machines that are not being deleted.
  static Lines staying(const std::string& cluster) {
    Lines all = workers(cluster, ".metadata.uid} {.metadata.deletionTimestamp");
    std::erase_if(all, [](const std::string& line) { return !line.ends_with(' '); });
    return all;
  }
  static void end_the_pause() {
    change("machinedeployment/paused-workers", R"({"spec":{"paused":false}})");
    EXPECT_TRUE(eventually([] { return workers_with("paused", ".spec.version", "v1.36.0") == 2; }));
    EXPECT_TRUE(eventually([] { return is_settled("paused", 2); }));
  }
  static bool is_settled(const std::string& cluster, int machines) {
    return workers(cluster, ".status.phase") == Lines(static_cast<std::size_t>(machines), "Running") &&
           condition("machinedeployment/" + cluster + "-workers", "Available") == "True" &&
           field("machinedeployment/" + cluster + "-workers", ".status.replicas") == std::to_string(machines);
  }
  static Lines up_to_date(const std::string& cluster) {
    Lines all = workers(cluster, R"(.metadata.uid} {.status.conditions[?(@.type=="UpToDate")].status)");
    std::erase_if(all, [](const std::string& line) { return !line.ends_with(" True"); });
    return all;
  }

  static inline std::string upstream_;
  static inline std::unique_ptr<ScratchFolder> programs_;
  static inline std::vector<AuditReader> logs_;  // of the management and of the workload server
  static inline WriteLedger ledgers_[2];
  static inline Lines others_of_the_draining_one_;
  static inline Lines others_of_the_sick_one_;
  static inline int edits_ = 0;
};

TEST_F(TakeOver, MakesDeletesAndRollsNothingAndSoDoesTheWayBack) {
  make_clusters();
  roll_by_half();
  pause_with_a_change_pending();
  begin_a_drain_that_is_held();
  begin_a_remediation_that_is_held();
  ASSERT_TRUE(eventually(is_rolled_by_half));
  if (HasFailure()) return;
  give_machines_their_defaults();
  writes_until_quiet(kUpstreams, seconds(15));
  begin_to_grow();

  // Over.
  stop(kUpstreams);
  EXPECT_THAT(field_managers("machines,machinesets"), AllOf(HasSubstr("manager"), Not(HasSubstr("capstan"))));
  EXPECT_EQ(nodes_of_the_pool(), 2) << "too late to see it grow";
  kubectl({"apply", "--server-side", "--force-conflicts", "-f=config/crd/bases"});
  const auto given = standing();
  const Rows over = writes_of_the_other_core(kOurs);
  EXPECT_EQ(standing(), given);
  EXPECT_EQ(nodes_of_the_pool(), 12);
  expect_nothing_made_or_deleted(over);
  expect_as_listed(over, "What Capstan writes");

  // The fleet lives on.
  let_the_roll_go_on();
  let_the_sick_one_go();
  writes_until_quiet(kOurs, seconds(15));

  // And back: one is paused and one is draining still.
  stop(kOurs);
  kubectl({"apply", "--server-side", "--force-conflicts", "-f=" + upstream_ + "/crds"});
  const auto given_back = standing();
  Rows back = writes_of_the_other_core(kUpstreams);
  std::erase_if(back, std::not_fn(changes_something));  // upstream patches much as it is when it starts
  EXPECT_EQ(standing(), given_back);
  expect_nothing_made_or_deleted(back);
  expect_as_listed(back, "What upstream writes on the way back");

  end_the_pause();
  let_the_drain_end();
  EXPECT_EQ(nodes_of_the_pool(), 12);
}

}  // namespace
}  // namespace capstan::envtest
