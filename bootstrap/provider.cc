#include "bootstrap/provider.h"

#include <algorithm>

#include "base/try.h"
#include "bootstrap/access/reconciler.h"
#include "bootstrap/approval/reconciler.h"
#include "bootstrap/controller/reconciler.h"
#include "bootstrap/nodeconfig/reconciler.h"
#include "kube/typed.h"
#include "runtime/controller.h"
#include "runtime/informer.h"
#include "runtime/sync_state.h"

namespace capstan::bootstrap {
namespace {

constexpr Nanoseconds kLookForSync = std::chrono::milliseconds(10);
constexpr Nanoseconds kSendLastEvents = std::chrono::seconds(2);
// Clusters whose bindings are looked at in the same moment: few, and one that does not answer holds up no
// other.
constexpr std::size_t kAccessConcurrency = 4;
// As few, and a look at one lists the Nodes of its cluster: while many machines join, once a second.
constexpr std::size_t kNodeConfigConcurrency = 4;
constexpr Nanoseconds kNodeConfigPace = std::chrono::seconds(1);

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
        recorder_(events_.recorder("capstan-bootstrap")),
        workloads_(deps.client, deps.clock, reaches_workloads() ? deps.dial : kubeconfig::Dial()),
        reconciler_({.clock = deps.clock,
                     .client = deps.client,
                     .workloads = workloads_,
                     .keys = deps.keys == nullptr ? deps.randomness : *deps.keys,
                     .caches = caches_,
                     .events = *recorder_}),
        controller_({.clock = deps.clock,
                     .threads = deps.threads,
                     .client = deps.client,
                     .randomness = deps.randomness,
                     .log = deps.log,
                     .metrics = deps.metrics},
                    {.name = "cloudconfig",
                     .kind = "CloudConfig",
                     .concurrency = options.concurrency,
                     .queue = {.pace = options.pace}},
                    reconciler_),
        access_reconciler_({.client = deps.client, .workloads = workloads_, .caches = caches_}),
        access_controller_({.clock = deps.clock,
                            .threads = deps.threads,
                            .client = deps.client,
                            .randomness = deps.randomness,
                            .log = deps.log,
                            .metrics = deps.metrics},
                           {.name = "bootstrapaccess",
                            .kind = "Cluster",
                            .concurrency = kAccessConcurrency,
                            .queue = {.pace = options.pace}},
                           access_reconciler_),
        node_config_reconciler_({.clock = deps.clock,
                                 .client = deps.client,
                                 .workloads = workloads_,
                                 .caches = caches_,
                                 .events = *recorder_}),
        node_config_controller_({.clock = deps.clock,
                                 .threads = deps.threads,
                                 .client = deps.client,
                                 .randomness = deps.randomness,
                                 .log = deps.log,
                                 .metrics = deps.metrics},
                                {.name = "nodeconfig",
                                 .kind = "NodeConfig",
                                 .concurrency = kNodeConfigConcurrency,
                                 .queue = {.pace = kNodeConfigPace}},
                                node_config_reconciler_),
        approval_reconciler_({.client = deps.client, .workloads = workloads_, .caches = caches_}),
        approval_controller_({.clock = deps.clock,
                              .threads = deps.threads,
                              .client = deps.client,
                              .randomness = deps.randomness,
                              .log = deps.log,
                              .metrics = deps.metrics},
                             {.name = "agentcertificate",
                              .kind = "Cluster",
                              .concurrency = kAccessConcurrency,
                              .queue = {.pace = options.pace}},
                             approval_reconciler_),
        cluster_informer_(informers_, {.resource = kube::resource_of<api::Cluster>()}, caches_.clusters),
        machine_informer_(informers_, {.resource = kube::resource_of<api::Machine>()}, caches_.machines),
        pool_informer_(informers_, {.resource = kube::resource_of<api::MachinePool>()},
                       caches_.machine_pools),
        config_informer_(informers_, {.resource = kube::resource_of<api::CloudConfig>()},
                         caches_.cloud_configs),
        node_config_informer_(informers_, {.resource = kube::resource_of<api::NodeConfig>()},
                              caches_.node_configs) {
    reconciler_.bind(controller_.consistency());
    reconciler_.add_triggers(controller_.queue());
    if (!reaches_workloads()) return;
    access_reconciler_.add_triggers(access_controller_.queue());
    approval_reconciler_.add_triggers(approval_controller_.queue());
    node_config_reconciler_.bind(node_config_controller_.consistency());
    node_config_reconciler_.add_triggers(node_config_controller_.queue());
  }

  Result<void> start_caches(const Deadline& deadline) {
    cluster_informer_.start();
    machine_informer_.start();
    pool_informer_.start();
    config_informer_.start();
    if (reaches_workloads()) node_config_informer_.start();
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
    controller_.start();
    if (!reaches_workloads()) return;
    access_controller_.start();
    node_config_controller_.start();
    approval_controller_.start();
  }

  void stop_controllers() {
    approval_controller_.stop();
    node_config_controller_.stop();
    access_controller_.stop();
    controller_.stop();
    events_.stop(Deadline::in(deps_.clock, kSendLastEvents));
  }

  void stop_caches() {
    if (reaches_workloads()) node_config_informer_.stop();
    config_informer_.stop();
    pool_informer_.stop();
    machine_informer_.stop();
    cluster_informer_.stop();
  }

  std::vector<runtime::InformerState*> informers() {
    std::vector<runtime::InformerState*> all = {&cluster_informer_, &machine_informer_, &pool_informer_,
                                                &config_informer_};
    if (reaches_workloads()) all.push_back(&node_config_informer_);
    return all;
  }
  std::vector<const runtime::Controller*> controllers() const {
    if (!reaches_workloads()) return {&controller_};
    return {&controller_, &access_controller_, &node_config_controller_, &approval_controller_};
  }

  void refresh_metrics() {
    controller_.refresh_metrics();
    access_controller_.refresh_metrics();
    node_config_controller_.refresh_metrics();
    approval_controller_.refresh_metrics();
    for (auto* informer : informers()) informer->refresh_metrics();
  }

  bool idle() const {
    return std::ranges::all_of(controllers(), [](const runtime::Controller* controller) {
      const auto counts = controller->queue().counts();
      return counts.running == 0 && counts.ready[0] == 0 && counts.ready[1] == 0 && counts.ready[2] == 0;
    });
  }

 private:
  // Without both no token can be made.
  bool reaches_workloads() const { return deps_.dial && deps_.keys != nullptr; }

  const ProviderDeps deps_;
  kube::WatchLoop loop_;
  const runtime::InformerDeps informers_;
  Caches caches_;
  runtime::Events events_;
  std::unique_ptr<runtime::EventRecorder> recorder_;
  WorkloadClients workloads_;
  controller::Reconciler reconciler_;
  runtime::Controller controller_;
  access::Reconciler access_reconciler_;
  runtime::Controller access_controller_;
  nodeconfig::Reconciler node_config_reconciler_;
  runtime::Controller node_config_controller_;
  approval::Reconciler approval_reconciler_;
  runtime::Controller approval_controller_;
  runtime::Informer<api::Cluster> cluster_informer_;
  runtime::Informer<api::Machine> machine_informer_;
  runtime::Informer<api::MachinePool> pool_informer_;
  runtime::Informer<api::CloudConfig> config_informer_;
  runtime::Informer<api::NodeConfig> node_config_informer_;
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

}  // namespace capstan::bootstrap
