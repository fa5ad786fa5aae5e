#include "infrastructure/provider.h"

#include "base/try.h"
#include "infrastructure/controller/cluster/reconciler.h"
#include "infrastructure/controller/inventory.h"
#include "infrastructure/controller/machine/reconciler.h"
#include "infrastructure/controller/pool/reconciler.h"
#include "infrastructure/probes.h"
#include "kube/typed.h"
#include "runtime/controller.h"
#include "runtime/informer.h"
#include "runtime/sync_state.h"

namespace capstan::infrastructure {
namespace {

constexpr Nanoseconds kLookForSync = std::chrono::milliseconds(10);
constexpr Nanoseconds kSendLastEvents = std::chrono::seconds(2);

runtime::ControllerDeps controller_deps(const ProviderDeps& deps) {
  return {.clock = deps.clock,
          .threads = deps.threads,
          .client = deps.client,
          .randomness = deps.randomness,
          .log = deps.log,
          .metrics = deps.metrics};
}

bool rests(const runtime::Controller& controller) {
  const auto counts = controller.queue().counts();
  return counts.running == 0 && counts.ready[0] == 0 && counts.ready[1] == 0 && counts.ready[2] == 0;
}

}  // namespace

class Provider::Parts {
 public:
  Parts(const ProviderDeps& deps, const ProviderOptions& options)
      : deps_(deps),
        loop_(deps.threads, deps.clock),
        informers_{.loop = loop_,
                   .client = deps.client,
                   .log = deps.log,
                   .metrics = deps.metrics,
                   .seed = options.seed},
        events_({.clock = deps.clock,
                 .threads = deps.threads,
                 .client = deps.client,
                 .log = deps.log,
                 .metrics = deps.metrics}),
        recorder_(events_.recorder("capstan-infrastructure")),
        inventory_({.clock = deps.clock,
                    .threads = deps.threads,
                    .client = deps.client,
                    .drivers = deps.drivers,
                    .caches = caches_,
                    .log = deps.log},
                   options.inventory_every),
        orphans_({.clock = deps.clock,
                  .threads = deps.threads,
                  .client = deps.client,
                  .drivers = deps.drivers,
                  .caches = caches_,
                  .settings = options.orphans,
                  .log = deps.log}),
        turn_deps_{.clock = deps.clock,
                   .threads = deps.threads,
                   .client = deps.client,
                   .drivers = deps.drivers,
                   .control_planes = deps.control_planes,
                   .randomness = deps.randomness,
                   .caches = caches_,
                   .inventory = inventory_,
                   .orphans = orphans_,
                   .events = *recorder_},
        machine_reconciler_(turn_deps_),
        cluster_reconciler_(turn_deps_, options.makes_control_planes),
        pool_reconciler_(turn_deps_, {.look_every = options.inventory_every}),
        machines_(controller_deps(deps),
                  {.name = "drivermachine",
                   .kind = "DriverMachine",
                   .concurrency = options.machine_concurrency,
                   .turn_timeout = std::chrono::minutes(5),
                   .queue = {.pace = options.machine_pace}},
                  machine_reconciler_),
        clusters_(controller_deps(deps),
                  {.name = "drivercluster",
                   .kind = "DriverCluster",
                   .concurrency = options.cluster_concurrency,
                   .queue = {.pace = options.cluster_pace}},
                  cluster_reconciler_),
        pools_(controller_deps(deps),
               {.name = "drivermachinepool",
                .kind = "DriverMachinePool",
                .concurrency = options.pool_concurrency,
                .turn_timeout = std::chrono::minutes(5),
                .queue = {.pace = options.pool_pace}},
               pool_reconciler_),
        cluster_informer_(informers_, {.resource = kube::resource_of<api::Cluster>()}, caches_.clusters),
        machine_informer_(informers_, {.resource = kube::resource_of<api::Machine>()}, caches_.machines),
        driver_cluster_informer_(informers_, {.resource = kube::resource_of<api::DriverCluster>()},
                                 caches_.driver_clusters),
        driver_machine_informer_(informers_, {.resource = kube::resource_of<api::DriverMachine>()},
                                 caches_.driver_machines),
        template_informer_(informers_, {.resource = kube::resource_of<api::DriverMachineTemplate>()},
                           caches_.driver_machine_templates),
        pool_informer_(informers_, {.resource = kube::resource_of<api::MachinePool>()},
                       caches_.machine_pools),
        driver_pool_informer_(informers_, {.resource = kube::resource_of<api::DriverMachinePool>()},
                              caches_.driver_machine_pools) {
    machine_reconciler_.bind(machines_.consistency());
    cluster_reconciler_.bind(clusters_.consistency());
    pool_reconciler_.bind(pools_.consistency());
    machine_reconciler_.add_triggers(machines_.queue());
    cluster_reconciler_.add_triggers(clusters_.queue());
    pool_reconciler_.add_triggers(pools_.queue());
  }

