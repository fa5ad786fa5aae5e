// What the MachineHealthCheck controller remembers between turns: the Machines whose marks failed last time.
// The others are marked before them, so that a hundred Machines whose marks are refused delay no others.
// Losing it costs that order, never a mark. Safe from any thread.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "api/meta/object_meta.h"
#include "base/guarded.h"
#include "kube/resource.h"

namespace capstan::controllers::machinehealthcheck {

class Memory {
 public:
  using Machines = std::unordered_set<api::Uid>;

  void remember(const kube::ObjectKey& check, Machines unmarked);
  Machines unmarked_of(const kube::ObjectKey& check) const;
  void forget(const kube::ObjectKey& check) { remember(check, {}); }

 private:
  Guarded<std::unordered_map<kube::ObjectKey, Machines>> unmarked_;
};

}  // namespace capstan::controllers::machinehealthcheck
