#include "controllers/safety/windows_condition.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "controllers/safety/windows.h"

namespace capstan::controllers::safety {
namespace {

namespace conditions = api::conditions;

api::Condition windows_understood(const std::vector<std::string>& problems) {
  if (problems.empty()) return conditions::make(kWindowsUnderstood, api::status::kTrue, kUnderstood);
  std::string message =
      "what these windows are for waits until they are mended, unless another window is for it:";
  for (const std::string& problem : problems) message += "\n* " + problem;
  return conditions::make(kWindowsUnderstood, api::status::kFalse, kNotUnderstood, message);
}

}  // namespace

void show_windows(const WindowsSeen& seen, api::Conditions& list, std::int64_t generation, Time now) {
  if (seen.any) {
    conditions::set(list, windows_understood(seen.problems), generation, now);
  } else {
    conditions::remove(list, kWindowsUnderstood);
  }
}

}  // namespace capstan::controllers::safety
