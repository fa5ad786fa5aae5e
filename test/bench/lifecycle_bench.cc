// Figures of MachineLifecyclePolicies: what a change of a fleet costs the manager more where one governs with
// everything on and 5 % of the Nodes are sick, what it costs with all brakes on while one MachineDeployment
// is frozen and one workload cluster is out of reach, and what a replacement writes more than a
// MachineHealthCheck's. Real management server, its audit log, and the kernel's account of CPU.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <stdexcept>

#include "api/schema/yaml.h"
#include "kube/resources.h"
#include "test/bench/bench_fleet.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using envtest::FleetBedOptions;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kClusters = 20;
constexpr int kPoolsEach = 10;
constexpr int kFewestEach = 4;
constexpr int kMachines = 10000;
constexpr int kSickPercent = 5;
constexpr int kReplaced = 10;
constexpr std::string_view kSickness = "KernelDeadlock";
constexpr std::string_view kWithHeartbeats = R"(
latency: {create: 0s, remove: 0s, status: 0s, list: 0s}
boot: {register: 0s, ready: 0s}
heartbeat: {lease: 0s, status: 5m}
)";

// A sick Node stays what it is for as long as a phase takes: nothing is replaced.
constexpr std::string_view kEverythingOn = R"(
apiVersion: policy.capstan.dev/v1alpha1
kind: MachineLifecyclePolicy
metadata: {name: all, namespace: default}
spec:
  selector: {matchExpressions: [{key: pool, operator: Exists}]}
  health: {nodeChecks: {timeoutSeconds: 86400}, sharedCause: {windowSeconds: 600}}
  drain:
    onTimeout: {action: Continue}
    notReadyForce: {}
    evictionRetries: {}
    volumesInTurn: {}
    attachmentCleanup: {}
  creation: {}
  replacement: {maxInFlight: 1}
  scaleIn: {}
  rollout: {progressDeadlineSeconds: 600, scaleDownDisabled: true, inPlace: {}}
  preservation: {autoMax: 1, drain: {}}
  nodeTemplate:
    labels: {bench: "1"}
    annotations: {bench: "1"}
    virtualCapacity: {example.com/bench: "1"}
)";
constexpr std::string_view kBrakesOn = R"(
  overshoot: {}
  windows: [{cron: "* * * * *", durationSeconds: 3600}]
  deletionGuard: {percent: 50}
)";
constexpr std::string_view kFleetLimits = R"(
apiVersion: policy.capstan.dev/v1alpha1
kind: FleetPolicy
metadata: {name: fleet}
spec:
  limits: [{scope: Fleet, max: 100000, windowSeconds: 3600}, {scope: Cluster, max: 90%, windowSeconds: 3600}]
)";
constexpr std::string_view kCheck = R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: {name: check, namespace: default}
spec:
  clusterName: demo-1
  selector: {matchLabels: {pool: pool-1}}
  checks: {unhealthyNodeConditions: [{type: KernelDeadlock, status: "True", timeoutSeconds: 1}]}
)";
constexpr std::string_view kReplacing = R"(
apiVersion: policy.capstan.dev/v1alpha1
kind: MachineLifecyclePolicy
metadata: {name: replacing, namespace: default}
spec:
  selector: {matchLabels: {pool: pool-2}}
  health: {nodeChecks: {timeoutSeconds: 1}}
  replacement: {maxInFlight: 100}
)";

std::string cluster_of_pool(int pool) { return fmt::format("demo-{}", pool / kPoolsEach + 1); }
std::string pool_called(int pool) { return fmt::format("pool-{}", pool + 1); }

