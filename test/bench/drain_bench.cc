// What a budget that allows nothing costs: evictions asked for per Pod while a Node is drained for two hours,
// in virtual time, counted at the client. The real drainer against an embedded API server; all the while
// something wakes the Machine, and Pods come and go as Ready, so that neither turns nor numbers of the budget
// stand still.
#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <stdexcept>

#include "apiserver/api.h"
#include "controllers/drain/drainer.h"
#include "kube/resources.h"
#include "test/bench/figure.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/fake_workload_clusters.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/recording_client.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using std::chrono::seconds;

constexpr int kPods = 10;
constexpr Seconds kHeldUp = std::chrono::hours(2);
constexpr Seconds kWokenEvery{10};
constexpr int kTurnsBetweenNews = 6;

const kube::ObjectKey kCluster{"default", "c1"};

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().describe());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// What a MachineLifecyclePolicy asks of drains, as far as it has a say before any timeout is over.
struct AskedByPolicy {
  controllers::drain::ForceRules force = {};
  bool explain_budgets = false;
  std::optional<Seconds> eviction_time = {};
  std::optional<controllers::drain::VolumeWaits> volumes_in_turn = {};
};
const AskedByPolicy kNothing = {};
const AskedByPolicy kEverything = {
    .force = {.not_ready_for = Seconds(300)},
    .explain_budgets = true,
    .eviction_time = 2 * kHeldUp,
    .volumes_in_turn = controllers::drain::VolumeWaits{.detach = Seconds(120), .reattach = Seconds(90)}};

class DrainGround {
 public:
  explicit DrainGround(const AskedByPolicy& asked)
      : asked_(asked), api_({.clock = clock_}), memory_(api_, clock_), client_(memory_) {
    make(kube::resources::nodes(), {}, R"({"kind":"Node","metadata":{"name":"n"}})");
    const auto node = must(memory_.get(kube::resources::nodes(), {.name = "n"}, Deadline::never()));
    node_ = api::Uid(std::string_view(node.at("metadata").at("uid").as_string()));
    for (int i = 0; i < kPods; ++i) add_pod(name_of(i));
    make(kube::resources::pod_disruption_budgets(), "default",
         R"({"kind":"PodDisruptionBudget","metadata":{"name":"b"},
             "spec":{"maxUnavailable":0,"selector":{"matchLabels":{"app":"x"}}}})");
    settle();
    clusters_.connect(kCluster, &client_);
    clusters_.put_node(kCluster, builders::a_node("n"));
  }
  ~DrainGround() {
    drainer_.stop();
    clusters_.lose(kCluster);
  }
  DrainGround(const DrainGround&) = delete;
  DrainGround& operator=(const DrainGround&) = delete;

  static std::string name_of(int pod) { return "p" + std::to_string(pod); }

  void turn() {
    const Time now = Time::from(clock_.now());
    const auto report = drainer_.turn({.machine = machine_,
                                       .cluster = cluster_,
                                       .workload = must(clusters_.get(kCluster)),
                                       .node = "n",
                                       .clearance = controllers::claims::Clearance::of_own_creation(node_),
                                       .started = started_,
                                       .now = now,
                                       .force = asked_.force,
                                       .explain_budgets = asked_.explain_budgets,
                                       .eviction_time = asked_.eviction_time,
                                       .volumes_in_turn = asked_.volumes_in_turn},
                                      Deadline::never());
    if (report.done || report.trouble)
      throw std::runtime_error("the drain is not held up: " + report.message);
  }
  void pass(Seconds span) { clock_.advance(span); }

  // Returns when the drainer has heard of it.
  void is_ready(int pod, bool ready) {
    const auto seen = woken_.count();
    set_ready(name_of(pod), ready);
    settle();
    const SystemClock real;
    SystemThreads threads;
    if (threads.wait(woken_, seen, Deadline::in(real, seconds(20))) != Woken::Notified)
      throw std::runtime_error("the drainer watches nothing");
  }

  int most_evictions() const {
    int most = 0;
    for (int pod = 0; pod < kPods; ++pod) most = std::max(most, client_.count("evict " + name_of(pod)));
    return most;
  }

 private:
  void make(const kube::Resource& resource, std::string namespace_, std::string_view text) {
    json::value object = json::parse(text);
    object.as_object()["apiVersion"] = resource.api_version();
    const std::string name(object.at("metadata").at("name").as_string());
    must(memory_.create(resource, {std::move(namespace_), name}, object, {}, Deadline::never()));
  }
  void add_pod(const std::string& name) {
    make(kube::resources::pods(), "default",
         R"({"kind":"Pod","metadata":{"name":")" + name + R"(","labels":{"app":"x"}},
             "spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
    set_ready(name, true);
  }
  void set_ready(const std::string& name, bool ready) {
    const json::value status{
        {"phase", "Running"},
        {"conditions", json::array{{{"type", "Ready"}, {"status", ready ? "True" : "False"}}}}};
    must(memory_.patch(kube::resources::pods(), {"default", name}, {{"status", status}},
                       {.subresource = "status"}, Deadline::never()));
  }
  void settle() {
    while (api_.run_controllers()) {
    }
  }

  const AskedByPolicy& asked_;
  fakes::FakeClock clock_;
  apiserver::Api api_;
  fakes::MemoryClient memory_;
  fakes::RecordingClient client_;
  fakes::FakeWorkloadClusters clusters_;
  const api::Machine machine_ = builders::a_machine("m").running().on_node("n").deleting();
  const api::Cluster cluster_ = builders::a_cluster("c1").running();
  api::Uid node_;
  const Time started_ = Time::from(clock_.now());
  Signal woken_;
  controllers::drain::Drainer drainer_{
      {.clock = clock_, .threads = clock_, .wake = [this](const kube::ObjectKey&) { woken_.notify(); }}};
};

double most_evictions(const AskedByPolicy& asked) {
  DrainGround world(asked);
  world.turn();
  int turns = 0;
  for (Seconds passed{0}; passed < kHeldUp; passed += kWokenEvery) {
    if (++turns % kTurnsBetweenNews == 0) {
      const int news = turns / kTurnsBetweenNews;
      world.is_ready((news - 1) / 2 % kPods, news % 2 == 0);
    }
    world.turn();
    world.pass(kWokenEvery);
  }
  return world.most_evictions();
}

}  // namespace

// A policy may cost no eviction more.
double drain_evictions_per_pod(const Place&) {
  return std::max(most_evictions(kNothing), most_evictions(kEverything));
}

}  // namespace capstan::bench
