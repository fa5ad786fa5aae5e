// A plan in words, one line per action: what tests compare and the log shows at debug verbosity. The words of
// each action stand beside its struct, as describe(). Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/paused.h"
#include "runtime/readiness.h"

namespace capstan::runtime {

// "a, b", "none"
std::string describe(const api::Finalizers& finalizers);
// "wait (WaitingForOwner): waiting for a Machine to own this object"
std::string describe(const Waiting& waiting);
// "nothing" when there are none.
std::string joined(const std::vector<std::string>& lines);

template <typename Action>
std::string plan_text(const Paused& pause, const std::vector<Action>& actions,
                      const std::optional<Waiting>& waiting) {
  std::vector<std::string> lines;
  if (pause.paused) lines.push_back("paused: " + pause.message);
  for (const Action& action : actions)
    lines.push_back(std::visit([](const auto& each) { return describe(each); }, action));
  if (waiting) lines.push_back(describe(*waiting));
  return joined(lines);
}

}  // namespace capstan::runtime