  ~Parts() {  // both add to queues that go before they do
    orphans_.stop();
    inventory_.stop();
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  Result<void> start_caches(const Deadline& deadline) {
    cluster_informer_.start();
    machine_informer_.start();
    driver_cluster_informer_.start();
    driver_machine_informer_.start();
    template_informer_.start();
    pool_informer_.start();
    driver_pool_informer_.start();
    while (const auto behind = runtime::not_synced(informers())) {
      const Deadline next = deadline.no_later_than(deps_.clock.steady_now() + kLookForSync);
      if (deps_.threads.pause(next) == Woken::Stopped) return fail(Code::Cancelled, "told to stop");
      if (deadline.passed(deps_.clock.steady_now()))
        return fail(Code::Timeout, *behind + "; is its CRD installed?");
    }
    return {};
  }

  void start_controllers() {
    events_.start();
    clusters_.start();
    machines_.start();
    pools_.start();
    inventory_.start();
    orphans_.start();
  }

  void stop_controllers() {
    orphans_.stop();
    inventory_.stop();
    pools_.stop();
    machines_.stop();
    clusters_.stop();
    events_.stop(Deadline::in(deps_.clock, kSendLastEvents));
  }

  void stop_caches() {
    driver_pool_informer_.stop();
    pool_informer_.stop();
    template_informer_.stop();
    driver_machine_informer_.stop();
    driver_cluster_informer_.stop();
    machine_informer_.stop();
    cluster_informer_.stop();
  }

  std::vector<runtime::InformerState*> informers() {
    return {&cluster_informer_,  &machine_informer_, &driver_cluster_informer_, &driver_machine_informer_,
            &template_informer_, &pool_informer_,    &driver_pool_informer_};
  }
  std::vector<const runtime::Controller*> controllers() const { return {&machines_, &clusters_, &pools_}; }

  void refresh_metrics() {
    machines_.refresh_metrics();
    clusters_.refresh_metrics();
    pools_.refresh_metrics();
    for (auto* informer : informers()) informer->refresh_metrics();
    probes_.refresh(caches_);
  }

  bool idle() const { return rests(machines_) && rests(clusters_) && rests(pools_); }

 private:
  const ProviderDeps deps_;
  kube::WatchLoop loop_;
  const runtime::InformerDeps informers_;
  Caches caches_;
  const Probes probes_{deps_.metrics};
  runtime::Events events_;
  std::unique_ptr<runtime::EventRecorder> recorder_;
  Inventory inventory_;
  OrphanSearch orphans_;
  const Deps turn_deps_;
  machine::Reconciler machine_reconciler_;
  cluster::Reconciler cluster_reconciler_;
  pool::Reconciler pool_reconciler_;
  runtime::Controller machines_;
  runtime::Controller clusters_;
  runtime::Controller pools_;
  runtime::Informer<api::Cluster> cluster_informer_;
  runtime::Informer<api::Machine> machine_informer_;
  runtime::Informer<api::DriverCluster> driver_cluster_informer_;
  runtime::Informer<api::DriverMachine> driver_machine_informer_;
  runtime::Informer<api::DriverMachineTemplate> template_informer_;
  runtime::Informer<api::MachinePool> pool_informer_;
  runtime::Informer<api::DriverMachinePool> driver_pool_informer_;
};

Provider::Provider(const ProviderDeps& deps, ProviderOptions options)
    : parts_(std::make_unique<Parts>(deps, options)) {}
Provider::~Provider() = default;

Result<void> Provider::start(const Deadline& deadline) {
  TRY(start_caches(deadline));
  start_controllers();
  return {};
}
void Provider::stop() {
  stop_controllers();
  stop_caches();
}
Result<void> Provider::start_caches(const Deadline& deadline) { return parts_->start_caches(deadline); }
void Provider::start_controllers() { parts_->start_controllers(); }
void Provider::stop_controllers() { parts_->stop_controllers(); }
void Provider::stop_caches() { parts_->stop_caches(); }
std::vector<runtime::InformerState*> Provider::informers() { return parts_->informers(); }
std::vector<const runtime::Controller*> Provider::controllers() const { return parts_->controllers(); }
void Provider::refresh_metrics() { parts_->refresh_metrics(); }
bool Provider::idle() const { return parts_->idle(); }

}  // namespace capstan::infrastructure