class PolicyGround {
 public:
  explicit PolicyGround(const Place& place)
      : each_(std::max((place.machines > 0 ? place.machines : kMachines) / (kClusters * kPoolsEach),
                       kFewestEach)),
        fleet_(place, {.core_flags = kDiagnosticsForAll,
                       .cloud = std::string(kWithHeartbeats),
                       .audit = FleetBedOptions::Audit::Requests,
                       .real_workload = false}) {
    fleet_.make_clusters(kClusters);
    for (int cluster = 0; cluster < kClusters; ++cluster) {
      const int first = cluster * kPoolsEach;
      for (int i = 0; i < kPoolsEach; ++i)
        fleet_.make_deployment(cluster_of_pool(first), pool_called(first + i), each_);
      for (int i = 0; i < kPoolsEach; ++i) fleet_.await_settled(pool_called(first + i), each_, minutes(10));
    }
    say(fmt::format("{} Machines in {} MachineDeployments stand after {:.0f} s",
                    each_ * kClusters * kPoolsEach, kClusters * kPoolsEach, fleet_.elapsed()));
  }

  // The last cluster is left out: one of its MachineDeployments is frozen, then it is out of reach.
  static constexpr int kChanging = (kClusters - 1) * kPoolsEach;

  // Each MachineDeployment gets one Machine more, then one less.
  double cpu_per_change(std::string_view phase) {
    make_sick(kSickPercent * each_ * kPoolsEach / 100);
    fleet_.await_quiet();
    fleet_.spent();
    const double before = fleet_.manager_cpu_ms();
    const auto turns_before = fleet_.turns();
    for (const int replicas : {each_ + 1, each_}) {
      for (int pool = 0; pool < kChanging; ++pool) fleet_.scale(pool_called(pool), replicas);
      for (int pool = 0; pool < kChanging; ++pool)
        fleet_.await_settled(pool_called(pool), replicas, minutes(10));
    }
    fleet_.await_quiet();
    const double each = (fleet_.manager_cpu_ms() - before) / (2 * kChanging);
    say(fmt::format("--- {}: {:.2f} ms CPU for each Machine that comes or goes, and of the management server",
                    phase, each));
    say(envtest::breakdown(fleet_.spent().manager, 2 * kChanging));
    say("turns for each: " + turns_since(turns_before));
    return each;
  }

  double requests_at_rest() {
    fleet_.await_quiet();
    fleet_.await_silence();
    fleet_.threads().pause(Deadline::in(fleet_.clock(), seconds(60)));
    const Spent idle = fleet_.spent();
    say("--- at rest: what the manager asked the management server for in 60 s");
    say(envtest::breakdown(idle.manager, 1));
    return static_cast<double>(
        std::ranges::count_if(idle.manager, [](const auto& entry) { return !envtest::is_lease(entry); }));
  }

  // Writes of the manager, Events apart, for each Machine whose Node falls sick and that is replaced.
  double writes_per_replacement(int pool) {
    fleet_.await_quiet();
    fleet_.await_silence();
    const auto victims = nodes_of(pool, kReplaced);
    for (const std::string& node : victims) make_sick(cluster_of_pool(pool), node);
    await_gone(pool, victims);
    fleet_.await_settled(pool_called(pool), each_, minutes(5));
    fleet_.await_quiet();
    const Spent spent = fleet_.spent();
    say(fmt::format("--- {} replaced by {}: for each", victims.size(),
                    pool == 0 ? "a MachineHealthCheck" : "a policy"));
    const auto each = static_cast<double>(victims.size());
    say(envtest::breakdown(spent.manager, each));
    return spent.writes() / each;
  }

  void apply(std::string_view yaml) {
    for (const json::value& object : must(api::parse_yaml_documents(yaml))) {
      const auto [resource, key] = place_of(object);
      must(fleet_.client().create(resource, key, object, {}, fleet_.soon()));
    }
  }
  void remove(std::string_view yaml) {
    for (const json::value& object : must(api::parse_yaml_documents(yaml))) {
      const auto [resource, key] = place_of(object);
      must(fleet_.client().remove(resource, key, {}, fleet_.soon()));
    }
  }
  void freeze_one(bool frozen) {
    const json::value freeze = frozen ? json::value("true") : json::value();
    must(fleet_.client().patch(core("MachineDeployment"), in_default(pool_called(kChanging)),
                               {{"metadata", {{"annotations", {{"capstan.dev/freeze", freeze}}}}}}, {},
                               fleet_.soon()));
  }
  void lose_last_cluster() {
    const std::string away = fmt::format("faults: [{{api: {}}}]\n", cluster_of_pool(kChanging));
    fleet_.bed().change_cloud(std::string(kWithHeartbeats) + away);
    await_that_it_is_said(false);
  }
  void regain_last_cluster() {
    fleet_.bed().change_cloud(std::string(kWithHeartbeats));
    await_that_it_is_said(true);
  }

