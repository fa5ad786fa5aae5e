#include "cmd/dev/embedded_control_planes.h"

#include <utility>
#include <vector>

#include "base/try.h"
#include "kubeconfig/connect.h"

namespace capstan::dev {

namespace sim = infrastructure::sim;

EmbeddedControlPlanes::EmbeddedControlPlanes(net::IoPool& io, const Clock& clock, Threads& threads,
                                             std::uint64_t seed)
    : io_(io), clock_(clock), threads_(threads), seed_(seed) {}

Result<sim::ControlPlane> EmbeddedControlPlanes::ensure(const kube::ObjectKey& cluster, const Deadline&) {
  return running_.with([&](auto& running) -> Result<sim::ControlPlane> {
    const auto [at, is_new] = running.try_emplace(cluster);
    if (is_new) {
      auto started = [&]() -> Result<Running> {
        Running made;
        made.server = TRY(apiserver::Server::start(
            io_, clock_, threads_, {.name = cluster.name, .seed = seed_ + running.size(), .workers = 4}));
        const auto text = TRY(made.server->kubeconfig());
        const auto config = TRY(kubeconfig::parse(text));
        auto connection = TRY(kubeconfig::connection(config));
        made.client = TRY(kube::RemoteClient::make({io_, threads_, clock_}, std::move(connection),
                                                   {.user_agent = "simulated-kubelets"}));
        return made;
      }();
      if (!started) {
        running.erase(at);
        return fail(started.error().context("start the API server of cluster " + cluster.describe()));
      }
      at->second = std::move(*started);
    }
    return sim::ControlPlane{
        .host = "127.0.0.1", .port = at->second.server->port(), .authority = at->second.server->authority()};
  });
}

Result<void> EmbeddedControlPlanes::remove(const kube::ObjectKey& cluster, const Deadline&) {
  // Destroyed outside of the lock: stopping a server waits for its requests.
  const Running ended = running_.with([&](auto& running) {
    const auto at = running.find(cluster);
    if (at == running.end()) return Running();
    Running taken = std::move(at->second);
    running.erase(at);
    return taken;
  });
  return {};
}

std::shared_ptr<kube::Client> EmbeddedControlPlanes::client(const kube::ObjectKey& cluster) {
  return running_.with([&](auto& running) {
    const auto at = running.find(cluster);
    return at == running.end() ? nullptr : at->second.client;
  });
}

Result<std::string> EmbeddedControlPlanes::kubeconfig(const kube::ObjectKey& cluster) const {
  const auto found = server(cluster);
  if (found == nullptr) return fail(Code::NotFound, "cluster " + cluster.describe() + " has no API server");
  return found->kubeconfig();
}

std::shared_ptr<apiserver::Server> EmbeddedControlPlanes::server(const kube::ObjectKey& cluster) const {
  return running_.with([&](const auto& running) -> std::shared_ptr<apiserver::Server> {
    const auto at = running.find(cluster);
    return at == running.end() ? nullptr : at->second.server;
  });
}

void EmbeddedControlPlanes::keep_away(const std::function<bool(const kube::ObjectKey&)>& is_away) {
  std::vector<std::pair<std::shared_ptr<apiserver::Server>, bool>> changed;
  running_.with([&](auto& running) {
    for (auto& [cluster, plane] : running) {
      const bool away = is_away(cluster);
      if (std::exchange(plane.away, away) != away) changed.emplace_back(plane.server, away);
    }
  });
  for (const auto& [server, away] : changed) {
    server->refuse(away);
    if (away) server->drop_connections();
  }
}

}  // namespace capstan::dev
