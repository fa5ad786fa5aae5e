// What one turn of a deletion has found out and a later one needs, although no status says so yet. Losing it
// costs a look at the API server, and a Node that refuses to go is tried for longer. Safe from any thread.
#pragma once

#include <map>
#include <optional>

#include "base/clock.h"
#include "base/guarded.h"
#include "controllers/machine/deletion.h"
#include "kube/resource.h"

namespace capstan::controllers::machine {

class DeletionMemory {
 public:
  explicit DeletionMemory(const Clock& clock) : clock_(clock) {}

  // A DELETE of a provider's object went out: facts.delete_sent names it.
  void delete_was_sent(const DeletionFacts& facts);
  // A DELETE failed: what was true of the object may not be so any more.
  void delete_failed(const kube::ObjectKey& machine);
  // Adds what is remembered of this Machine, not of another one that had its name before.
  void recall(DeletionFacts& facts) const;
  // How long its Node has been refusing to be deleted, from the first call on.
  Seconds node_refused_for(const kube::ObjectKey& machine);
  // How long a drain of it by force has been failing, from the first call on.
  Seconds force_in_vain_for(const kube::ObjectKey& machine);
  // How long VolumeAttachments of its Node could not be deleted, from the first call on.
  Seconds attachments_in_vain_for(const kube::ObjectKey& machine);
  void forget(const kube::ObjectKey& machine);

 private:
  using Since = Guarded<std::map<kube::ObjectKey, SteadyTime>>;
  Seconds time_since_first(Since& since, const kube::ObjectKey& machine);

  struct Progress {
    api::Uid machine = {};
    Stage delete_sent = Stage::Begin;  // DeleteInfra or DeleteBootstrap
    api::MachineDeletionStatus marks = {};
    std::optional<drain::StageReport> drain = {};
    std::optional<drain::StageReport> volumes = {};
  };

  const Clock& clock_;
  Guarded<std::map<kube::ObjectKey, Progress>> progress_;
  Since refused_since_;
  Since in_vain_since_;
  Since attachments_since_;
};

}  // namespace capstan::controllers::machine
