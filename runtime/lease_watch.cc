#include "runtime/lease_watch.h"

#include <utility>

#include "kube/typed.h"

namespace capstan::runtime {
namespace {

kube::WatchTarget only(const kube::ObjectKey& lease) {
  return {.resource = kube::resource_of<api::Lease>(),
          .namespace_ = lease.namespace_,
          .field_selector = "metadata.name=" + lease.name};
}

}  // namespace

LeaseWatch::LeaseWatch(Threads& threads, const Clock& clock, kube::Client& client,
                       const kube::ObjectKey& lease, std::uint64_t seed)
    : clock_(clock), loop_(threads, clock), watcher_(loop_, client, only(lease), *this, seed) {
  watcher_.start();
}

std::optional<HeardLease> LeaseWatch::take() {
  return heard_.with([](auto& heard) { return std::exchange(heard, std::nullopt); });
}

bool LeaseWatch::hears() const {
  const auto progress = watcher_.progress();
  return progress.synced && !progress.trouble;
}

void LeaseWatch::hear(std::optional<api::Lease> lease) {
  heard_.with([&](auto& heard) { heard = HeardLease{.lease = std::move(lease), .at = clock_.steady_now()}; });
  news_.notify();
}

}  // namespace capstan::runtime
