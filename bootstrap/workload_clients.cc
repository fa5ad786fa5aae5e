#include "bootstrap/workload_clients.h"

#include <utility>

#include "base/try.h"
#include "kubeconfig/access.h"

namespace capstan::bootstrap {
namespace {

constexpr Nanoseconds kKeep = std::chrono::minutes(5);

}  // namespace

Result<std::shared_ptr<kube::Client>> WorkloadClients::of(const ObjectKey& cluster,
                                                          const Deadline& deadline) {
  if (!dial_) return fail(Code::NotConnected, "this process reaches no workload clusters");
  if (auto client = kept(cluster)) return client;
  const kube::Connection access = TRY(kubeconfig::read_access(management_, cluster, deadline));
  const std::shared_ptr<kube::Client> client = TRY(dial_(access, {.user_agent = "capstan-bootstrap"}));
  Kept kept{.client = client, .since = clock_.steady_now()};
  clients_.with([&](auto& clients) { std::swap(clients[cluster], kept); });
  return client;
}

void WorkloadClients::forget(const ObjectKey& cluster) {
  const auto forgotten = clients_.with([&](auto& clients) { return clients.extract(cluster); });
}

std::shared_ptr<kube::Client> WorkloadClients::kept(const ObjectKey& cluster) {
  return clients_.with([&](auto& clients) -> std::shared_ptr<kube::Client> {
    const auto found = clients.find(cluster);
    if (found == clients.end() || clock_.steady_now() - found->second.since > kKeep) return nullptr;
    return found->second.client;
  });
}

}  // namespace capstan::bootstrap