 private:
  // So that what the manager does of an outage's beginning is not counted as the cost of a change. It says
  // that a server is out of reach five minutes after the last answer.
  void await_that_it_is_said(bool reached) {
    const Deadline limit = Deadline::in(fleet_.clock(), minutes(8));
    while (says_that_it_is_reached(cluster_of_pool(kChanging)) != reached) {
      if (limit.passed(fleet_.clock().steady_now()))
        throw std::runtime_error(
            fmt::format("a Cluster does not say that it is {} reach", reached ? "within" : "out of"));
      fleet_.threads().pause(Deadline::in(fleet_.clock(), seconds(1)));
    }
  }
  bool says_that_it_is_reached(const std::string& cluster) {
    const json::value seen = must(fleet_.client().get(core("Cluster"), in_default(cluster), fleet_.soon()));
    return std::ranges::any_of(seen.at_pointer("/status/conditions").as_array(), [](const json::value& each) {
      return each.at("type") == "RemoteConnectionProbe" && each.at("status") == "True";
    });
  }

  // "machine 4.01, machineset 3.20"
  std::string turns_since(const std::map<std::string, double>& before) const {
    std::string text;
    for (const auto& [controller, count] : fleet_.turns()) {
      const auto found = before.find(controller);
      const double each = (count - (found == before.end() ? 0 : found->second)) / (2 * kChanging);
      if (each >= 0.01) text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", controller, each);
    }
    return text;
  }

  static kube::Resource core(std::string_view kind) {
    return kube::resource_for("cluster.x-k8s.io/v1beta2", kind);
  }
  static kube::ObjectKey in_default(const std::string& name) {
    return {.namespace_ = "default", .name = name};
  }
  static std::pair<kube::Resource, kube::ObjectKey> place_of(const json::value& object) {
    const json::object& metadata = object.at("metadata").as_object();
    const bool namespaced = metadata.contains("namespace");
    return {
        kube::resource_for(object.at("apiVersion").as_string(), object.at("kind").as_string(), namespaced),
        {.namespace_ = namespaced ? "default" : "", .name = std::string(metadata.at("name").as_string())}};
  }

  std::vector<std::string> nodes_of(int pool, std::size_t most) {
    const kube::ListOptions ours = {.namespace_ = "default", .label_selector = "pool=" + pool_called(pool)};
    const json::value list = must(fleet_.client().list(core("Machine"), ours, fleet_.soon()));
    std::vector<std::string> names;
    for (const json::value& machine : list.at("items").as_array()) {
      boost::system::error_code missing;
      const auto* node = machine.find_pointer("/status/nodeRef/name", missing);
      if (node != nullptr && names.size() < most) names.emplace_back(node->as_string());
    }
    return names;
  }

  // So many of the Nodes of each cluster, spread over its MachineDeployments.
  void make_sick(int of_each_cluster) {
    for (int pool = 0; pool < kChanging; ++pool) {
      const int before = of_each_cluster * (pool % kPoolsEach) / kPoolsEach;
      const int after = of_each_cluster * (pool % kPoolsEach + 1) / kPoolsEach;
      for (const std::string& node : nodes_of(pool, static_cast<std::size_t>(after - before)))
        make_sick(cluster_of_pool(pool), node);
    }
  }
  void make_sick(const std::string& cluster, const std::string& node) {
    const std::string now = Time::from(fleet_.clock().now()).to_string();
    const json::value body = {
        {"status",
         {{"conditions",
           json::array{{{"type", kSickness}, {"status", "True"}, {"lastTransitionTime", now}}}}}}};
    must(client_of(cluster).patch(kube::resources::nodes(), {.namespace_ = "", .name = node}, body,
                                  {.type = kube::PatchType::Strategic, .subresource = "status"},
                                  fleet_.soon()));
  }
  kube::Client& client_of(const std::string& cluster) {
    auto& client = clients_[cluster];
    if (!client) client = fleet_.client_of_cluster(cluster);
    return *client;
  }

