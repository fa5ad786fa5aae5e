#include "controllers/lifecycle/replacements.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "api/conditions/message.h"
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

constexpr std::size_t kMostNamed = 3;

std::string stay(std::span<const MachineSnapshot> machines, std::string_view why) {
  if (machines.empty()) return {};
  std::vector<std::string> names;
  for (const auto& machine : machines) names.push_back(machine->metadata.name.str());
  std::ranges::sort(names);
  return fmt::format(
      "{} {} {} been Unhealthy for longer than the policy allows, and {} for a replacement: {}",
      names.size() == 1 ? "Machine" : "Machines", api::conditions::name_list(names, kMostNamed),
      names.size() == 1 ? "has" : "have", names.size() == 1 ? "waits" : "wait", why);
}

class Granting {
 public:
  explicit Granting(const ReplacementQuestion& question)
      : question_(question), counted_(counted_phases(question.policy)) {}

  Replacements run() {
    found_.missing = question_.missing;
    found_.in_flight = question_.missing + count();
    for (const auto& machine : waiting()) {
      const bool itself = takes_a_place(*machine, counted_);
      const bool full = found_.in_flight - (itself ? 1 : 0) >= question_.limit;
      if (full && !is_off(Safeguard::ReplacementLimit))
        found_.waiting.push_back(machine);
      else
        grant(machine, itself);
    }
    name_those_under_way();
    return std::move(found_);
  }

 private:
  void grant(const MachineSnapshot& machine, bool itself) {
    found_.granted.push_back(machine);
    if (!itself) ++found_.in_flight;
  }

  void name_those_under_way() {
    const auto is_in = [](const std::vector<MachineSnapshot>& list, const MachineSnapshot& machine) {
      return std::ranges::find(list, machine) != list.end();
    };
    for (const auto& machine : question_.machines) {
      const bool counts = takes_a_place(*machine, counted_) && !is_in(found_.waiting, machine);
      if (counts || is_in(found_.granted, machine)) found_.under_way.push_back(machine->metadata.name.str());
    }
    std::ranges::sort(found_.under_way);
  }

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

std::string words_for_waiting(const Replacements& decided, std::string_view limit) {
  std::string why(limit);
  if (const auto& names = decided.under_way; !names.empty())
    why += fmt::format(", and {} {} under way", api::conditions::name_list(names, kMostNamed),
                       names.size() == 1 ? "is" : "are");
  if (decided.missing > 0)
    why += fmt::format(", and {} {} still to be made", decided.missing, decided.missing == 1 ? "is" : "are");
  return stay(decided.waiting, why);
}

std::string words_for_held(Replacements decided, std::string_view brake) {
  std::ranges::move(decided.waiting, std::back_inserter(decided.granted));
  return stay(decided.granted, brake);
}

}  // namespace capstan::controllers::lifecycle
