#include "bootstrap/workload_clients.h"

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
  const auto access = TRY(kubeconfig::read_access(management_, cluster, deadline));
  std::shared_ptr<kube::Client> client = TRY(dial_(access.connection, {.user_agent = "capstan-bootstrap"}));
  keep(cluster, client);
  return client;
}

// What is dropped is destroyed after the lock is released, with `before`.
void WorkloadClients::keep(const ObjectKey& cluster, const std::shared_ptr<kube::Client>& client) {
  const SteadyTime now = clock_.steady_now();
  const auto before = clients_.with([&](auto& clients) {
    auto all = clients;
    std::erase_if(clients, [&](const auto& entry) { return now - entry.second.since > kKeep; });
    clients[cluster] = {.client = client, .since = now};
    return all;
  });
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
