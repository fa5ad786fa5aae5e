#include "controllers/safety/read_windows.h"

#include <fmt/format.h>

#include <array>

#include "base/zone_files.h"

namespace capstan::controllers::safety {
namespace {

constexpr std::string_view kUtc = "UTC";
// The default of the schema, where that was not applied.
constexpr std::array kUsualCauses = {Cause::Rollout, Cause::ScaleIn, Cause::PreservationEnded};

std::vector<Cause> causes_of(const api::PolicyWindow& window) {
  if (window.intents.empty()) return {kUsualCauses.begin(), kUsualCauses.end()};
  std::vector<Cause> causes;
  for (const Text& name : window.intents)
    if (const auto cause = parse_cause(name)) causes.push_back(*cause);
  return causes;
}

std::string_view zone_of(const api::PolicyWindow& window) {
  return window.time_zone.empty() ? kUtc : window.time_zone.view();
}

Window read_window(const api::PolicyWindow& window, std::size_t index) {
  Window read{.duration = Seconds(window.duration_seconds),
              .causes = causes_of(window),
              .text = fmt::format("{}, {}", window.cron.view(), zone_of(window))};
  const auto cron = Cron::parse(window.cron);
  const auto zone = read_time_zone(zone_of(window));
  if (!cron) read.problem = fmt::format("spec.windows[{}].cron: {}", index, cron.error().message);
  if (!zone) read.problem = fmt::format("spec.windows[{}].timeZone: {}", index, zone.error().message);
  if (cron && !cron->next(LocalTime()))
    read.problem = fmt::format("spec.windows[{}].cron: \"{}\" never comes, for there is no such day", index,
                               window.cron.view());
  if (!read.problem.empty()) return read;
  read.cron = *cron;
  read.zone = *zone;
  return read;
}

}  // namespace

Windows read_windows(std::span<const api::PolicyWindow> windows, std::string of) {
  Windows read{.of = std::move(of)};
  for (const api::PolicyWindow& window : windows) read.list.push_back(read_window(window, read.list.size()));
  return read;
}

}  // namespace capstan::controllers::safety
