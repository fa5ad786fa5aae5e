// Carries a plan out: remembers it first, then takes step after step and remembers each. Killed anywhere, the
// next process decides anew and goes on. One thread.
#pragma once

#include <string>
#include <vector>

#include "agent/decide.h"
#include "agent/fetch.h"
#include "agent/root.h"
#include "agent/systemctl.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/threads.h"

namespace capstan::agent {

// All of it lives longer.
struct Tools {
  const Root& root;
  Systemctl& systemctl;
  const Fetch& fetch;
  const Clock& clock;
  Threads& threads;
  Mark own = {};
  Log log = {};
};

struct Outcome {
  State state = {};
  std::vector<std::string> errors = {};  // "restart a.service: exit code 1: ..."
  // "fetch /usr/local/bin/kubelet: ...", of downloads that a unit of a Node waits for.
  std::vector<std::string> missing = {};
  bool is_whole() const { return errors.empty() && missing.empty(); }
};

// `before` is what is saved now.
Outcome act(const Tools& tools, const State& before, Plan plan, const std::stop_token& stop);

}  // namespace capstan::agent
