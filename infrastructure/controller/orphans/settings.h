// What is done about VMs that are no object's: spec.orphans of the FleetPolicy, and its freeze, which the
// core tells on every Cluster, too. Read by the search at every period and by the turns of DriverClusters. A
// plain value.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "api/meta/object_meta.h"
#include "base/instant.h"

namespace capstan::infrastructure {

enum class OrphanAction { Report, Delete };

struct OrphanSettings {
  OrphanAction action = OrphanAction::Report;
  Seconds period{900};                 // from one list of an account to the next
  std::size_t per_period = 1;          // so many VMs of a cluster are deleted until the next list
  bool frozen = false;                 // the whole fleet is
  bool has_limits = false;             // or windows: a deletion needs a place
  std::vector<api::Uid> granted = {};  // Clusters with such a place that is not used yet
  bool operator==(const OrphanSettings&) const = default;
};

// Asked whenever it matters, from any thread; empty: the FleetPolicy is read.
using OrphanSettingsSource = std::function<OrphanSettings()>;

}  // namespace capstan::infrastructure
