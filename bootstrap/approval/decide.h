// Which requests of agents are approved: by the token that was minted for that very machine, before it has a
// Node, and then by the certificate that ends, or by the kubelet of that machine's Node. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bootstrap/approval/observation.h"

namespace capstan::bootstrap::approval {

struct Verdict {
  Decision decision = Decision::Deny;
  std::string why = {};
  bool operator==(const Verdict&) const = default;
};
// Nothing: the request is left to others.
std::optional<Verdict> judge(const Case& seen);
// One for each case, in their order. What is approved for one counts for those after it.
std::vector<std::optional<Verdict>> judge_all(std::vector<Case> cases);

}  // namespace capstan::bootstrap::approval
