// Where the API servers of workload clusters come from: the DriverCluster controller asks for one per
// cluster, simulated kubelets speak to it. cmd/dev answers with embedded API servers, `provider
// --workload-kubeconfig` with a real one, tests with a fake. Safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/deadline.h"
#include "base/result.h"
#include "kube/client.h"
#include "net/pki.h"

namespace capstan::infrastructure::sim {

struct ControlPlane {
  std::string host = {};
  std::int32_t port = 0;
  // Signs client certificates that the API server accepts. Without a private key no kubeconfig Secret is
  // made from it, and the Secret must come from elsewhere.
  net::KeyAndCertificate authority = {};
};

class ControlPlanes {
 public:
  virtual ~ControlPlanes() = default;

  // The control plane of that cluster, made first when there is none. Asking again gives the same.
  virtual Result<ControlPlane> ensure(const kube::ObjectKey& cluster, const Deadline& deadline) = 0;
  // Success also when there is none.
  virtual Result<void> remove(const kube::ObjectKey& cluster, const Deadline& deadline) = 0;
  // A client that may do everything there; null while there is no such control plane.
  virtual std::shared_ptr<kube::Client> client(const kube::ObjectKey& cluster) = 0;
};

}  // namespace capstan::infrastructure::sim
