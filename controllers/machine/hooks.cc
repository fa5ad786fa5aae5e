#include "controllers/machine/hooks.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "api/names.h"

namespace capstan::controllers::machine {

std::vector<std::string> hooks_with(const api::ObjectMeta& machine, std::string_view prefix) {
  std::vector<std::string> hooks;
  for (const auto& [key, value] : machine.annotations) {
    if (key.view().starts_with(prefix)) hooks.push_back(key.str());
  }
  std::ranges::sort(hooks);
  return hooks;
}

std::vector<std::string> pre_drain_hooks(const api::ObjectMeta& machine) {
  return hooks_with(machine, api::annotation::kPreDrainHookPrefix);
}

std::vector<std::string> pre_terminate_hooks(const api::ObjectMeta& machine) {
  return hooks_with(machine, api::annotation::kPreTerminateHookPrefix);
}

std::string joined(const std::vector<std::string>& hooks) { return fmt::format("{}", fmt::join(hooks, ",")); }

}  // namespace capstan::controllers::machine
