#include "runtime/plan_text.h"

#include <fmt/format.h>

namespace capstan::runtime {

std::string describe(const api::Finalizers& finalizers) {
  std::vector<std::string> names;
  for (const Text& each : *finalizers) names.push_back(each.str());
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

std::string describe(const Waiting& waiting) {
  return fmt::format("wait{} ({}): {}", waiting.shown ? "" : " silently", api::reason_of(waiting.code),
                     waiting.message);
}

std::string joined(const std::vector<std::string>& lines) {
  return lines.empty() ? "nothing" : fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace capstan::runtime
