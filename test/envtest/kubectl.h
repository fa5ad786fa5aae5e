// kubectl of a test's own servers, in the three ways that a test may mean it: what must succeed, what must be
// refused, and what may do either, because a wait tries it again. For gtest; any thread.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "test/envtest/real_servers.h"

namespace capstan::envtest {

// What a command printed, or "failed: " and what it said.
inline std::string text_of(const Result<CommandOutcome>& outcome) {
  if (!outcome) return "failed: " + outcome.error().describe();
  return outcome->exit_code == 0 ? outcome->out : "failed: " + outcome->out + outcome->err;
}

// What it printed; the test fails where the command does.
inline std::string kubectl(const RealServers& servers, std::vector<std::string> arguments,
                           std::string input = {}) {
  const std::string command = arguments.empty() ? std::string() : arguments.front();
  std::string text = text_of(servers.run_kubectl(std::move(arguments), std::move(input)));
  if (text.starts_with("failed: ")) ADD_FAILURE() << "kubectl " << command << ": " << text;
  return text;
}

// "failed: " and what it is refused with; the test fails where the command succeeds, or can't be run.
inline std::string refused(const RealServers& servers, std::vector<std::string> arguments,
                           std::string input = {}) {
  const std::string command = arguments.empty() ? std::string() : arguments.front();
  const auto outcome = servers.run_kubectl(std::move(arguments), std::move(input));
  if (!outcome || outcome->exit_code == 0)
    ADD_FAILURE() << "kubectl " << command << " was not refused: " << text_of(outcome);
  return text_of(outcome);
}

// What it printed, warnings first, or "failed: " and why: for a command that is tried again until it says
// what is waited for, and for one whose warnings are looked at.
inline std::string attempted(const RealServers& servers, std::vector<std::string> arguments,
                             std::string input = {}) {
  const auto outcome = servers.run_kubectl(std::move(arguments), std::move(input));
  return outcome && outcome->exit_code == 0 ? outcome->err + outcome->out : text_of(outcome);
}

}  // namespace capstan::envtest
