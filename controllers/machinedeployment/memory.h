// What the MachineDeployment controller remembers between turns: adoptions that were refused, and since when
// MachineSets have not acted, and updates in place. Losing it costs requests, never correctness. Safe from
// any thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "controllers/inplace/updates.h"
#include "controllers/machinedeployment/effects.h"
#include "controllers/machinedeployment/observation.h"

namespace capstan::controllers::machinedeployment {

class Memory {
 public:
  explicit Memory(const Deps& deps) : updates(deps), clock_(deps.clock) {}

  inplace::Updates updates;  // of Machines in place

  // Refusals of a turn: for a minute the same adoption is not tried again.
  void refused(const kube::ObjectKey& key, const Effects& effects);
  // Moves what was refused a moment ago from the orphans to the unadopted.
  void set_refused_apart(const kube::ObjectKey& key, Observation& seen);
  // Since when sets have not acted: no object says so, and a restart begins anew.
  void note_waiting(const kube::ObjectKey& key, Observation& seen);
  // For a minute after a look at its Nodes that found nothing of an update in place, unless one of them says
  // something of one.
  bool has_quiet_nodes(const kube::ObjectKey& key) const;
  void note_quiet_nodes(const kube::ObjectKey& key);
  void look_at_nodes_again(const kube::ObjectKey& key);
  void forget(const kube::ObjectKey& key);

 private:
  struct Refusal {
    Unadopted what = {};
    SteadyTime until = {};
  };

  const Clock& clock_;
  Guarded<std::unordered_map<kube::ObjectKey, std::vector<Refusal>>> refusals_;
  Guarded<std::unordered_map<kube::ObjectKey, std::vector<Waiting>>> waiting_;
  Guarded<std::unordered_map<kube::ObjectKey, SteadyTime>> quiet_until_;
};

}  // namespace capstan::controllers::machinedeployment
