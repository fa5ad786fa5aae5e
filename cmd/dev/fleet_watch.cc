#include "cmd/dev/fleet_watch.h"

#include "kube/typed.h"

namespace capstan::dev {
namespace {

// A burst of changes is one picture.
constexpr auto kGather = std::chrono::milliseconds(100);
constexpr auto kSyncCheck = std::chrono::milliseconds(10);

}  // namespace

FleetWatch::FleetWatch(const Clock& clock, Threads& threads, kube::Client& client)
    : threads_(threads),
      clock_(clock),
      loop_(threads, clock),
      clusters_({.loop = loop_, .client = client, .seed = 1},
                {.resource = kube::resource_of(api::resource<api::Cluster>)}, caches_.clusters),
      deployments_({.loop = loop_, .client = client, .seed = 2},
                   {.resource = kube::resource_of(api::resource<api::MachineDeployment>)},
                   caches_.machine_deployments),
      pools_({.loop = loop_, .client = client, .seed = 4},
             {.resource = kube::resource_of(api::resource<api::MachinePool>)}, caches_.machine_pools),
      machines_({.loop = loop_, .client = client, .seed = 3},
                {.resource = kube::resource_of(api::resource<api::Machine>)}, caches_.machines) {
  caches_.clusters.subscribe([this](const auto&) { changed_.notify(); });
  caches_.machine_deployments.subscribe([this](const auto&) { changed_.notify(); });
  caches_.machine_pools.subscribe([this](const auto&) { changed_.notify(); });
  caches_.machines.subscribe([this](const auto&) { changed_.notify(); });
}

FleetWatch::~FleetWatch() {
  machines_.stop();
  pools_.stop();
  deployments_.stop();
  clusters_.stop();
}

Result<void> FleetWatch::start(const Deadline& deadline) {
  clusters_.start();
  deployments_.start();
  pools_.start();
  machines_.start();
  while (!caches_.clusters.synced() || !caches_.machine_deployments.synced() ||
         !caches_.machine_pools.synced() || !caches_.machines.synced()) {
    if (deadline.passed(clock_.steady_now()) || deadline.stopped())
      return fail(Code::Timeout, "the fleet could not be listed");
    threads_.pause(deadline.no_later_than(clock_.steady_now() + kSyncCheck));
  }
  return {};
}

bool FleetWatch::follow(const Deadline& deadline, const std::function<bool(const Fleet&)>& seen) {
  std::optional<Fleet> last;
  for (;;) {
    const std::uint64_t count = changed_.count();
    Fleet now = look();
    if (!last || !(*last == now)) {
      if (seen(now)) return true;
      last = std::move(now);
    }
    if (threads_.wait(changed_, count, deadline) != Woken::Notified) return false;
    threads_.pause(deadline.no_later_than(clock_.steady_now() + kGather));
  }
}

bool FleetWatch::await(const Deadline& deadline, const kube::ObjectKey& machine,
                       const std::function<bool(const api::Machine&)>& wanted) {
  for (;;) {
    const std::uint64_t count = changed_.count();
    if (const auto now = caches_.machines.get(machine); now && wanted(*now)) return true;
    if (threads_.wait(changed_, count, deadline) != Woken::Notified) return false;
  }
}

}  // namespace capstan::dev
