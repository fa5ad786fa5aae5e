// Machines that join and change under a seed: the real bootstrap provider and real agents, each a process
// that may die at every request and effect, on two embedded API servers. Around them, and outside of crashes,
// live a cloud that boots VMs with the user data it is given, kubelets, the signer of certificates, the token
// cleaner, a user, a thief of tokens and a stranger who writes to Secrets. Everything takes turns under a
// baton; a seed decides all of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/safeguards.h"
#include "test/fakes/baton.h"

namespace capstan::joining {

struct JoiningOptions {
  std::uint64_t seed = 1;
  bool faults = true;
  std::optional<Safeguard> without = {};             // compiled in with CAPSTAN_DEFECTS alone
  std::function<void(std::string_view)> story = {};  // what happened, line by line
};

struct JoiningVerdict {
  std::string broken = {};  // the first promise that was broken; empty: all were kept
  fakes::RunReport run = {};
  std::uint64_t crashes = 0;
  std::map<std::string, std::uint64_t> acts = {};  // of people, and what befell machines
};

JoiningVerdict simulate_joining(const JoiningOptions& options);

}  // namespace capstan::joining
