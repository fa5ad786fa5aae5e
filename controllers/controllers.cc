#include "controllers/controllers.h"

#include <array>
#include <deque>

#include "api/names.h"
#include "api/policy/fleet_names.h"
#include "api/policy/names.h"
#include "controllers/cluster/reconciler.h"
#include "controllers/crdmigration/reconciler.h"
#include "controllers/fleetpolicy/reconciler.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/lifecyclepolicy/reconciler.h"
#include "controllers/machine/reconciler.h"
#include "controllers/machinedeployment/reconciler.h"
#include "controllers/machinehealthcheck/reconciler.h"
#include "controllers/machinepool/reconciler.h"
#include "controllers/machineset/reconciler.h"
#include "controllers/safety/api_loss_brake.h"
#include "controllers/safety/brakes.h"
#include "controllers/safety/fleet_freeze.h"
#include "controllers/safety/freeze_brake.h"
#include "controllers/safety/management_health.h"
#include "controllers/safety/probes.h"
#include "controllers/shared/deps.h"
#include "controllers/shared/referrers.h"
#include "controllers/topology/reconciler.h"
#include "controllers/topology/waker.h"
#include "controllers/unclaimed/reconciler.h"
#include "kube/typed.h"
#include "runtime/events.h"
#include "runtime/resync.h"
#include "runtime/sync_state.h"
#include "runtime/triggers.h"

namespace capstan::controllers {
namespace {

// Between two turns of one key.
constexpr auto kPace = std::chrono::milliseconds(100);
// Owners of many are woken by each of them: the more they own, the longer their events are gathered, so that
// a set of ten thousand costs no more turns than one of a hundred.
constexpr Nanoseconds kQuietPerReplica = std::chrono::milliseconds(5);
constexpr Nanoseconds kLongestQuiet = std::chrono::seconds(1);

constexpr std::string_view kLifecyclePolicy = "machinelifecyclepolicy";
constexpr std::string_view kFleetPolicy = "fleetpolicy";
constexpr std::string_view kCrdMigrator = "crdmigrator";
constexpr std::string_view kTopologyCluster = "topology/cluster";
constexpr std::string_view kTopologyMachineDeployment = "topology/machinedeployment";
constexpr std::string_view kTopologyMachineSet = "topology/machineset";
constexpr std::string_view kUnclaimedNode = "unclaimednode";
constexpr std::array kNames = {api::controller::kCluster,
                               api::controller::kMachineDeployment,
                               api::controller::kMachineSet,
                               api::controller::kMachine,
                               api::controller::kMachinePool,
                               api::controller::kMachineHealthCheck,
                               kTopologyMachineDeployment,
                               kTopologyMachineSet,
                               kTopologyCluster,
                               kLifecyclePolicy,
                               kFleetPolicy,
                               kUnclaimedNode,
                               kCrdMigrator};

// How many objects a key answers for; nothing when it is gone.
using CountOwned = std::function<std::int32_t(const ObjectKey&)>;

class Gathering final : public runtime::Reconciler {
 public:
  Gathering(runtime::Reconciler& inner, CountOwned count) : inner_(inner), count_(std::move(count)) {}

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const ObjectKey& key) override {
    auto outcome = inner_.reconcile(context, key);
    if (!outcome || !count_) return outcome;
    return outcome->quiet_for(std::min(kLongestQuiet, kQuietPerReplica * count_(key)));
  }

 private:
  runtime::Reconciler& inner_;
  const CountOwned count_;
};

class Unit {
 public:
  virtual ~Unit() = default;
  virtual runtime::Controller& controller() = 0;
  virtual void stop() = 0;
};

// One reconciler, the controller that runs it and what both are lent.
template <typename R>
class UnitOf final : public Unit {
 public:
  struct Made {
    std::string name;
    std::string_view kind;
    std::size_t concurrency;
    CountOwned count = {};
  };

