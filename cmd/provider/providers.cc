#include "cmd/provider/providers.h"

#include <algorithm>

#include "base/try.h"
#include "bootstrap/provider.h"
#include "infrastructure/provider.h"
#include "infrastructure/remote/remote_drivers.h"
#include "infrastructure/sim/cloud.h"

namespace capstan::provider {
namespace {

// The provider of a control plane makes it, and what an earlier capstan-dev has made went with that process.
class NoControlPlanes final : public infrastructure::sim::ControlPlanes {
 public:
  Result<infrastructure::sim::ControlPlane> ensure(const kube::ObjectKey& cluster, const Deadline&) override {
    return fail(Code::Invalid, "no control plane is made here for " + cluster.describe());
  }
  Result<void> remove(const kube::ObjectKey&, const Deadline&) override { return {}; }
  std::shared_ptr<kube::Client> client(const kube::ObjectKey&) override { return nullptr; }
};

std::size_t many(int count) { return static_cast<std::size_t>(count); }

std::unique_ptr<bootstrap::Provider> bootstrap_provider(const Options& options, const ProvidersDeps& deps) {
  return std::make_unique<bootstrap::Provider>(
      bootstrap::ProviderDeps{.clock = deps.seams.clock,
                              .threads = deps.seams.threads,
                              .client = deps.bootstrap,
                              .randomness = deps.seams.randomness,
                              .dial = deps.dial,
                              .keys = &deps.keys,
                              .log = deps.log.component("bootstrap"),
                              .metrics = &deps.metrics},
      bootstrap::ProviderOptions{.concurrency = many(options.work.cloud_config),
                                 .seed = deps.seams.randomness.next()});
}

// An operator who reads the log of a Machine without a VM finds the reason in its first lines.
std::unique_ptr<infrastructure::sim::SimCloud> simulated_cloud(const ProvidersDeps& deps) {
  deps.log.component("infrastructure")
      .info(
          "the cloud is simulated (--driver=simulated): no VM exists, and none becomes a Node; --drivers "
          "names drivers that make VMs");
  return std::make_unique<infrastructure::sim::SimCloud>(
      infrastructure::sim::CloudDeps{deps.seams.clock, deps.seams.threads, deps.log.component("cloud")},
      infrastructure::sim::Script{.seed = deps.seams.randomness.next()});
}

// Where all calls of all drivers hang, some workers of each kind still turn to what needs none.
constexpr std::size_t kBesidesCalls = 10;

infrastructure::ProviderOptions infrastructure_options(const WorkOptions& work, std::size_t calls,
                                                       std::uint64_t seed) {
  const auto workers = [calls](int configured) { return std::max(many(configured), calls + kBesidesCalls); };
  return {.machine_concurrency = workers(work.driver_machine),
          .cluster_concurrency = workers(work.driver_cluster),
          .pool_concurrency = workers(work.driver_machine_pool),
          .seed = seed,
          .makes_control_planes = false};
}

}  // namespace

class Providers::Parts {
 public:
  Parts(const Options& options, const ProvidersDeps& deps) {
    if (options.runs(kBootstrap)) bootstrap_part = bootstrap_provider(options, deps);
    if (!options.runs(kInfrastructure)) return;
    if (deps.drivers.empty())
      cloud = simulated_cloud(deps);
    else
      remotes.emplace(infrastructure::remote::TransportDeps{deps.seams.clock, deps.seams.threads},
                      deps.drivers);
    infrastructure_part = std::make_unique<infrastructure::Provider>(
        infrastructure::ProviderDeps{.clock = deps.seams.clock,
                                     .threads = deps.seams.threads,
                                     .client = deps.infrastructure,
                                     .drivers = cloud ? infrastructure::Drivers(*cloud) : remotes->drivers(),
                                     .control_planes = control_planes,
                                     .randomness = deps.seams.randomness,
                                     .log = deps.log.component("infrastructure"),
                                     .metrics = &deps.metrics},
        infrastructure_options(options.work, remotes ? remotes->workers() : 0, deps.seams.randomness.next()));
  }

  NoControlPlanes control_planes;
  std::unique_ptr<infrastructure::sim::SimCloud> cloud;           // null: its VMs are not simulated
  std::optional<infrastructure::remote::RemoteDrivers> remotes;   // none: its VMs are
  std::unique_ptr<infrastructure::Provider> infrastructure_part;  // null: it does not run
  std::unique_ptr<bootstrap::Provider> bootstrap_part;            // null: it does not run
};

Providers::Providers(const Options& options, const ProvidersDeps& deps)
    : parts_(std::make_unique<Parts>(options, deps)) {}
Providers::~Providers() = default;

Result<void> Providers::start_caches(const Deadline& deadline) {
  if (parts_->infrastructure_part) TRY(parts_->infrastructure_part->start_caches(deadline));
  if (parts_->bootstrap_part) TRY(parts_->bootstrap_part->start_caches(deadline));
  return {};
}

void Providers::start_controllers() {
  if (parts_->infrastructure_part) parts_->infrastructure_part->start_controllers();
  if (parts_->bootstrap_part) parts_->bootstrap_part->start_controllers();
}

void Providers::stop_controllers() {
  if (parts_->bootstrap_part) parts_->bootstrap_part->stop_controllers();
  if (parts_->infrastructure_part) parts_->infrastructure_part->stop_controllers();
}

void Providers::stop_caches() {
  if (parts_->bootstrap_part) parts_->bootstrap_part->stop_caches();
  if (parts_->infrastructure_part) parts_->infrastructure_part->stop_caches();
}

std::vector<NamedInformers> Providers::informers() {
  std::vector<NamedInformers> all;
  if (parts_->bootstrap_part) all.push_back({std::string(kBootstrap), parts_->bootstrap_part->informers()});
  if (parts_->infrastructure_part)
    all.push_back({std::string(kInfrastructure), parts_->infrastructure_part->informers()});
  return all;
}

std::vector<const runtime::Controller*> Providers::controllers() const {
  std::vector<const runtime::Controller*> all;
  if (parts_->bootstrap_part) all = parts_->bootstrap_part->controllers();
  if (parts_->infrastructure_part)
    for (const auto* controller : parts_->infrastructure_part->controllers()) all.push_back(controller);
  return all;
}

void Providers::refresh_metrics() {
  if (parts_->bootstrap_part) parts_->bootstrap_part->refresh_metrics();
  if (parts_->infrastructure_part) parts_->infrastructure_part->refresh_metrics();
}

}  // namespace capstan::provider
