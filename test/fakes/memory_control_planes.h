// MemoryControlPlanes: workload clusters' API servers in memory, for the simulated cloud: one Api and one
// MemoryClient per cluster. Lives in the simulated world, outside of processes that may crash. Header only,
// so that the other fakes need no infrastructure. Safe from any thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/guarded.h"
#include "infrastructure/sim/control_plane.h"
#include "test/fakes/memory_client.h"

namespace capstan::fakes {

class MemoryControlPlanes final : public infrastructure::sim::ControlPlanes {
 public:
  MemoryControlPlanes(const Clock& clock, Threads& threads, std::uint64_t seed)
      : clock_(clock), threads_(threads), seed_(seed) {}

  Result<infrastructure::sim::ControlPlane> ensure(const kube::ObjectKey& cluster,
                                                   const Deadline& /*deadline*/) override {
    return planes_.with([&](Planes& planes) -> Result<infrastructure::sim::ControlPlane> {
      auto& plane = planes[cluster];
      if (!plane) {
        plane = std::make_unique<Plane>(clock_, threads_, seed_ + planes.size());
        plane->port = static_cast<std::int32_t>(6442 + planes.size());
      }
      return infrastructure::sim::ControlPlane{
          .host = "127.0.0.1",
          .port = plane->port,
          .authority = {.certificate_pem = "certificate of " + cluster.describe(),
                        .private_key_pem = Secret(std::string("key"))}};
    });
  }
  Result<void> remove(const kube::ObjectKey& cluster, const Deadline& /*deadline*/) override {
    planes_.with([&](Planes& planes) {
      const auto found = planes.find(cluster);
      if (found != planes.end()) found->second->running = false;  // clients in use stay valid
    });
    return {};
  }
  std::shared_ptr<kube::Client> client(const kube::ObjectKey& cluster) override {
    return planes_.with([&](Planes& planes) -> std::shared_ptr<kube::Client> {
      const auto found = planes.find(cluster);
      return found == planes.end() || !found->second->running ? nullptr : found->second->client;
    });
  }

  // Null when there is none, removed ones included.
  apiserver::Api* api(const kube::ObjectKey& cluster) {
    return planes_.with([&](Planes& planes) -> apiserver::Api* {
      const auto found = planes.find(cluster);
      return found == planes.end() || !found->second->running ? nullptr : &found->second->api;
    });
  }

 private:
  struct Plane {
    Plane(const Clock& clock, Threads& threads, std::uint64_t seed)
        : api({.clock = clock, .seed = seed}),
          client(std::make_shared<MemoryClient>(
              api, threads, MemoryClientOptions{.user = "kubelet", .user_agent = "kubelet/1"})) {}
    apiserver::Api api;
    std::shared_ptr<MemoryClient> client;
    std::int32_t port = 0;
    bool running = true;
  };
  using Planes = std::map<kube::ObjectKey, std::unique_ptr<Plane>>;

  const Clock& clock_;
  Threads& threads_;
  const std::uint64_t seed_;
  Guarded<Planes> planes_;
};

}  // namespace capstan::fakes