  // A Machine and its Node have one name in the simulated cloud.
  std::string standing_of(const std::string& machine) {
    const json::value seen = must(fleet_.client().get(core("Machine"), in_default(machine), fleet_.soon()));
    boost::system::error_code missing;
    const auto* conditions = seen.find_pointer("/status/conditions", missing);
    return machine + (conditions == nullptr ? "" : " " + json::serialize(*conditions));
  }

  void await_gone(int pool, const std::vector<std::string>& nodes) {
    const Deadline limit = Deadline::in(fleet_.clock(), minutes(5));
    const auto is_there = [&](const std::string& node) {
      const auto left = nodes_of(pool, static_cast<std::size_t>(each_) * 2);
      return std::ranges::find(left, node) != left.end();
    };
    while (std::ranges::any_of(nodes, is_there)) {
      if (limit.passed(fleet_.clock().steady_now()))
        throw std::runtime_error("not replaced: " + standing_of(nodes.front()));
      fleet_.threads().pause(Deadline::in(fleet_.clock(), seconds(1)));
    }
  }

  const int each_;
  BenchFleet fleet_;
  std::map<std::string, std::unique_ptr<kube::RemoteClient>> clients_ = {};
};

}  // namespace

// Phases alternate, so that what else runs on the machine meets all of them.
Values policy_costs(const Place& place) {
  PolicyGround fleet(place);
  Values values;

  fleet.cpu_per_change("before anything was measured");
  double plain = fleet.cpu_per_change("without a policy");
  fleet.apply(kEverythingOn);
  double governed = fleet.cpu_per_change("with a policy");
  fleet.remove(kEverythingOn);
  plain += fleet.cpu_per_change("without a policy");
  fleet.apply(kEverythingOn);
  governed += fleet.cpu_per_change("with a policy");
  values["policy.cpu_ratio"] = governed / plain;
  values["policy.idle_requests"] = fleet.requests_at_rest();
  fleet.remove(kEverythingOn);

  fleet.apply(kCheck);
  const double by_check = fleet.writes_per_replacement(0);
  fleet.remove(kCheck);
  fleet.apply(kReplacing);
  values["policy.writes_per_replacement"] = fleet.writes_per_replacement(1) - by_check;
  return values;
}

// One freeze and one outage are active while all brakes are on. The phases without them come first and last.
Values brake_costs(const Place& place) {
  PolicyGround fleet(place);
  const std::string braked = std::string(kEverythingOn) + std::string(kBrakesOn).substr(1);
  Values values;

  fleet.apply(kEverythingOn);
  fleet.cpu_per_change("before anything was measured");
  double governed = fleet.cpu_per_change("with a policy");
  fleet.remove(kEverythingOn);

  fleet.apply(braked);
  fleet.apply(kFleetLimits);
  fleet.freeze_one(true);
  fleet.lose_last_cluster();
  double with_brakes = fleet.cpu_per_change("with all brakes");
  values["brakes.idle_requests"] = fleet.requests_at_rest();
  with_brakes += fleet.cpu_per_change("with all brakes");

  fleet.regain_last_cluster();
  fleet.freeze_one(false);
  fleet.remove(kFleetLimits);
  fleet.remove(braked);
  fleet.apply(kEverythingOn);
  governed += fleet.cpu_per_change("with a policy");
  values["brakes.cpu_ratio"] = with_brakes / governed;
  return values;
}

}  // namespace capstan::bench
