// The deletion guard: a decision that would delete a large share of the Machines at once waits until a person
// has confirmed exactly that list. Used by the owners of Machines before they delete. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/object_meta.h"

namespace capstan::controllers::safety {

// Some Machines that one decision would delete.
struct Doomed {
  std::string text = {};      // "Machine m1", or "3 Machines of MachineSet old"
  std::string identity = {};  // what makes it the same the next time
  std::size_t machines = 1;
};

struct GuardQuestion {
  std::string_view kind = {};  // of the owner, which decides
  const api::ObjectMeta& owner;
  std::string_view policy = {};
  std::int32_t percent = 0;
  std::optional<std::size_t> governed = {};  // Machines that the policy governs and that stay so far
  std::vector<Doomed> doomed = {};           // without those that are being deleted, or were granted, already
  // Those that a person has confirmed and that wait for their place in the limits of the FleetPolicy: with
  // the rest they are the list that was confirmed, as long as the rest does not show it yet.
  std::vector<Doomed> confirmed = {};
};

struct GuardVerdict {
  bool open = true;
  bool confirmed = false;  // by the annotation capstan.dev/confirm-deletion, which goes once it is used
  std::string why = {};    // while shut: what would go, and how to confirm it
  bool uncounted = false;  // shut, for the question does not say how many Machines the policy governs
};

GuardVerdict ask_guard(const GuardQuestion& question);

// What a person confirms: these Machines, by this generation of their owner. A later change of its spec is
// another question.
std::string hash_of(const GuardQuestion& question);

}  // namespace capstan::controllers::safety
