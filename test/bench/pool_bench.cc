// Figures of one big pool without Machines: what a Node that turns Ready costs in requests, and whether a
// change of a Node costs more CPU the more instances the pool has. The bench is the infrastructure provider
// and the kubelets; both servers are real.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <stdexcept>

#include "api/core/node.h"
#include "api/names.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/connect.h"
#include "test/bench/bench_fleet.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using envtest::FleetBedOptions;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kNamespace = "default";
constexpr std::string_view kCluster = "demo";
constexpr std::string_view kGroup = "infrastructure.cluster.x-k8s.io";
constexpr int kNodesPerSecond = 50;
constexpr int kChanges = 3000;
constexpr int kHands = 16;
const kube::Resource kGroups{
    .group = std::string(kGroup), .version = "v1", .plural = "benchpools", .kind = "BenchPool"};

kube::Resource of_pools() { return kube::resource_for("cluster.x-k8s.io/v1beta2", "MachinePool"); }
kube::ObjectKey in_namespace(std::string_view name) {
  return {.namespace_ = std::string(kNamespace), .name = std::string(name)};
}
std::string node_name(std::string_view pool, int number) { return fmt::format("{}-{}", pool, number); }
std::string provider_id(const std::string& node) { return "bench:///zone-1/" + node; }

json::value definition() {
  const json::value schema = {
      {"openAPIV3Schema", {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}};
  return {
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "CustomResourceDefinition"},
      {"metadata",
       {{"name", fmt::format("{}.{}", kGroups.plural, kGroup)},
        {"labels", {{"cluster.x-k8s.io/v1beta2", kGroups.version}}}}},
      {"spec",
       {{"group", kGroup},
        {"scope", "Namespaced"},
        {"names", {{"plural", kGroups.plural}, {"kind", kGroups.kind}, {"listKind", kGroups.kind + "List"}}},
        {"versions", json::array{{{"name", kGroups.version},
                                  {"served", true},
                                  {"storage", true},
                                  {"subresources", {{"status", json::object()}}},
                                  {"schema", schema}}}}}}};
}

