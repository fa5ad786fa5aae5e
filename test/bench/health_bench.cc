// What one MachineHealthCheck of ten thousand targets costs: nothing while they are well, and how soon a
// Machine is marked once a timeout is over. The real controller, caches and informers on an embedded API
// server in this process, and the clock on the wall.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <stdexcept>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "api/schema/crd.h"
#include "apiserver/api.h"
#include "controllers/machinehealthcheck/reconciler.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kube/watch_loop.h"
#include "runtime/brake.h"
#include "runtime/controller.h"
#include "runtime/dynamic_informers.h"
#include "runtime/informer.h"
#include "runtime/triggers.h"
#include "test/bench/bench_fleet.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"
#include "test/fakes/fake_workload_clusters.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/relay_client.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kTargets = 10000;
constexpr auto kAtRest = seconds(30);
constexpr Seconds kResync{600};  // --sync-period: a turn that nothing asked for
constexpr int kExpiries = 5;
constexpr Seconds kTimeout{3};
const kube::ObjectKey kCluster{.namespace_ = "default", .name = "c1"};
const kube::ObjectKey kCheck{.namespace_ = "default", .name = "check"};

// Counts what the controller asks for, and notes when a Machine is handed to its owner.
class Counting final : public fakes::RelayClient {
 public:
  Counting(kube::Client& inner, const Clock& clock) : RelayClient(inner), clock_(clock) {}
  std::uint64_t requests() const { return requests_; }
  std::optional<WallTime> marked(const std::string& machine) const {
    return marked_.with([&](const auto& marks) -> std::optional<WallTime> {
      const auto found = marks.find(machine);
      if (found == marks.end()) return {};
      return found->second;
    });
  }

 protected:
  std::optional<Error> sending(const fakes::Asked&) override {
    ++requests_;
    return {};
  }
  void answered(const fakes::Asked& asked, const Result<json::value>& answer) override {
    if (!answer || !asked.is("Machine") || asked.body == nullptr) return;
    if (json::serialize(*asked.body).find("OwnerRemediated") == std::string::npos) return;
    marked_.with([&](auto& marks) { marks.emplace(asked.key.name, clock_.now()); });
  }

 private:
  const Clock& clock_;
  std::atomic<std::uint64_t> requests_ = 0;
  Guarded<std::map<std::string, WallTime>> marked_ = {};
};

class NoEvents final : public runtime::EventRecorder {
 public:
  void record(const api::ObjectReference&, runtime::EventType, std::string_view, std::string_view) override {}
};
class NoNames final : public NameGenerator {
 public:
  std::string suffix(std::size_t length) override { return std::string(length, 'x'); }
};

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto span = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return span(used.ru_utime) + span(used.ru_stime);
}

std::string name_of(int number) { return fmt::format("m{:05}", number); }

// One check, one Cluster, and its Machines, each well on its own Node.
class HealthBench {
 public:
  explicit HealthBench(int targets)
      : api_({.clock = clock_}),
        user_(api_, threads_, {.user_agent = "kubectl/1"}),
        memory_(api_, threads_, {.user_agent = "manager/1"}),
        client(memory_, clock_),
        loop_(threads_, clock_),
        informers_({.loop = loop_, .client = memory_}),
        clusters_(informer_deps(), {.resource = kube::resource_of<api::Cluster>()}, caches_.clusters),
        machines_(informer_deps(), {.resource = kube::resource_of<api::Machine>()}, caches_.machines),
        checks_(informer_deps(), {.resource = kube::resource_of<api::MachineHealthCheck>()},
                caches_.machine_health_checks),
        deps_{.clock = clock_,
              .threads = threads_,
              .client = client,
              .caches = caches_,
              .workload_clusters = workload_clusters_,
              .events = events_,
              .names = names_,
              .brake = brake_},
        reconciler_(deps_),
        controller_({.clock = clock_, .threads = threads_, .client = client, .randomness = randomness_},
                    {.name = "machinehealthcheck",
                     .kind = std::string(api::kind::kMachineHealthCheck),
                     .queue = {.pace = milliseconds(100)}},
                    reconciler_),
        externals_(informers_, caches_.crds,
                   {.group = api::group::kCluster, .kind = api::kind::kMachineHealthCheck},
                   controller_.queue()) {
    reconciler_.bind({controller_.consistency(), externals_, controller_.queue()});
    reconciler_.add_triggers(controller_.queue());
    make_fleet(targets);
    clusters_.start();
    machines_.start();
    checks_.start();
    await([&] { return caches_.machines.size() == static_cast<std::size_t>(targets); });
    await([&] { return caches_.machine_health_checks.synced() && caches_.clusters.synced(); });
    controller_.start();
    await([&] { return status().current_healthy == targets; });
    await_quiet();
  }
  ~HealthBench() {
    controller_.stop();
    checks_.stop();
    machines_.stop();
    clusters_.stop();
  }
  HealthBench(const HealthBench&) = delete;
  HealthBench& operator=(const HealthBench&) = delete;