  // `own`: settings that only this kind has.
  template <typename... Own>
  UnitOf(const Seams& seams, const runtime::Brake& brake, const Settings& settings, Caches& caches,
         runtime::DynamicInformers& informers, runtime::Events& events, NameGenerator& names,
         const Made& made, const Own&... own)
      : recorder_(events.recorder(made.name + std::string(api::controller::kEventSourceSuffix))),
        deps_{.clock = seams.clock,
              .threads = seams.threads,
              .client = seams.client,
              .caches = caches,
              .workload_clusters = seams.workload_clusters,
              .events = *recorder_,
              .names = names,
              .brake = brake,
              .metrics = seams.metrics,
              .watch_filter = settings.watch_filter},
        reconciler_(deps_, own...),
        gathering_(reconciler_, made.count),
        controller_({.clock = seams.clock,
                     .threads = seams.threads,
                     .client = seams.client,
                     .randomness = seams.randomness,
                     .log = seams.log.component("controller"),
                     .metrics = seams.metrics,
                     .after_load = seams.after_load},
                    {.name = made.name,
                     .kind = std::string(made.kind),
                     .concurrency = made.concurrency,
                     .queue = {.pace = kPace}},
                    gathering_),
        externals_(informers, caches.crds,
                   {.group = api::group::kCluster,
                    .kind = made.kind,
                    .referrers = referrers_of_kind(caches, made.kind)},
                   controller_.queue()) {
    reconciler_.bind({controller_.consistency(), externals_, controller_.queue()});
    reconciler_.add_triggers(controller_.queue());
  }

  ~UnitOf() override { stop_all(); }
  UnitOf(const UnitOf&) = delete;
  UnitOf& operator=(const UnitOf&) = delete;

  runtime::Controller& controller() override { return controller_; }
  void stop() override { stop_all(); }

 private:
  // What a reconciler watches by itself wakes a queue that goes before it does.
  void stop_all() {
    controller_.stop();
    if constexpr (requires { reconciler_.stop_drains(); }) reconciler_.stop_drains();
  }

  std::unique_ptr<runtime::EventRecorder> recorder_;
  const Deps deps_;
  R reconciler_;
  Gathering gathering_;
  runtime::Controller controller_;
  runtime::ExternalRefs externals_;
};

}  // namespace

std::span<const std::string_view> controller_names() { return kNames; }

class Controllers::Parts {
 public:
  Parts(const Seams& given_seams, Settings given_settings)
      : seams(given_seams),
        settings(std::move(given_settings)),
        informer_deps{.loop = seams.loop,
                      .client = seams.client,
                      .log = seams.log.component("informer"),
                      .metrics = seams.metrics,
                      .limits = settings.watches,
                      .seed = seams.randomness.next()},
        names(seams.randomness),
        dynamic(informer_deps),
        events({.clock = seams.clock,
                .threads = seams.threads,
                .client = seams.client,
                .log = seams.log.component("events"),
                .metrics = seams.metrics}),
        resync(seams.clock, seams.threads, settings.sync_period) {
    watch(caches.crds, {});
    watch(caches.clusters, settings.namespace_);
    watch(caches.machine_deployments, settings.namespace_);
    watch(caches.machine_sets, settings.namespace_);
    watch(caches.machines, settings.namespace_);
    watch(caches.machine_pools, settings.namespace_);
    watch(caches.machine_health_checks, settings.namespace_);
    watch(caches.machine_drain_rules, settings.namespace_);
    watch_once_defined(caches.machine_lifecycle_policies, settings.namespace_,
                       api::policy::kLifecyclePolicyCrd);
    watch_once_defined(caches.fleet_policies, {}, api::policy::kFleetPolicyCrd);
    brakes.add(fleet_freeze);
    brakes.add(freeze);
    brakes.add(api_loss);

    const auto& many = settings.concurrency;
    add<cluster::Reconciler>(caches.clusters,
                             {std::string(api::controller::kCluster), api::kind::kCluster, many.cluster, {}},
                             settings.cluster);
    add<machinedeployment::Reconciler>(
        caches.machine_deployments,
        {std::string(api::controller::kMachineDeployment), api::kind::kMachineDeployment,
         many.machine_deployment, replicas_of(caches.machine_deployments)});
    add<machineset::Reconciler>(caches.machine_sets,
                                {std::string(api::controller::kMachineSet), api::kind::kMachineSet,
                                 many.machine_set, replicas_of(caches.machine_sets)},
                                settings.machine_set);
    add<machine::Reconciler>(caches.machines,
                             {std::string(api::controller::kMachine), api::kind::kMachine, many.machine, {}},
                             settings.machine);
    if (settings.machine_pools) {
      add<machinepool::Reconciler>(caches.machine_pools,
                                   {std::string(api::controller::kMachinePool), api::kind::kMachinePool,
                                    many.machine_pool, replicas_of(caches.machine_pools)});
    }
    add<machinehealthcheck::Reconciler>(caches.machine_health_checks,
                                        {std::string(api::controller::kMachineHealthCheck),
                                         api::kind::kMachineHealthCheck,
                                         many.machine_health_check,
                                         {}});
    add_topology();
    add<lifecyclepolicy::Reconciler>(
        caches.machine_lifecycle_policies,
        {std::string(kLifecyclePolicy), api::policy::kind::kMachineLifecyclePolicy, 1, {}});
    if (settings.owns_fleet_policy) {
      add<fleetpolicy::Reconciler>(
          caches.fleet_policies,
          {std::string(kFleetPolicy), api::policy::kind::kFleetPolicy, 1, grants_of(caches.fleet_policies)});
    }
    add<unclaimed::Reconciler>(caches.clusters, {std::string(kUnclaimedNode), api::kind::kCluster, 1, {}},
                               settings.unmanaged_node_after);
    if (settings.crd_migration) {
      add<crdmigration::Reconciler>(caches.crds,
                                    {std::string(kCrdMigrator), "CustomResourceDefinition", 1, {}},
                                    *settings.crd_migration);
    }
  }

