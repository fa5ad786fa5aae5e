// What the agent remembers between two steps, on disk before it acts: a process that is killed goes on where
// it was. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace capstan::agent {

// When a released configuration is taken up, chosen once.
struct Delay {
  std::string checksum = {};
  std::int64_t until = 0;  // seconds since 1970, by this machine's clock
  bool operator==(const Delay&) const = default;
};

struct State {
  std::string applied = {};  // checksum of the configuration that stands on the machine, whole
  // What it wrote, and may remove: path to the units that were to be restarted when it changes.
  std::map<std::string, std::set<std::string>> files = {};
  std::map<std::string, bool> units = {};  // what it enabled (true) and disabled
  std::set<std::string> restarts = {};     // units that are to be restarted, and were not yet
  std::set<std::string> asked = {};        // the same by hand, while the annotation may still be there
  bool reload = false;                     // systemd has not read the units' files yet
  std::optional<Delay> delay = {};
  std::string version = {};  // that the last update in place has asked for; empty: as it was born
  std::string update = {};   // that update, by the MachineSet it leads to
  std::string running_before =
      {};  // the kubelet's version then; empty: its program is the wanted one already
  std::int64_t certificate_received = 0;  // by this machine's clock
  bool operator==(const State&) const = default;
};

std::string render(const State& state);
Result<State> parse_state(std::string_view text);

}  // namespace capstan::agent
