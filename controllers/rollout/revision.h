// The revision annotations: each template a deployment turned to gets the next number, also one it had
// before. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "controllers/rollout/new_set.h"

namespace capstan::controllers::rollout {

struct Revision {
  std::string number = {};
  std::string history = {};  // the numbers the set had before, comma separated
  bool operator==(const Revision&) const = default;
};

// Nothing: it is no number.
std::optional<std::int64_t> parse_revision(std::string_view text);
std::optional<std::int64_t> revision_of(const api::MachineSet& set);

// Of the new set, null while it does not exist: one more than the highest of the old ones, never lower than
// its own. What can't be read counts as nothing on an old set and is an error on the new one.
Result<Revision> revision_of_newest(const api::MachineSet* newest, std::span<const SetSnapshot> old);

}  // namespace capstan::controllers::rollout
