// A change of a selector that would release several Machines at once waits until a user confirms it with the
// annotation capstan.dev/confirm-release, which names the generation that is meant. Used by the MachineSet
// and the MachineDeployment controller. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/meta/object_meta.h"

namespace capstan::controllers {

// A single Machine is released without a question: it can be adopted again, and costs one Machine at most.
inline constexpr std::size_t kReleasedUnasked = 1;

struct Release {
  std::string_view kind = {};  // of the owner
  const api::ObjectMeta& owner;
  std::span<const std::string> machines = {};  // whom the selector would release
};

// Says who would be released and how to confirm or prevent it; empty where there is nothing to wait for.
// While it says something nothing may be released, made, scaled or rolled.
std::string unconfirmed_release(const Release& release);

// Whether the annotation names the present generation: a later change of the spec is another question.
bool is_release_confirmed(const api::ObjectMeta& owner);

}  // namespace capstan::controllers