  void wait(Nanoseconds span) { threads_.pause(Deadline::in(clock_, span)); }
  WallTime now() const { return clock_.now(); }
  void one_more_turn() {
    controller_.queue().add(kCheck);
    await_quiet();
  }
  void put_node(int number, std::string_view ready, Time since) {
    api::Node node = builders::a_node(name_of(number)).condition("Ready", ready, "", since);
    workload_clusters_.put_node(kCluster, std::move(node));
  }

 private:
  runtime::InformerDeps informer_deps() { return {.loop = loop_, .client = memory_}; }

  template <typename Done>
  void await(const Done& done) {
    const Deadline limit = Deadline::in(clock_, std::chrono::minutes(5));
    while (!done()) {
      if (limit.passed(clock_.steady_now())) throw std::runtime_error("the fleet does not come to rest");
      wait(milliseconds(20));
    }
  }
  void await_quiet() {
    for (std::uint64_t seen = client.requests() + 1; seen != client.requests();) {
      seen = client.requests();
      wait(seconds(2));
    }
  }
  api::MachineHealthCheckStatus status() const {
    const auto check = caches_.machine_health_checks.get(kCheck);
    return check ? check->status : api::MachineHealthCheckStatus();
  }

  template <typename T>
  void put(const T& object) {
    json::value document = api::to_json(object);
    auto& metadata = document.as_object()["metadata"].as_object();
    for (const std::string_view servers : {"uid", "resourceVersion", "generation", "creationTimestamp"})
      metadata.erase(servers);
    const auto resource = kube::resource_of<T>();
    const kube::ObjectKey key = kube::key_of(object);
    must(user_.create(resource, key, document, {}, Deadline::never()));
    if (const auto* status = document.as_object().if_contains("status"))
      must(user_.patch(resource, key, {{"status", *status}}, {.subresource = "status"}, Deadline::never()));
  }

  void make_fleet(int targets) {
    const auto& crds = kube::resources::custom_resource_definitions();
    for (const json::value& crd :
         {api::crd<api::Cluster>(), api::crd<api::Machine>(), api::crd<api::MachineHealthCheck>()})
      must(user_.create(crds, {}, crd, {}, Deadline::never()));
    const Time long_ago = Time::from(clock_.now() - std::chrono::hours(1));
    put(builders::a_cluster()
            .condition(api::condition::kControlPlaneInitialized, "True", "Initialized", "", long_ago)
            .condition(api::condition::kInfrastructureReady, "True", "Ready", "", long_ago)
            .build());
    api::MachineHealthCheck check;
    check.metadata.name = Text(kCheck.name);
    check.metadata.namespace_ = Text(kCheck.namespace_);
    check.spec.cluster_name = Text(kCluster.name);
    check.spec.selector.match_labels.set("role", "worker");
    for (const std::string_view bad : {"False", "Unknown"})
      check.spec.checks.unhealthy_node_conditions.push_back(
          {.type = "Ready"_text,
           .status = Text(bad),
           .timeout_seconds = static_cast<std::int32_t>(kTimeout.count())});
    put(check);
    for (int i = 0; i < targets; ++i) {
      put_node(i, "True", long_ago);
      put(marked_well(builders::a_machine(name_of(i)).labelled("role", "worker").on_node(name_of(i))));
    }
    workload_clusters_.connect(kCluster, &memory_);
  }

