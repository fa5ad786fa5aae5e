// Which clusters the registry shall be connected to, from what happens to Clusters: those whose
// infrastructure is provisioned, until they are gone. Paused or being deleted makes no difference: Nodes of a
// cluster that goes are drained like any other. Used by wiring.
#pragma once

#include <functional>
#include <string_view>

#include "api/v1beta2/cluster.h"
#include "runtime/store.h"

namespace capstan::kubeconfig {

class WorkloadRegistry;

enum class Wish {
  Nothing,
  Want,
  Hurry,  // a try is worth more now than it was a moment ago
  Forget,
  Anew,  // another Cluster of the same name: forget the old one, want this one
};

// Pure.
Wish wish_after(const runtime::Change<api::Cluster>& change);

// From now on; clusters that are not in scope (another shard's) are left alone. The registry outlives the
// informer that feeds the store.
void follow(runtime::Store<api::Cluster>& clusters, WorkloadRegistry& registry,
            std::function<bool(const api::Cluster&)> in_scope = {});

}  // namespace capstan::kubeconfig
