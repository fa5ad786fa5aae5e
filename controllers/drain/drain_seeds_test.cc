// Several Nodes of one cluster that are drained at once, under every order of events the seed thinks of:
// their Pods share budgets, come back elsewhere, take their time; drains forget what they knew. However it
// goes, no budget is ever broken and every Node gets empty.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <map>
#include <set>

#include "api/core/pod.h"
#include "controllers/drain/drain_world_fixture.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/fakes/baton.h"

namespace capstan::controllers::drain {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr int kNodes = 4;
constexpr int kPodsOfAnApp = 6;
const kube::ObjectKey kCluster{"default", "c1"};
const std::string kElsewhere = "elsewhere";

struct App {
  std::string name = {};
  std::size_t needed = 0;
  bool same_names = false;  // Pods come back under the names they had
};
const std::vector<App> kApps = {{.name = "single", .needed = kPodsOfAnApp - 1},
                                {.name = "some", .needed = kPodsOfAnApp - 2},
                                {.name = "set", .needed = kPodsOfAnApp - 3, .same_names = true}};

class Fleet {
 public:
  Fleet(fakes::Baton& baton, bool budgets)
      : baton_(baton),
        api_({.clock = baton}),
        memory_(api_, baton),
        client_(memory_),
        drainer_({.clock = baton, .threads = baton, .wake = [this](const kube::ObjectKey& machine) {
                    woken_.at(machine.name).notify();
                  }}) {
    for (int i = 0; i < kNodes; ++i) {
      make(kube::resources::nodes(), {}, {{"kind", "Node"}, {"metadata", {{"name", name_of(i)}}}});
      clusters_.put_node(kCluster, builders::a_node(name_of(i)));
      woken_.try_emplace(name_of(i));
    }
    for (const App& app : kApps) {
      for (int i = 0; i < kPodsOfAnApp; ++i) ready(add_pod(app, i, name_of(i % kNodes)));
      if (!budgets) continue;
      make(kube::resources::pod_disruption_budgets(), "default",
           {{"kind", "PodDisruptionBudget"},
            {"metadata", {{"name", app.name}, {"namespace", "default"}}},
            {"spec", {{"minAvailable", app.needed}, {"selector", {{"matchLabels", {{"app", app.name}}}}}}}});
    }
    count_budgets();
    clusters_.connect(kCluster, &client_);
    client_.before = [this](const fakes::RecordedRequest& request) -> std::optional<Error> {
      if (request.is("evict")) look_for_broken_budgets();
      return std::nullopt;
    };
  }
  ~Fleet() {
    drainer_.stop();
    clusters_.lose(kCluster);
  }
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // Until all Nodes are empty, or until it has taken far too long.
  void drain_all() {
    std::vector<std::unique_ptr<Thread>> drains;
    drains.reserve(kNodes);
    for (int i = 0; i < kNodes; ++i)
      drains.push_back(baton_.spawn("drain", [this, i](const std::stop_token& stop) { drain(i, stop); }));
    const SteadyTime too_late = baton_.steady_now() + 1h;
    while (drained_ < kNodes && baton_.steady_now() < too_late) {
      live_on();
      baton_.pause(Deadline::in(baton_, std::chrono::milliseconds(100 + baton_.draw(3000))));
    }
    for (auto& drain : drains) drain->request_stop();
    for (auto& [machine, woken] : woken_) woken.notify();
    for (auto& drain : drains) drain->join();
  }

  std::vector<std::string> broken = {};
  int drained() const { return drained_; }
  int evictions() const { return client_.count("evict"); }
  std::vector<std::string> left() {
    std::vector<std::string> names;
    for (const api::Pod& pod : pods())
      if (pod.spec.node_name != kElsewhere) names.push_back(pod.metadata.name.str());
    return names;
  }

 private:
  static std::string name_of(int node) { return "n" + std::to_string(node); }

  // --- what the Machine controller does ---
  void drain(int node, const std::stop_token& stop) {
    const api::Machine machine =
        builders::a_machine(name_of(node)).running().on_node(name_of(node)).deleting();
    const api::Cluster cluster = builders::a_cluster("c1").running();
    const Time started = Time::from(baton_.now());
    while (!stop.stop_requested()) {
      auto& woken = woken_.at(name_of(node));
      const auto seen = woken.count();
      if (baton_.draw(20) == 0) drainer_.forget(kube::key_of(machine));  // the process has been restarted
      const auto report = drainer_.turn({.machine = machine,
                                         .cluster = cluster,
                                         .workload = clusters_.get(kCluster).value(),
                                         .node = name_of(node),
                                         .clearance = claims::Clearance::of_own_creation(api::Uid("n")),
                                         .started = started,
                                         .now = Time::from(baton_.now())},
                                        Deadline::never(stop));
      if (report.done) {
        ++drained_;
        drainer_.forget(kube::key_of(machine));
        return;
      }
      baton_.wait(woken, seen, Deadline::in(baton_, report.recheck, stop));
    }
  }

