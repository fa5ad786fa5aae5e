// From what is wanted, remembered and on the disk to the next steps. Pure: the same seen gives the same plan,
// and a plan that was carried out in part leads to the rest of it.
#pragma once

#include <string>
#include <vector>

#include "agent/steps.h"
#include "agent/wanted.h"

namespace capstan::agent {

struct Seen {
  const State& state;
  const Disk& disk;                // of every path in `paths_to_look_at`
  const Wanted* wanted = nullptr;  // null: no configuration was taken up yet
  KubeletPlaces places = {};
  bool joined = false;  // the kubelet has its kubeconfig
  // Content of the bootstrap kubeconfig, and of the agent's facts without the token; empty: no token is left.
  std::string bootstrap_kubeconfig = {};
  std::string facts_without_token = {};
  std::string facts_path = {};
  Mark own = {};
};

// To be saved before the first step; after() says how it goes on.
struct Plan {
  State state = {};
  std::vector<Step> steps = {};
};

Plan decide(const Seen& seen);
std::vector<std::string> paths_to_look_at(const State& state, const Wanted* wanted,
                                          const KubeletPlaces& places);

}  // namespace capstan::agent
