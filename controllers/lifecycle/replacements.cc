#include "controllers/lifecycle/replacements.h"

#include <algorithm>
#include <tuple>

#include "api/names.h"
#include "base/safeguards.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::lifecycle {
namespace {

// One that has reported nothing yet is on its way.
Phase phase_of(const api::Machine& machine) {
  if (machine.metadata.deleting()) return Phase::Terminating;
  const auto standing = standing_of(machine);
  return standing ? standing->phase : Phase::Creating;
}

class Granting {
 public:
  explicit Granting(const ReplacementQuestion& question)
      : question_(question), counted_(counted_phases(question.policy)) {}

  Replacements run() {
    found_.in_flight = question_.missing + count();
    for (const auto& machine : waiting()) {
      const bool itself = takes_a_place(*machine, counted_);
      if (found_.in_flight - (itself ? 1 : 0) >= question_.limit && !is_off(Safeguard::ReplacementLimit))
        continue;
      found_.granted.push_back(machine);
      if (!itself) ++found_.in_flight;
    }
    return std::move(found_);
  }

 private:
  std::int32_t count() const {
    return static_cast<std::int32_t>(std::ranges::count_if(
        question_.machines, [&](const auto& machine) { return takes_a_place(*machine, counted_); }));
  }

  // Those that have been Unhealthy for too long and may not go yet, the longest first.
  std::vector<MachineSnapshot> waiting() {
    std::vector<MachineSnapshot> due;
    for (const auto& machine : question_.machines) {
      if (is_candidate(*machine) && is_due(*machine)) due.push_back(machine);
    }
    std::ranges::sort(due, {}, [](const auto& machine) {
      return std::tuple{standing_of(*machine)->since, machine->metadata.name};
    });
    return due;
  }

  bool is_candidate(const api::Machine& machine) const {
    const auto& metadata = machine.metadata;
    return !metadata.deleting() && is_in(machine, Phase::Unhealthy) && !is_granted(machine) &&
           !metadata.annotations.contains(api::annotation::kPaused) && question_.may_be_replaced(machine);
  }

  bool is_due(const api::Machine& machine) {
    const auto end = health_ends(machine, rules_for(question_.policy, machine), question_.contact);
    if (!end) return false;
    if (*end <= question_.now) return true;
    recheck_within(found_.recheck, *end - question_.now);
    return false;
  }

  const ReplacementQuestion& question_;
  const std::vector<Phase> counted_;
  Replacements found_ = {};
};

}  // namespace

bool takes_a_place(const api::Machine& machine, std::span<const Phase> counted) {
  if (!machine.metadata.deleting() && is_granted(machine)) return true;
  if (is_preserved_failure(machine)) return false;
  return std::ranges::find(counted, phase_of(machine)) != counted.end();
}

Replacements replacements(const ReplacementQuestion& question) { return Granting(question).run(); }

}  // namespace capstan::controllers::lifecycle
