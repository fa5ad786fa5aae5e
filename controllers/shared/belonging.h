// Which Cluster an object belongs to: the one that owns it, by an owner reference of kind Cluster on itself
// or on the MachineSet, MachineDeployment or MachinePool that controls it. Where none of them names a Cluster
// that exists, spec.clusterName says it; a label never does. Clusters are told apart by their names, for
// after a restore they have other UIDs. Used by the controllers of all kinds that have a spec.clusterName,
// and by the Cluster's for what its providers made. Reads caches, sends nothing; safe from any thread.
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/shared/caches.h"
#include "controllers/shared/owning_clusters.h"

namespace capstan::controllers {

struct Belonging {
  std::string cluster = {};  // its name
  bool owned = false;        // false: spec.clusterName alone says so
  std::string through = {};  // "MachineSet ms": that is what the Cluster owns; empty: the object itself
  bool operator==(const Belonging&) const = default;
};

Belonging belonging_of(const Caches& caches, const api::Machine& machine);
Belonging belonging_of(const Caches& caches, const api::MachineSet& set);
Belonging belonging_of(const Caches& caches, const api::MachineDeployment& deployment);
Belonging belonging_of(const Caches& caches, const api::MachinePool& pool);

// For a condition of an object whose spec.clusterName is `cluster_name`; empty where that is the Cluster it
// belongs to.
std::string contradiction(const Belonging& belonging, std::string_view cluster_name);

// An object or what controls it.
struct Ancestor {
  std::string_view kind = {};
  const api::ObjectMeta* metadata = nullptr;
};

// Pure. `lineage` begins with the object itself.
template <std::predicate<std::string_view> ClusterExists>
Belonging belonging(std::span<const Ancestor> lineage, std::string_view cluster_name,
                    const ClusterExists& exists) {
  for (const Ancestor& each : lineage) {
    for (const api::OwnerReference* owner : owning_clusters(each.metadata->owner_references)) {
      if (!exists(owner->name.view())) continue;
      std::string through;
      if (&each != &lineage.front()) through.append(each.kind).append(" ").append(each.metadata->name.view());
      return {.cluster = owner->name.str(), .owned = true, .through = std::move(through)};
    }
  }
  return {.cluster = std::string(cluster_name)};
}

}  // namespace capstan::controllers
