// What becomes of VMs that carry the key of a cluster and are no object's: marked when they are first seen,
// deleted once a later complete list has shown them again, a few per period, and only where the FleetPolicy
// says so. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "infrastructure/controller/cluster/effects.h"
#include "infrastructure/controller/cluster/observation.h"
#include "infrastructure/controller/cluster/plan.h"

namespace capstan::infrastructure::cluster {

void look_after_orphans(const Observation& seen, Plan& plan);

// Both for report.h: the list in the status, and what of it is news.
void list_orphans(const Observation& seen, const Effects& effects, api::DriverClusterStatus& status);
void add_notes_of_orphans(const api::DriverClusterStatus& before, const api::DriverClusterStatus& after,
                          const Effects& effects, std::vector<runtime::Note>& notes);

// What is said of them when the DriverCluster goes: no search finds them from then on.
std::vector<runtime::Note> last_notes_of_orphans(const api::DriverClusterStatus& status);

// Why no VM of the cluster is marked or deleted for now; empty: nothing forbids it. A person or a count has
// frozen the Cluster or the whole fleet, or its API server is out of reach of the core.
std::string_view why_held(const api::Cluster& cluster, const OrphanSettings& settings);

}  // namespace capstan::infrastructure::cluster