  // --- what happens in the cluster ---
  void live_on() {
    look_for_broken_budgets();
    std::map<std::string, int> there;
    std::set<std::string> names;
    for (const api::Pod& pod : pods()) {
      const bool late = baton_.draw(3) == 0;
      names.insert(pod.metadata.name.str());
      if (pod.metadata.deleting()) {
        if (!late) end(pod);
        continue;
      }
      ++there[std::string(pod.metadata.labels.value_or_empty("app"))];
      if (!pod.ready() && !late) ready(pod.metadata.name.str());
    }
    for (const App& app : kApps) {
      for (int i = 0; app.same_names && i < kPodsOfAnApp; ++i)
        if (!names.contains(name_of(app, i))) add_pod(app, i, kElsewhere);
      for (int i = there[app.name]; !app.same_names && i < kPodsOfAnApp; ++i)
        add_pod(app, ++pods_made_, kElsewhere);
    }
    count_budgets();
  }

  void look_for_broken_budgets() {
    std::map<std::string, std::size_t> healthy;
    for (const api::Pod& pod : pods()) {
      const bool going = pod.metadata.deleting();
      if (going && pod.spec.node_name == kElsewhere)
        broken.push_back(pod.metadata.name.str() + " was evicted from a Node that nobody drains");
      if (!going && pod.ready()) ++healthy[std::string(pod.metadata.labels.value_or_empty("app"))];
    }
    for (const App& app : kApps)
      if (healthy[app.name] < app.needed) broken.push_back(app.name);
  }

  std::vector<api::Pod> pods() { return kube::list<api::Pod>(memory_, {}, Deadline::never()).value().items; }
  void count_budgets() {
    while (api_.run_controllers()) {
    }
  }

  void make(const kube::Resource& resource, std::string namespace_, json::object object) {
    object["apiVersion"] = resource.api_version();
    const std::string name(object.at("metadata").at("name").as_string());
    const auto made = memory_.create(resource, {std::move(namespace_), name}, object, {}, Deadline::never());
    if (!made) ADD_FAILURE() << made.error().describe();
  }
  static std::string name_of(const App& app, int pod) { return app.name + "-" + std::to_string(pod); }
  std::string add_pod(const App& app, int number, const std::string& node) {
    std::string name = name_of(app, number);
    make(kube::resources::pods(), "default",
         {{"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{"app", app.name}}}}},
          {"spec",
           {{"nodeName", node},
            {"terminationGracePeriodSeconds", 30},
            {"containers", json::array{{{"name", "c"}, {"image", "i"}}}}}}});
    return name;
  }
  void ready(const std::string& pod) {
    const json::value status{{"phase", "Running"},
                             {"conditions", json::array{{{"type", "Ready"}, {"status", "True"}}}}};
    const auto set = memory_.patch(kube::resources::pods(), {"default", pod}, {{"status", status}},
                                   {.subresource = "status"}, Deadline::never());
    if (!set && set.error().code != Code::NotFound) ADD_FAILURE() << set.error().describe();
  }
  void end(const api::Pod& pod) {
    const auto ended = memory_.remove(kube::resources::pods(), kube::key_of(pod), {.grace_period_seconds = 0},
                                      Deadline::never());
    if (!ended) ADD_FAILURE() << ended.error().describe();
  }

  fakes::Baton& baton_;
  apiserver::Api api_;
  fakes::MemoryClient memory_;
  fakes::RecordingClient client_;
  fakes::FakeWorkloadClusters clusters_;
  std::map<std::string, Signal> woken_;
  int pods_made_ = kPodsOfAnApp;
  int drained_ = 0;
  Drainer drainer_;
};

void in_simulation(std::uint64_t seed, bool budgets, const std::function<void(Fleet&)>& body) {
  fakes::Baton baton({.seed = seed});
  const auto report = baton.run([&] {
    Fleet fleet(baton, budgets);
    fleet.drain_all();
    body(fleet);
  });
  ASSERT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
}

TEST(DrainSeeds, EmptyEveryNodeAndBreakNoBudget) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    in_simulation(seed, true, [&](Fleet& fleet) {
      EXPECT_EQ(fleet.drained(), kNodes) << "seed " << seed;
      EXPECT_THAT(fleet.left(), testing::IsEmpty()) << "seed " << seed;
      EXPECT_THAT(fleet.broken, testing::IsEmpty()) << "seed " << seed;
      EXPECT_LE(fleet.evictions(), 12 * kPodsOfAnApp * static_cast<int>(kApps.size())) << "seed " << seed;
    });
  }
}

TEST(DrainSeeds, WouldNoticeThatTooFewAreHealthy) {
  in_simulation(1, false, [](Fleet& fleet) { EXPECT_THAT(fleet.broken, testing::Not(testing::IsEmpty())); });
}

}  // namespace
}  // namespace capstan::controllers::drain
