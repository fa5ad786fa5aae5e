// Which Nodes get the annotation capstan.dev/not-managed, and which lose it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/unclaimed/observation.h"

namespace capstan::controllers::unclaimed {

struct NodeMark {
  runtime::Snapshot<api::Node> node = {};
  std::string why = {};  // the value of the annotation; empty: it is taken off
  bool claimed = false;  // taken off for that; otherwise no policy governs anything of the Cluster any more
  bool by_mcm = false;   // the mark of machine-controller-manager goes with it
};

struct Plan {
  std::vector<NodeMark> marks = {};
  std::optional<Seconds> recheck = {};  // when a Node will be old enough
};
Plan decide(const Observation& seen);

}  // namespace capstan::controllers::unclaimed