  void add_topology() {
    const auto& many = settings.concurrency;
    add<topology::Reconciler<api::MachineDeployment>>(
        caches.machine_deployments,
        {std::string(kTopologyMachineDeployment), api::kind::kMachineDeployment, many.machine_deployment});
    add<topology::Reconciler<api::MachineSet>>(
        caches.machine_sets, {std::string(kTopologyMachineSet), api::kind::kMachineSet, many.machine_set});
    add<topology::Waker>(caches.clusters, {std::string(kTopologyCluster), api::kind::kCluster, many.cluster});
  }

  const Seams seams;
  const Settings settings;
  const Seconds api_loss_grace = std::chrono::duration_cast<Seconds>(settings.api_loss_grace);
  const runtime::InformerDeps informer_deps;
  RandomNames names;
  Caches caches;
  const safety::FleetFreezeBrake fleet_freeze{caches};
  const safety::FreezeBrake freeze{caches};
  safety::Brakes brakes{seams.brake};
  const safety::Probes frozen{seams.metrics};
  safety::ApiLossBrake api_loss{
      {.clock = seams.clock,
       .caches = caches,
       .workload_clusters = seams.workload_clusters,
       .management = [this] { return safety::management_health(informers, seams.clock, api_loss_grace); },
       .grace = api_loss_grace}};
  runtime::DynamicInformers dynamic;
  runtime::Events events;
  std::vector<std::unique_ptr<Unit>> units;
  runtime::Resync resync;
  std::vector<std::unique_ptr<runtime::InformerState>> owned_informers;
  std::vector<runtime::InformerState*> informers;
  std::vector<std::function<void()>> start_informer;
  std::vector<std::function<void()>> stop_informer;
  // Kinds that need not be installed.
  struct Optional {
    const runtime::InformerState* informer = nullptr;
    std::string_view definition = {};
    bool watched = false;  // of the thread of the definitions' informer
  };
  std::deque<Optional> optional = {};  // their addresses stay

 private:
  template <typename T>
  void watch(runtime::Store<T>& store, const std::string& namespace_) {
    auto& informer = add_informer(store, namespace_);
    start_informer.emplace_back([&informer] { informer.start(); });
  }

