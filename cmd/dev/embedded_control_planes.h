// Control planes of the simulated cloud as embedded API servers in this process, one listener and one CA per
// cluster. Used by `up` and `demo`; safe from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "apiserver/http/server.h"
#include "base/guarded.h"
#include "infrastructure/sim/control_plane.h"
#include "kube/remote_client.h"

namespace capstan::dev {

class EmbeddedControlPlanes final : public infrastructure::sim::ControlPlanes {
 public:
  // All of it lives longer.
  EmbeddedControlPlanes(net::IoPool& io, const Clock& clock, Threads& threads, std::uint64_t seed);

  Result<infrastructure::sim::ControlPlane> ensure(const kube::ObjectKey& cluster,
                                                   const Deadline& deadline) override;
  Result<void> remove(const kube::ObjectKey& cluster, const Deadline& deadline) override;
  std::shared_ptr<kube::Client> client(const kube::ObjectKey& cluster) override;

  // An administrator's kubeconfig; NotFound while there is no such control plane.
  Result<std::string> kubeconfig(const kube::ObjectKey& cluster) const;
  // Those that it is true of answer nothing from now on, the others do again.
  void keep_away(const std::function<bool(const kube::ObjectKey&)>& is_away);
  // For faults; null while there is none. It stays as long as a caller holds it, also when it was removed.
  std::shared_ptr<apiserver::Server> server(const kube::ObjectKey& cluster) const;

 private:
  struct Running {
    std::shared_ptr<apiserver::Server> server = {};
    std::shared_ptr<kube::Client> client = {};
    bool away = false;
  };

  net::IoPool& io_;
  const Clock& clock_;
  Threads& threads_;
  const std::uint64_t seed_;
  Guarded<std::map<kube::ObjectKey, Running>> running_;
};

}  // namespace capstan::dev
