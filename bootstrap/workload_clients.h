// Clients of workload clusters for the few requests that a joining machine costs: made from the Cluster's
// kubeconfig Secret when one is asked for, kept for some minutes. Nothing is watched or probed, so a cluster
// in which nothing joins costs no request. The provider makes one. Safe from any thread.
#pragma once

#include <map>
#include <memory>

#include "base/clock.h"
#include "base/guarded.h"
#include "kube/client.h"
#include "kubeconfig/dial.h"

namespace capstan::bootstrap {

using kube::ObjectKey;

class WorkloadClients {
 public:
  // An empty `dial`: this process reaches no workload cluster, and every answer says so.
  WorkloadClients(kube::Client& management, const Clock& clock, kubeconfig::Dial dial)
      : management_(management), clock_(clock), dial_(std::move(dial)) {}

  // Reads the Secret when there is no client yet, or an old one; errors name what is wrong with it. Whether
  // the server answers shows with the first request.
  Result<std::shared_ptr<kube::Client>> of(const ObjectKey& cluster, const Deadline& deadline);
  // After a request has failed: the credentials may have been rotated.
  void forget(const ObjectKey& cluster);

 private:
  struct Kept {
    std::shared_ptr<kube::Client> client = {};
    SteadyTime since = {};
  };
  std::shared_ptr<kube::Client> kept(const ObjectKey& cluster);
  void keep(const ObjectKey& cluster, const std::shared_ptr<kube::Client>& client);

  kube::Client& management_;
  const Clock& clock_;
  const kubeconfig::Dial dial_;
  Guarded<std::map<ObjectKey, Kept>> clients_;
};

}  // namespace capstan::bootstrap
