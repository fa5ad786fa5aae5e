// FreezeBrake: shut for what a person has frozen (lineage.h). Asked about the drain of a Machine by those
// whose deletion was a controller's, or may have been (deleted_for.h). Reads caches; safe from any thread.
#pragma once

#include "controllers/shared/caches.h"
#include "runtime/brake.h"

namespace capstan::controllers::safety {

class FreezeBrake final : public runtime::Brake {
 public:
  explicit FreezeBrake(const Caches& caches) : caches_(caches) {}

  // A MachineHealthCheck is asked about by its Cluster alone: the MachineSets of what it marks ask, too.
  runtime::Verdict ask(runtime::Intent intent, const runtime::Asker& asker) const override;

 private:
  const Caches& caches_;
};

}  // namespace capstan::controllers::safety
