// Which Unhealthy Machines of one owner may be replaced now, so that never more than a few of them are gone
// at a time: what would have a whole fleet replaced at once is mostly the fault of something else. Asked by
// the key that owns the budget: a MachineDeployment for all its MachineSets, else a MachineSet. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/lifecycle/judge.h"

namespace capstan::controllers::lifecycle {

using MachineSnapshot = std::shared_ptr<const api::Machine>;

// Another Machine with this one beside it has to wait: one is being replaced, or takes the place of one that
// was. One that has failed and is preserved holds up no other.
bool takes_a_place(const api::Machine& machine, std::span<const Phase> counted);

struct ReplacementQuestion {
  Time now = {};
  Contact contact = {};
  const api::MachineLifecyclePolicySpec& policy;
  std::span<const MachineSnapshot> machines = {};  // of the owner, all of them
  std::int32_t missing = 0;                        // Machines that are wanted and not there
  std::int32_t limit = 1;                          // of those in flight
  // Not of a set that is being rolled away: its Machines go anyway.
  std::function<bool(const api::Machine&)> may_be_replaced = {};
};

struct Replacements {
  std::vector<MachineSnapshot> granted = {};  // now, in this order
  std::int32_t in_flight = 0;                 // with those
  std::optional<Seconds> recheck = {};        // when one more will have been Unhealthy for too long
  std::vector<MachineSnapshot> waiting = {};  // have been it, and are not granted
  std::vector<std::string> under_way = {};    // Machines that take the places, with those granted
  std::int32_t missing = 0;                   // and those that are still to be made
};
Replacements replacements(const ReplacementQuestion& question);

// For a condition: which Machines wait, though their time is over, and for what. Empty: none does. `limit`
// says in words what allows how many.
std::string words_for_waiting(const Replacements& decided, std::string_view limit);
// The same where a brake forbids all of them.
std::string words_for_held(Replacements decided, std::string_view brake);

}  // namespace capstan::controllers::lifecycle