  // A kind that need not be installed: watched from the moment its definition is there. When the definition
  // goes, its objects go first, so there is nothing to undo. The definitions' informer, whose thread starts
  // this one, is stopped before it.
  template <typename T>
  void watch_once_defined(runtime::Store<T>& store, const std::string& namespace_,
                          std::string_view definition) {
    auto& informer = add_informer(store, namespace_);
    Optional& kind = optional.emplace_back(Optional{.informer = &informer, .definition = definition});
    caches.crds.subscribe([&kind, &informer](const auto& change) {
      if (!change.after || change.after->metadata.name != kind.definition) return;
      if (!std::exchange(kind.watched, true)) informer.start();
    });
  }

  template <typename T>
  runtime::Informer<T>& add_informer(runtime::Store<T>& store, const std::string& namespace_) {
    auto informer = std::make_unique<runtime::Informer<T>>(
        informer_deps,
        kube::WatchTarget{.resource = kube::resource_of(api::resource<T>), .namespace_ = namespace_}, store);
    auto& made = *informer;
    stop_informer.emplace_back([&made] { made.stop(); });
    informers.push_back(&made);
    owned_informers.push_back(std::move(informer));
    return made;
  }

  template <typename T>
  static CountOwned replicas_of(const runtime::Store<T>& store) {
    return [&store](const ObjectKey& key) {
      const auto owner = store.get(key);
      return owner ? owner->status.replicas.value_or(0) : 0;
    };
  }

  static CountOwned grants_of(const runtime::Store<api::FleetPolicy>& store) {
    return [&store](const ObjectKey& key) {
      const auto policy = store.get(key);
      return policy ? policy->status.waiting + policy->status.in_flight : 0;
    };
  }

  template <typename R, typename T, typename... Own>
  void add(runtime::Store<T>& store, const typename UnitOf<R>::Made& made, const Own&... own) {
    if (settings.left_out.contains(made.name)) return;
    auto unit =
        std::make_unique<UnitOf<R>>(seams, brakes, settings, caches, dynamic, events, names, made, own...);
    resync.add(store, unit->controller().queue());
    units.push_back(std::move(unit));
  }
};

Controllers::Controllers(const Seams& seams, const Settings& settings)
    : parts_(std::make_unique<Parts>(seams, settings)) {
  lifecycle::accept_mcm_aliases(settings.mcm_aliases);
}
Controllers::~Controllers() = default;

Caches& Controllers::caches() { return parts_->caches; }

void Controllers::start_informers() {
  for (const auto& start_one : parts_->start_informer) start_one();
}

std::optional<std::string> Controllers::not_synced() const {
  for (const auto* informer : parts_->informers) {
    const auto why = runtime::why_not_synced(*informer);
    if (why && is_wanted(*informer)) return std::string(informer->cache().kind()) + " is " + *why;
  }
  return {};
}

void Controllers::start() {
  parts_->events.start();
  for (const auto& unit : parts_->units) unit->controller().start();
  parts_->resync.start();
}

void Controllers::stop(Nanoseconds goodbye) {
  parts_->resync.stop();
  for (const auto& unit : parts_->units) unit->stop();
  parts_->events.stop(Deadline::in(parts_->seams.clock, goodbye, {}));
}

void Controllers::stop_informers() {
  for (const auto& stop_one : parts_->stop_informer) stop_one();
}

const std::vector<runtime::InformerState*>& Controllers::informers() const { return parts_->informers; }

bool Controllers::is_wanted(const runtime::InformerState& informer) const {
  const auto& crds = parts_->caches.crds;
  const auto found = std::ranges::find(parts_->optional, &informer, &Parts::Optional::informer);
  return found == parts_->optional.end() || !crds.synced() ||
         crds.get({.namespace_ = {}, .name = std::string(found->definition)});
}

std::vector<const runtime::Controller*> Controllers::controllers() const {
  std::vector<const runtime::Controller*> all;
  for (const auto& unit : parts_->units) all.push_back(&unit->controller());
  return all;
}

void Controllers::refresh_metrics() {
  for (auto* informer : parts_->informers) informer->refresh_metrics();
  parts_->dynamic.refresh_metrics();
  parts_->frozen.refresh(parts_->caches);
  for (const auto& unit : parts_->units) unit->controller().refresh_metrics();
}

}  // namespace capstan::controllers
