// Looks after the Secret "<cluster>-kubeconfig" of Clusters that have no control plane object: makes it out
// of the CA Secret and renews a certificate of ours before it ends. Secrets are never cached, so it remembers
// when it looked: at one that works once an hour, in whatever turn comes then. A restart costs one GET per
// such Cluster. What only users can mend is said once and fails no turn. Safe from any thread.
#pragma once

#include <optional>
#include <unordered_map>

#include "api/v1beta2/cluster.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "controllers/shared/note.h"
#include "kube/client.h"

namespace capstan::controllers::cluster {

class KubeconfigKeeper {
 public:
  KubeconfigKeeper(const Clock& clock, kube::Client& client) : clock_(clock), client_(client) {}

  struct Kept {
    std::optional<Seconds> look_again = {};
    bool made = false;
    std::optional<Note> warning = {};  // what stands in the way, when it was found out just now
  };
  // `connected`: the Secret evidently worked when the connection was made; it may be gone since.
  Result<Kept> keep(const api::Cluster& cluster, bool connected, const Deadline& deadline);
  void forget(const kube::ObjectKey& cluster);

 private:
  struct Known {
    api::Uid cluster = {};
    SteadyTime checked = {};
    bool works = true;
    std::optional<Note> obstacle = {};

    Seconds patience(bool connected) const;
    std::optional<Seconds> look_again(SteadyTime now) const;
  };

  std::optional<Known> known(const api::Cluster& cluster) const;

  const Clock& clock_;
  kube::Client& client_;
  Guarded<std::unordered_map<kube::ObjectKey, Known>> known_;
};

}  // namespace capstan::controllers::cluster