json::value conditions(bool ready, bool pressed) {
  const auto one = [](std::string_view type, bool yes) -> json::value {
    return {{"type", type},
            {"status", yes ? "True" : "False"},
            {"reason", "Bench"},
            {"message", "as the bench says"},
            {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
  };
  return json::array{one("MemoryPressure", false), one("DiskPressure", pressed), one("PIDPressure", false),
                     one("Ready", ready)};
}

class Pools {
 public:
  explicit Pools(BenchFleet& fleet)
      : fleet_(fleet),
        workload_(
            must(kube::RemoteClient::make({io_, fleet.threads(), fleet.clock()},
                                          must(kubeconfig::load(fleet.bed().workload().kubeconfig_path())),
                                          {.user_agent = "bench/1", .rate_limit = {.qps = 0}}))) {
    must(fleet_.client().create(kube::resources::custom_resource_definitions(),
                                {.name = fmt::format("{}.{}", kGroups.plural, kGroup)}, definition(), {},
                                fleet_.soon()));
  }

  // A pool whose provider lists so many instances; none has a Node.
  void make(const std::string& pool, int instances) {
    json::array ids;
    for (int i = 0; i < instances; ++i) ids.emplace_back(provider_id(node_name(pool, i)));
    json::value group = {{"apiVersion", std::string(kGroup) + "/" + kGroups.version},
                         {"kind", kGroups.kind},
                         {"metadata", {{"name", pool}, {"namespace", kNamespace}}},
                         {"spec", {{"providerIDList", std::move(ids)}}}};
    await("the kind of the bench's groups", [&] {
      return fleet_.client().create(kGroups, in_namespace(pool), group, {}, fleet_.soon()).has_value();
    });
    must(fleet_.client().patch(kGroups, in_namespace(pool),
                               {{"status", {{"ready", true}, {"replicas", instances}}}},
                               {.subresource = "status"}, fleet_.soon()));
    const json::value object = {
        {"apiVersion", "cluster.x-k8s.io/v1beta2"},
        {"kind", "MachinePool"},
        {"metadata", {{"name", pool}, {"namespace", kNamespace}}},
        {"spec",
         {{"clusterName", kCluster},
          {"replicas", instances},
          {"template",
           {{"spec",
             {{"clusterName", kCluster},
              {"version", "v1.35.0"},
              {"bootstrap", {{"dataSecretName", "bench"}}},
              {"infrastructureRef", {{"apiGroup", kGroup}, {"kind", kGroups.kind}, {"name", pool}}}}}}}}}};
    must(fleet_.client().create(of_pools(), in_namespace(pool), object, {}, fleet_.soon()));
    await("the list of " + pool, [&] { return count(pool, "/spec/providerIDList") == instances; });
  }

  // Nodes register and turn Ready a second later, 50 of them a second.
  void nodes_turn_ready(const std::string& pool, int instances) {
    paced(instances + kNodesPerSecond, [&](int number) {
      if (number < instances) register_node(node_name(pool, number));
      if (number >= kNodesPerSecond) say_of(node_name(pool, number - kNodesPerSecond), true, false);
    });
    await(fmt::format("{} ready replicas of {}", instances, pool),
          [&] { return number_of(pool, "/status/readyReplicas") == instances; });
    await(fmt::format("mark on each of {} Nodes of {}", instances, pool),
          [&] { return marked_nodes(pool) == instances; });
  }

  // Changes of Nodes that the pool looks at and that change nothing it counts: a turn for the pool just like
  // the one for a Node that turns Ready, without the status patch at its end.
  void nodes_change(const std::string& pool, int instances, int changes) {
    paced(changes, [&](int number) {
      const bool pressed = (number / instances) % 2 == 0;
      say_of(node_name(pool, number % instances), true, pressed);
    });
  }

 private:
  template <typename Done>
  void await(const std::string& what, const Done& done) {
    const Deadline deadline = Deadline::in(fleet_.clock(), minutes(3));
    while (!done()) {
      if (deadline.passed(fleet_.clock().steady_now())) throw std::runtime_error("no " + what);
      fleet_.threads().pause(Deadline::in(fleet_.clock(), milliseconds(200)));
    }
  }

  // Nodes that say whose they are: nothing is left to be written on them.
  std::ptrdiff_t marked_nodes(const std::string& pool) {
    const auto nodes = must(kube::list<api::Node>(*workload_, {}, fleet_.soon()));
    return std::ranges::count_if(nodes.items, [&](const api::Node& node) {
      return node.metadata.annotations.value_or_empty(api::annotation::kOwnerName) == pool;
    });
  }

  json::value read(const std::string& pool) {
    return must(fleet_.client().get(of_pools(), in_namespace(pool), fleet_.soon()));
  }
  std::int64_t count(const std::string& pool, std::string_view at) {
    const json::value object = read(pool);
    boost::system::error_code missing;
    const auto* found = object.find_pointer(at, missing);
    return found != nullptr && found->is_array() ? static_cast<std::int64_t>(found->get_array().size()) : 0;
  }
  std::int64_t number_of(const std::string& pool, std::string_view at) {
    const json::value object = read(pool);
    boost::system::error_code missing;
    const auto* found = object.find_pointer(at, missing);
    return found != nullptr && found->is_int64() ? found->get_int64() : -1;
  }

  void register_node(const std::string& name) {
    const json::value node = {{"apiVersion", "v1"},
                              {"kind", "Node"},
                              {"metadata", {{"name", name}}},
                              {"spec", {{"providerID", provider_id(name)}}},
                              {"status",
                               {{"conditions", conditions(false, false)},
                                {"nodeInfo",
                                 {{"kubeletVersion", "v1.35.0"},
                                  {"osImage", "Bench"},
                                  {"kernelVersion", "6.1"},
                                  {"containerRuntimeVersion", "bench://1"},
                                  {"kubeProxyVersion", ""},
                                  {"machineID", name},
                                  {"systemUUID", name},
                                  {"bootID", name},
                                  {"operatingSystem", "linux"},
                                  {"architecture", "amd64"}}}}}};
    must(workload_->create(kube::resources::nodes(), {.name = name}, node, {}, fleet_.soon()));
  }
  void say_of(const std::string& name, bool ready, bool pressed) {
    must(workload_->patch(kube::resources::nodes(), {.name = name},
                          {{"status", {{"conditions", conditions(ready, pressed)}}}},
                          {.subresource = "status"}, fleet_.soon()));
  }

  // So many things, evenly over time, done by several hands so that none waits for another's answer.
  template <typename Do>
  void paced(int things, const Do& one) {
    const SteadyTime begun = fleet_.clock().steady_now();
    std::atomic<int> next = 0;
    Guarded<std::string> failed;
    std::vector<std::unique_ptr<Thread>> hands;
    for (int i = 0; i < kHands; ++i) {
      hands.push_back(fleet_.threads().spawn("hand", [&](const std::stop_token&) {
        try {
          for (int at = next++; at < things; at = next++) {
            fleet_.threads().pause({begun + Nanoseconds(seconds(1)) * at / kNodesPerSecond});
            one(at);
          }
        } catch (const std::exception& error) {
          failed.with([&](auto& text) { text = error.what(); });
        }
      }));
    }
    for (auto& hand : hands) hand->join();
    failed.with([](const auto& text) {
      if (!text.empty()) throw std::runtime_error("the kubelets: " + text);
    });
  }

  BenchFleet& fleet_;
  net::IoPool io_;
  std::unique_ptr<kube::RemoteClient> workload_;
};

// The manager's CPU for one change of a Node, what it uses at rest set apart.
double cost_of_a_change(BenchFleet& fleet, Pools& pools, const std::string& pool, int instances) {
  constexpr auto kRest = seconds(10);
  fleet.await_quiet();
  double cpu = fleet.manager_cpu_ms();
  fleet.threads().pause(Deadline::in(fleet.clock(), kRest));
  const double at_rest = (fleet.manager_cpu_ms() - cpu) / 10.0;
  fleet.spent();
  cpu = fleet.manager_cpu_ms();
  const double begun = fleet.elapsed();
  pools.nodes_change(pool, instances, kChanges);
  fleet.await_quiet();
  const double took = fleet.elapsed() - begun;
  const double cost = (fleet.manager_cpu_ms() - cpu - at_rest * took) / kChanges;
  const Spent spent = fleet.spent();
  say(fmt::format("{} instances: {:.3f} ms CPU for each of {} changes of a Node in {:.0f} s; {} requests",
                  instances, cost, kChanges, took, spent.requests()));
  if (spent.requests() > 0) say(envtest::breakdown(spent.manager, 1));
  return cost;
}

}  // namespace

Values pool_costs(const Place& place) {
  const int many = place.machines > 0 ? place.machines : 5000;
  const int few = std::max(many / 100, 10);
  BenchFleet fleet(place, {.audit = FleetBedOptions::Audit::Requests});
  fleet.make_clusters(1);
  Pools pools(fleet);
  pools.make("many", many);
  fleet.await_quiet();
  fleet.spent();

  Values values;
  double cpu = fleet.manager_cpu_ms();
  const double begun = fleet.elapsed();
  pools.nodes_turn_ready("many", many);
  const double took = fleet.elapsed() - begun;
  fleet.await_quiet();
  const Spent ready = fleet.spent();
  values["pool.requests_per_node_ready"] = ready.requests() / many;
  say(fmt::format("--- {} Nodes turned Ready in {:.0f} s: what the manager asked for, per Node", many, took));
  say(envtest::breakdown(ready.manager, many));
  say(fmt::format("Events apart: {:.3f}; {:.2f} ms CPU per Node, status patches included; manager {:.1f} MB",
                  ready.events() / many, (fleet.manager_cpu_ms() - cpu) / many,
                  static_cast<double>(envtest::resident_bytes_of(fleet.bed().core().pid())) / 1e6));

  pools.make("few", few);
  pools.nodes_turn_ready("few", few);
  const double of_many = cost_of_a_change(fleet, pools, "many", many);
  const double of_few = cost_of_a_change(fleet, pools, "few", few);
  values["pool.cpu_growth"] = of_many / of_few;
  return values;
}

}  // namespace capstan::bench
