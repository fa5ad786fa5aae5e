// What the grants of a FleetPolicy cost: writes a grant, and the time of a thousand that are asked for at
// once beside a thousand bare patches of the same Machines. The real controller, caches and informers on an
// embedded API server in this process, and the clock on the wall.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <stdexcept>
#include <vector>

#include "api/schema/crd.h"
#include "apiserver/api.h"
#include "controllers/fleetpolicy/reconciler.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kube/watch_loop.h"
#include "runtime/brake.h"
#include "runtime/controller.h"
#include "runtime/dynamic_informers.h"
#include "runtime/informer.h"
#include "test/bench/bench_fleet.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine.h"
#include "test/fakes/counted_names.h"
#include "test/fakes/fake_workload_clusters.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/relay_client.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr int kMachines = 1000;
constexpr int kRuns = 15;
constexpr std::string_view kRequest = "ScaleIn~2026-01-01T12:00:00Z";
const kube::ObjectKey kPolicy{.namespace_ = {}, .name = std::string(api::policy::kFleetPolicyName)};

class CountingWrites final : public fakes::RelayClient {
 public:
  using RelayClient::RelayClient;
  int writes() const { return writes_; }

 protected:
  std::optional<Error> sending(const fakes::Asked& asked) override {
    if (asked.body != nullptr) ++writes_;
    return {};
  }

 private:
  std::atomic<int> writes_ = 0;
};

class SilentEvents final : public runtime::EventRecorder {
 public:
  void record(const api::ObjectReference&, runtime::EventType, std::string_view, std::string_view) override {}
};

// One FleetPolicy that allows all, and Machines of one MachineSet.
class GrantGround {
 public:
  GrantGround()
      : api_({.clock = clock_}),
        user_(api_, threads_, {.user_agent = "kubectl/1"}),
        memory_(api_, threads_, {.user_agent = "manager/1"}),
        client_(memory_),
        loop_(threads_, clock_),
        informers_({.loop = loop_, .client = memory_}),
        machines_(informer_deps(), {.resource = kube::resource_of<api::Machine>()}, caches_.machines),
        clusters_(informer_deps(), {.resource = kube::resource_of<api::Cluster>()}, caches_.clusters),
        policies_(informer_deps(), {.resource = kube::resource_of<api::FleetPolicy>()},
                  caches_.fleet_policies),
        deps_{.clock = clock_,
              .threads = threads_,
              .client = client_,
              .caches = caches_,
              .workload_clusters = workload_clusters_,
              .events = events_,
              .names = names_,
              .brake = brake_},
        reconciler_(deps_),
        controller_({.clock = clock_, .threads = threads_, .client = client_, .randomness = randomness_},
                    {.name = "fleetpolicy", .kind = "FleetPolicy", .queue = {.pace = milliseconds(100)}},
                    reconciler_),
        externals_(informers_, caches_.crds, {.group = api::group::kCluster, .kind = "FleetPolicy"},
                   controller_.queue()) {
    reconciler_.bind({controller_.consistency(), externals_, controller_.queue()});
    reconciler_.add_triggers(controller_.queue());
    make_fleet();
    machines_.start();
    clusters_.start();
    policies_.start();
    await([&] {
      return caches_.machines.size() == kMachines && caches_.clusters.synced() &&
             caches_.fleet_policies.size() == 1;
    });
  }
  ~GrantGround() {
    controller_.stop();
    policies_.stop();
    clusters_.stop();
    machines_.stop();
  }
  GrantGround(const GrantGround&) = delete;
  GrantGround& operator=(const GrantGround&) = delete;

  // By the manager, as the grants are: a second one would cost the server more, as it keeps who owns what.
  double seconds_of_bare_patches(std::string_view annotation) {
    return seconds_of([&] { annotate_all(memory_, annotation, "1"); });
  }
  void ask_all() { annotate_all(user_, api::policy::annotation::kFleetRequest, kRequest); }
  double seconds_of_grants() {
    const double seconds = seconds_of([&] {
      controller_.start();
      await([&] { return caches_.fleet_policies.get(kPolicy)->status.in_flight == kMachines; });
      await([&] { return shows(api::policy::annotation::kFleetGrant); });
    });
    controller_.stop();
    return seconds;
  }
  int writes() const { return client_.writes(); }

 private:
  runtime::InformerDeps informer_deps() { return {.loop = loop_, .client = memory_}; }

