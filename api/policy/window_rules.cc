#include "api/policy/window_rules.h"

#include <fmt/format.h>

#include <string>

#include "api/schema/validate.h"
#include "base/cron.h"

namespace capstan::api {
namespace {

// What is wrong with it; empty: nothing.
std::string objection_to(std::string_view expression) {
  const auto cron = Cron::parse(expression);
  if (!cron) return cron.error().message;
  return cron->next(LocalTime()) ? "" : "never comes: there is no such day; the window would never open";
}

}  // namespace

void check_windows(const List<PolicyWindow>& windows, Causes& causes) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto objection = objection_to(windows[i].cron);
    if (objection.empty()) continue;
    causes.push_back(field_invalid(fmt::format("spec.windows[{}].cron", i),
                                   fmt::format("\"{}\"", windows[i].cron.view()), objection));
  }
}

}  // namespace capstan::api
