// The groups of a MachineLifecyclePolicy that keep a controller from doing its job too well: how many
// Machines may be there, when deletions may begin, how many of them may stand in one decision. Each is off
// while it is left out. Plain values; their defaults are in the schema.
#pragma once

#include <cstdint>
#include <optional>

#include "api/v1beta2/common.h"

namespace capstan::api {

// How many Machines too many there may be before no more are made.
struct PolicyOvershoot {
  static constexpr std::int32_t kUp = 2;
  static constexpr std::int32_t kDown = 1;

  std::optional<std::int32_t> up = {};
  std::optional<std::int32_t> down = {};
  UnknownFields unknown = {};
  bool operator==(const PolicyOvershoot&) const = default;
};
template <>
inline constexpr auto members<PolicyOvershoot> = std::array{
    member<&PolicyOvershoot::up>(
        "up", {.minimum = 1,
               .maximum = 1000,
               .default_json = "2",
               .doc = "How many Machines above its replicas and its surge a MachineDeployment (or a "
                      "MachineSet without one, or a MachinePool) may own. With as many it is frozen: no "
                      "Machine is made."}),
    member<&PolicyOvershoot::down>(
        "down",
        {.minimum = 1,
         .maximum = 1000,
         .default_json = "1",
         .doc = "How far below the number that froze it the number of its Machines has to fall before "
                "Machines are made again."}),
};

// A time that comes again and again, in which deletions may begin.
struct PolicyWindow {
  Text cron = {};
  std::int32_t duration_seconds = 0;
  Text time_zone = {};  // empty: the default of its schema
  List<Text> intents = {};
  UnknownFields unknown = {};
  bool operator==(const PolicyWindow&) const = default;
};
template <>
inline constexpr auto members<PolicyWindow> = std::array{
    member<&PolicyWindow::cron>(
        "cron",
        {.min_length = 9,
         .max_length = 100,
         .required = true,
         .doc = "When the window opens: minute, hour, day of the month, month and day of the week, as "
                "crontab writes them, for example \"0 2 * * SAT\"."}),
    member<&PolicyWindow::duration_seconds>("durationSeconds",
                                            {.minimum = 60,
                                             .maximum = 604800,
                                             .required = true,
                                             .doc = "For how long it stays open. What has begun by then goes "
                                                    "on."}),
    member<&PolicyWindow::time_zone>(
        "timeZone", {.min_length = 1,
                     .max_length = 64,
                     .default_json = R"("UTC")",
                     .doc = "The time zone of cron, by its IANA name, for example \"Europe/Berlin\"."}),
    member<&PolicyWindow::intents>(
        "intents", {.min_items = 1,
                    .max_items = 5,
                    .items = {.one_of = "Remediation|Rollout|ScaleIn|Orphans|PreservationEnded"},
                    .list = ListType::Set,
                    .default_json = R"(["Rollout","ScaleIn","PreservationEnded"])",
                    .doc = "Why Machines are deleted that wait for the window. Other deletions, and all "
                           "creations, do not wait."}),
};

struct PolicyDeletionGuard {
  static constexpr std::int32_t kPercent = 20;

  std::optional<std::int32_t> percent = {};
  UnknownFields unknown = {};
  bool operator==(const PolicyDeletionGuard&) const = default;
};
template <>
inline constexpr auto members<PolicyDeletionGuard> = std::array{
    member<&PolicyDeletionGuard::percent>(
        "percent",
        {.minimum = 1,
         .maximum = 100,
         .default_json = "20",
         .doc = "The share, in percent, of the Machines the policy governs that one decision may delete "
                "beyond those that are being deleted already. A decision that would delete more waits until "
                "the annotation capstan.dev/confirm-deletion names it. One Machine may always go."}),
};

}  // namespace capstan::api
