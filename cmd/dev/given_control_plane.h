// One API server that exists already stands for the control plane of every cluster: simulated kubelets
// register their Nodes there. It also hands out the kubeconfig Secret, for no other part has the key of its
// CA. Used by `provider --workload-kubeconfig`; safe from any thread.
#pragma once

#include <memory>
#include <string>

#include "base/secret.h"
#include "infrastructure/sim/control_plane.h"
#include "kube/remote_client.h"

namespace capstan::dev {

class GivenControlPlane final : public infrastructure::sim::ControlPlanes {
 public:
  // `management` lives longer. Invalid when the text is no kubeconfig.
  static Result<std::unique_ptr<GivenControlPlane>> make(const kube::RemoteClient::Seams& seams,
                                                         kube::Client& management,
                                                         Secret<std::string> kubeconfig);

  Result<infrastructure::sim::ControlPlane> ensure(const kube::ObjectKey& cluster,
                                                   const Deadline& deadline) override;
  Result<void> remove(const kube::ObjectKey&, const Deadline&) override { return {}; }
  std::shared_ptr<kube::Client> client(const kube::ObjectKey&) override { return client_; }

 private:
  GivenControlPlane(kube::Client& management, Secret<std::string> kubeconfig)
      : management_(management), kubeconfig_(std::move(kubeconfig)) {}

  kube::Client& management_;
  const Secret<std::string> kubeconfig_;
  infrastructure::sim::ControlPlane plane_ = {};
  std::shared_ptr<kube::Client> client_ = {};
};

}  // namespace capstan::dev
