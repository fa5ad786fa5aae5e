// What every reconciler of the core is made of: the seams of the process and the caches, handed over once by
// controllers.h. Everything lives longer than the reconcilers.
#pragma once

#include <string>
#include <string_view>

#include "base/metrics.h"
#include "base/names.h"
#include "base/threads.h"
#include "controllers/shared/caches.h"
#include "kube/client.h"
#include "kubeconfig/workload_clusters.h"
#include "runtime/brake.h"
#include "runtime/consistency.h"
#include "runtime/events.h"
#include "runtime/external_refs.h"
#include "runtime/queue.h"

namespace capstan::controllers {

struct Deps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;  // of the management cluster
  Caches& caches;
  kubeconfig::WorkloadClusters& workload_clusters;
  runtime::EventRecorder& events;  // speaks as this controller
  NameGenerator& names;
  const runtime::Brake& brake;
  Metrics* metrics = nullptr;     // for the probes.h of a folder; null: nothing is counted
  std::string watch_filter = {};  // --watch-filter; empty: everything
};

// What the controller that runs a reconciler lends it. It is made after the reconciler and before the first
// turn: bind() hands it over.
struct Host {
  runtime::Consistency& consistency;
  runtime::ExternalRefs& externals;
  runtime::Queue& queue;
};

// Whether an object belongs to this manager's shard.
inline bool in_scope(const api::ObjectMeta& object, std::string_view watch_filter) {
  if (watch_filter.empty()) return true;
  const auto* label = object.labels.find("cluster.x-k8s.io/watch-filter");
  return label != nullptr && *label == watch_filter;
}

}  // namespace capstan::controllers
