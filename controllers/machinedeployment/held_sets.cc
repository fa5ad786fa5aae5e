#include "controllers/machinedeployment/held_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "controllers/rollout/new_set.h"

namespace capstan::controllers::machinedeployment {
namespace {

bool is_about_slow_ones(std::string_view text) {
  return text.starts_with("Machine ") || text.starts_with("... (") ||
         text.find(" in deletion since ") != text.npos;
}

}  // namespace

std::vector<std::string> holds_of(const api::MachineSet& set, std::string_view type) {
  constexpr std::string_view kBullet = "* ";
  std::vector<std::string> holds;
  const auto said = api::conditions::find(set.status.conditions, type);
  if (said == nullptr || said->status != api::status::kTrue) return holds;
  for (const auto& part : std::views::split(said->message.view(), '\n')) {
    const std::string_view line(part.begin(), part.end());
    if (!line.starts_with(kBullet)) continue;
    const std::string_view text = line.substr(kBullet.size());
    if (type != api::condition::kScalingDown || !is_about_slow_ones(text))
      holds.push_back(fmt::format("MachineSet {}: {}", set.metadata.name.view(), text));
  }
  return holds;
}

std::vector<std::string> holds_of_old_sets(const Observation& seen) {
  std::vector<std::string> holds;
  const bool begun = rollout::has_begun_rollout_after(seen.deployment, seen.sets, seen.now);
  for (const auto& set : seen.sets) {
    if (!rollout::is_up_to_date(seen.deployment, *set, begun))
      std::ranges::move(holds_of(*set, api::condition::kScalingDown), std::back_inserter(holds));
  }
  return holds;
}

}  // namespace capstan::controllers::machinedeployment
