#include "controllers/machineset/kept_machines.h"

#include <algorithm>

#include "base/safeguards.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::machineset {
namespace {

// For a mark that the policy's own turn is about to write, but may not, when other Machines fail meanwhile.
constexpr Seconds kMarkRecheck{15};

bool is_about_to_be_preserved(const Observation& seen, const api::Machine& machine) {
  return !is_off(Safeguard::Preservation) &&
         std::ranges::find(seen.about_to_be_preserved, machine.metadata.uid) !=
             seen.about_to_be_preserved.end();
}

// Nothing: it may go.
std::optional<Seconds> kept_for(const Observation& seen, std::size_t index) {
  const api::Machine& machine = *seen.machines[index];
  const lifecycle::NodeLook look{.known = seen.nodes[index] != nullptr, .node = seen.nodes[index].get()};
  if (lifecycle::is_kept(machine, look, seen.now)) {
    const auto until = lifecycle::preserved_until(machine);
    return until ? *until - seen.now : kMarkRecheck;
  }
  return is_about_to_be_preserved(seen, machine) ? std::optional(kMarkRecheck) : std::nullopt;
}

}  // namespace

KeptMachines kept_machines(const Observation& seen) {
  KeptMachines kept;
  if (seen.outdated()) return kept;
  for (std::size_t index = 0; index < seen.machines.size(); ++index) {
    const api::Machine& machine = *seen.machines[index];
    if (machine.metadata.deleting() || !lifecycle::has_failed(machine)) continue;
    const auto span = kept_for(seen, index);
    if (!span) continue;
    kept.uids.insert(machine.metadata.uid);
    recheck_within(kept.recheck, span);
  }
  return kept;
}

}  // namespace capstan::controllers::machineset
