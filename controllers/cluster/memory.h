// What the Cluster controller remembers between turns, and its flags. Losing it costs requests, never
// correctness. Safe from any thread.
#pragma once

#include <string>
#include <unordered_map>

#include "base/guarded.h"
#include "controllers/cluster/connection_probe.h"
#include "controllers/cluster/kubeconfig_keeper.h"
#include "controllers/shared/live_object.h"

namespace capstan::controllers::cluster {

struct Settings {
  Seconds connection_grace = kConnectionGrace;  // --remote-connection-grace-period
};

struct Memory {
  Memory(const Clock& clock, kube::Client& client, const Settings& flags)
      : settings(flags), kubeconfigs(clock, client), live_looks(clock) {}

  void forget(const kube::ObjectKey& cluster) {
    kubeconfigs.forget(cluster);
    live_looks.forget(cluster);
  }

  const Settings settings;
  KubeconfigKeeper kubeconfigs;
  LiveLooks live_looks;
  Guarded<std::unordered_map<std::string, SteadyTime>> loading_since = {};  // by group and kind
};

}  // namespace capstan::controllers::cluster
