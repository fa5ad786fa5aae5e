#include "controllers/rollout/moves.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/names.h"

namespace capstan::controllers::rollout {

namespace annotation = api::annotation;

namespace {

bool is_listed(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const auto comma = names.find(',');
    if (names.substr(0, comma) == name) return true;
    names.remove_prefix(comma == names.npos ? names.size() : comma + 1);
  }
  return false;
}

}  // namespace

std::string Arrivals::acknowledged() const { return fmt::format("{}", fmt::join(pending, ",")); }

Arrivals arrivals(const api::MachineSet& newest, std::span<const MachineSnapshot> machines) {
  Arrivals found;
  const auto known = newest.metadata.annotations.value_or_empty(annotation::kAcknowledgedMove);
  for (const MachineSnapshot& machine : machines) {
    const auto* owner = machine->metadata.controller();
    if (owner == nullptr || owner->uid != newest.metadata.uid) continue;
    if (!machine->metadata.annotations.contains(annotation::kPendingAcknowledgeMove)) continue;
    const std::string name = machine->metadata.name.str();
    found.pending.push_back(name);
    if (!is_listed(known, name)) found.fresh.push_back(name);
  }
  std::ranges::sort(found.pending);
  std::ranges::sort(found.fresh);
  return found;
}

void keep_moves(const api::MachineSet& present, std::string_view newest, api::TextMap& annotations) {
  const auto& there = present.metadata.annotations;
  if (present.metadata.name == newest) {
    const Text* from = there.find(annotation::kReceiveMachinesFrom);
    if (from != nullptr) annotations.set(Text(annotation::kReceiveMachinesFrom), *from);
    return;
  }
  const Text* to = there.find(annotation::kMoveMachinesTo);
  if (to != nullptr && *to == newest) annotations.set(Text(annotation::kMoveMachinesTo), *to);
}

}  // namespace capstan::controllers::rollout