  // As earlier turns left it: the fleet need not wait for ten thousand marks.
  static api::Machine marked_well(api::Machine machine) {
    const Time now = builders::noon();
    auto good = api::conditions::make(api::condition::kHealthCheckSucceeded, "True",
                                      api::reason::kHealthCheckSucceeded);
    good.last_transition_time = now;
    api::conditions::set(machine.status.conditions, std::move(good), 1, now);
    api::conditions::v1beta1::set(
        machine.status.deprecated.ensure().v1beta1.ensure().conditions,
        api::conditions::v1beta1::yes(api::v1beta1_condition::kHealthCheckSucceeded), now);
    return machine;
  }

  SystemClock clock_;
  SystemThreads threads_;
  SeededRandomness randomness_{1};
  apiserver::Api api_;
  fakes::MemoryClient user_;
  fakes::MemoryClient memory_;

 public:
  Counting client;

 private:
  controllers::Caches caches_;
  fakes::FakeWorkloadClusters workload_clusters_;
  kube::WatchLoop loop_;
  runtime::DynamicInformers informers_;
  runtime::Informer<api::Cluster> clusters_;
  runtime::Informer<api::Machine> machines_;
  runtime::Informer<api::MachineHealthCheck> checks_;
  NoEvents events_;
  NoNames names_;
  runtime::OpenBrake brake_;
  const controllers::Deps deps_;
  controllers::machinehealthcheck::Reconciler reconciler_;
  runtime::Controller controller_;
  runtime::ExternalRefs externals_;
};

// From the expiry to the answer of the API server.
double reaction_ms(HealthBench& fleet, int machine) {
  const Time since = Time::from(fleet.now());
  fleet.put_node(machine, "Unknown", since);
  const WallTime expiry = since.wall() + kTimeout;
  for (const WallTime limit = expiry + seconds(60); fleet.now() < limit; fleet.wait(milliseconds(50))) {
    const auto marked = fleet.client.marked(name_of(machine));
    if (!marked) continue;
    if (*marked < expiry) throw std::runtime_error("marked before its timeout was over");
    return static_cast<double>((*marked - expiry).count()) / 1e6;
  }
  throw std::runtime_error("no mark a minute after the timeout");
}

}  // namespace

Values health_costs(const Place& place) {
  const int targets = place.machines > 0 ? place.machines : kTargets;
  HealthBench fleet(targets);
  Values values;

  const std::uint64_t asked = fleet.client.requests();
  const double rested = cpu_seconds();
  fleet.wait(kAtRest);
  const double at_rest = (cpu_seconds() - rested) / seconds(kAtRest).count();
  const double turn_begun = cpu_seconds();
  fleet.one_more_turn();
  const double turn = cpu_seconds() - turn_begun;
  values["mhc.idle_requests"] = static_cast<double>(fleet.client.requests() - asked);
  values["mhc.idle_cpu_percent"] = 100 * (at_rest + turn / static_cast<double>(kResync.count()));
  say(fmt::format("{} targets at rest: {:.3f} % CPU, and {:.1f} ms for the turn of a resync every {} s",
                  targets, 100 * at_rest, 1000 * turn, kResync.count()));

  double worst = 0;
  for (int i = 0; i < kExpiries; ++i) {
    const double took = reaction_ms(fleet, i * (targets / kExpiries));
    say(fmt::format("marked {:.1f} ms after its timeout", took));
    worst = std::max(worst, took);
  }
  values["mhc.reaction_ms"] = worst;
  return values;
}

}  // namespace capstan::bench
