// The API servers of workload clusters in a simulated fleet: made when the infrastructure provider asks for
// them, found by the manager through the address in a kubeconfig, lost and found again when the world says
// so. Live outside of processes that crash. Safe from any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "kubeconfig/dial.h"
#include "test/fakes/memory_control_planes.h"

namespace capstan::simulation {

class WorkloadServers final : public infrastructure::sim::ControlPlanes {
 public:
  WorkloadServers(const Clock& clock, Threads& threads, std::uint64_t seed);

  Result<infrastructure::sim::ControlPlane> ensure(const kube::ObjectKey& cluster,
                                                   const Deadline& deadline) override;
  Result<void> remove(const kube::ObjectKey& cluster, const Deadline& deadline) override;
  std::shared_ptr<kube::Client> client(const kube::ObjectKey& cluster) override;

  // For the manager: what a dial gives goes through `network`, which the world makes of a server's client.
  using Network = std::function<kube::Client&(kube::Client& server)>;
  kubeconfig::Dial dial(Network network);

  // Lost: connections of the manager are answered no more. Those of kubelets still are.
  void lose(bool lost) {
    lost_since_.with([&](auto& since) {
      if (!lost) since.reset();
      if (lost && !since) since = clock_.steady_now();
    });
  }
  bool lost() const { return lost_since().has_value(); }
  std::optional<SteadyTime> lost_since() const {
    return lost_since_.with([](const auto& since) { return since; });
  }
  // Refused: the credentials of clients that have dialled are good no more.
  void refuse(bool refused) {
    refused_.with([&](bool& is) { is = refused; });
  }
  bool refused() const {
    return refused_.with([](bool is) { return is; });
  }
  apiserver::Api* api(const kube::ObjectKey& cluster) { return planes_.api(cluster); }

 private:
  class Line;

  const Clock& clock_;
  fakes::MemoryControlPlanes planes_;
  Guarded<std::map<std::int32_t, kube::ObjectKey>> ports_;
  Guarded<std::optional<SteadyTime>> lost_since_;
  Guarded<bool> refused_{false};
};

}  // namespace capstan::simulation