  void make_fleet() {
    for (const json::value& crd :
         {api::crd<api::Machine>(), api::crd<api::Cluster>(), api::crd<api::FleetPolicy>()})
      make(kube::resources::custom_resource_definitions(), crd);
    make(kube::resource_of<api::FleetPolicy>(),
         api::to_json(builders::a_fleet_policy().limits(kMachines).build()));
    for (int i = 0; i < kMachines; ++i)
      make(kube::resource_of<api::Machine>(),
           api::to_json(builders::a_machine(name_of(i)).in_set("ms1").build()));
  }
  void make(const kube::Resource& resource, json::value object) {
    auto& metadata = object.as_object()["metadata"].as_object();
    for (const auto* field : {"uid", "resourceVersion", "generation", "creationTimestamp"})
      metadata.erase(field);
    const kube::ObjectKey key{.namespace_ = resource.namespaced ? std::string(builders::kNamespace) : "",
                              .name = std::string(metadata.at("name").as_string())};
    must(user_.create(resource, key, object, {}, Deadline::never()));
  }

  static std::string name_of(int number) { return fmt::format("m{:04}", number); }

  // Of the last Machine, in the cache: those before it came before.
  bool shows(std::string_view annotation) const {
    const auto last = caches_.machines.get(
        {.namespace_ = std::string(builders::kNamespace), .name = name_of(kMachines - 1)});
    return last->metadata.annotations.contains(annotation);
  }

  // Returns when the cache has it.
  void annotate_all(kube::Client& client, std::string_view annotation, std::string_view value) {
    for (int i = 0; i < kMachines; ++i) {
      const json::value body = {{"metadata", {{"annotations", {{annotation, value}}}}}};
      must(client.patch(kube::resource_of<api::Machine>(),
                        {.namespace_ = std::string(builders::kNamespace), .name = name_of(i)}, body, {},
                        Deadline::never()));
    }
    await([&] { return shows(annotation); });
  }

  int granted() const {
    int count = 0;
    for (const auto& machine : caches_.machines_with_fleet_request())
      count += machine->metadata.annotations.contains(api::policy::annotation::kFleetGrant) ? 1 : 0;
    return count;
  }

  std::string standing() const {
    const auto policy = caches_.fleet_policies.get(kPolicy);
    return fmt::format("of {} Machines and {} FleetPolicies {} are granted, {} in flight, {} wait",
                       caches_.machines.size(), caches_.fleet_policies.size(), granted(),
                       policy ? policy->status.in_flight : 0, policy ? policy->status.waiting : 0);
  }

  template <typename Fn>
  double seconds_of(Fn&& work) {
    const SteadyTime begun = clock_.steady_now();
    work();
    return std::chrono::duration<double>(clock_.steady_now() - begun).count();
  }

  template <typename Fn>
  void await(Fn&& done) {
    const Deadline limit = Deadline::in(clock_, std::chrono::minutes(2));
    while (!done()) {
      if (limit.passed(clock_.steady_now())) throw std::runtime_error(standing());
      threads_.pause(Deadline::in(clock_, milliseconds(1)));
    }
  }

  SystemClock clock_;
  SystemThreads threads_;
  SystemRandomness randomness_;
  apiserver::Api api_;
  fakes::MemoryClient user_;
  fakes::MemoryClient memory_;
  CountingWrites client_;
  kube::WatchLoop loop_;
  runtime::DynamicInformers informers_;
  controllers::Caches caches_;
  fakes::FakeWorkloadClusters workload_clusters_;
  SilentEvents events_;
  fakes::CountedNames names_;
  runtime::OpenBrake brake_;
  runtime::Informer<api::Machine> machines_;
  runtime::Informer<api::Cluster> clusters_;
  runtime::Informer<api::FleetPolicy> policies_;
  controllers::Deps deps_;
  controllers::fleetpolicy::Reconciler reconciler_;
  runtime::Controller controller_;
  runtime::ExternalRefs externals_;
};

}  // namespace

namespace {

struct Costs {
  double writes = 0;
  double ratio = 0;
};

// The request of each Machine is a write, too. Bare patches come before and after the grants: each write
// makes its Machine larger, and a machine that others use is not always as fast.
Costs costs_once() {
  GrantGround ground;
  const double before = ground.seconds_of_bare_patches("example.com/before");
  ground.ask_all();
  const double grants = ground.seconds_of_grants();
  const double after = ground.seconds_of_bare_patches("example.com/after");
  const double bare = (before + after) / 2;
  return {.writes = 1 + static_cast<double>(ground.writes()) / kMachines, .ratio = grants / bare};
}

}  // namespace

// A thousand patches take less than a tenth of a second here: the median of several runs.
Values fleet_grant_costs(const Place&) {
  std::vector<Costs> runs(kRuns);
  std::ranges::generate(runs, costs_once);
  std::ranges::sort(runs, {}, &Costs::ratio);
  const Costs& median = runs[runs.size() / 2];
  return {{"fleet.writes_per_grant", median.writes}, {"fleet.grant_ratio", median.ratio}};
}

}  // namespace capstan::bench
