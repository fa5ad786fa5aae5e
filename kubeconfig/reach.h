// What is known about the way to a workload cluster, for conditions and decisions. A plain value; asked for
// by kubeconfig/workload_clusters.h.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace capstan::kubeconfig {

struct Reach {
  bool connected = false;
  Time last_success = {};    // of a probe or of watch bytes; unset: never
  Time first_failure = {};   // of the present row of failures; unset: none
  std::string problem = {};  // why not, with field and remedy; empty while connected
  std::string doubt = {};    // connected, but the last probe failed, and calls answer NotConnected: why
  bool insecure = false;     // the kubeconfig says insecure-skip-tls-verify
  // Since when there has been no longer break, as the Cluster itself says: a restart does not change it. Set
  // by controllers/shared/reach.h; unset: not known.
  Time connected_since = {};
};

// Reason of a call's error when the cluster had no free place for it: no server has said it.
inline constexpr std::string_view kCrowdedOut = "CrowdedOut";

}  // namespace capstan::kubeconfig
