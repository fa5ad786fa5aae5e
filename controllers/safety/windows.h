// Maintenance windows: at which times deletions begin that can wait. Used by the owners of Machines before
// they delete. Plain values; pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cron.h"
#include "base/time_zone.h"

namespace capstan::controllers::safety {

// Why a controller deletes a Machine.
enum class Cause { Remediation, Rollout, ScaleIn, Orphans, PreservationEnded };
std::string_view to_string(Cause cause);
std::optional<Cause> parse_cause(std::string_view name);

struct Window {
  std::optional<Cron> cron = {};  // nothing: it never opens
  Seconds duration{0};
  TimeZone zone = {};
  std::vector<Cause> causes = {};
  std::string text = {};     // "0 2 * * SAT, Europe/Berlin"
  std::string problem = {};  // why it never opens: field and remedy
};

struct Windows {
  std::string of = {};  // "MachineLifecyclePolicy care", for messages
  std::vector<Window> list = {};
};

// Of a MachineLifecyclePolicy with windows: whether each of them can open. False names those that never do.
inline constexpr std::string_view kWindowsUnderstood = "WindowsUnderstood";
inline constexpr std::string_view kUnderstood = "Understood";
inline constexpr std::string_view kNotUnderstood = "NotUnderstood";

// What is wrong with each window that never opens: field and remedy.
std::vector<std::string> problems_of(const Windows& windows);

struct WindowVerdict {
  bool open = true;
  std::string why = {};                  // which windows are shut, and when the next one opens
  std::optional<Seconds> opens_in = {};  // while shut; nothing: never
};

// Whether one of them is for that cause.
bool concern(const Windows& windows, Cause cause);

// A cause that no window names does not wait. One of which all windows can't be understood waits, and `why`
// names them.
WindowVerdict ask_windows(const Windows& windows, Cause cause, Time now);

}  // namespace capstan::controllers::safety
