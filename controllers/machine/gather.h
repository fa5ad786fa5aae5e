// Gathers what can wait: a status that no controller acts upon is written a moment later, together with what
// comes next, or not at all when the Machine is gone by then (with quick providers most status patches are
// saved). Losing the memory costs one patch. Safe from any thread; one turn at a time per Machine.
#pragma once

#include <optional>
#include <unordered_map>

#include "base/clock.h"
#include "base/guarded.h"
#include "kube/resource.h"

namespace capstan::controllers::machine {

class Gather {
 public:
  Gather(const Clock& clock, Nanoseconds span) : clock_(clock), span_(span) {}

  // How much longer this news may wait, counted from the first turn that had some; nothing: it is time.
  std::optional<Nanoseconds> wait(const kube::ObjectKey& machine);
  // It was written, or there is nothing to say.
  void over(const kube::ObjectKey& machine);

 private:
  const Clock& clock_;
  const Nanoseconds span_;
  Guarded<std::unordered_map<kube::ObjectKey, SteadyTime>> since_;
};

}  // namespace capstan::controllers::machine
