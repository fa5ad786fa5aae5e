// All that a turn about the requests of a Cluster's agents looks at. Gathered by observe.h, judged by
// decide.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/meta/object_key.h"
#include "bootstrap/approval/request.h"
#include "bootstrap/owner.h"

namespace capstan::bootstrap::approval {

// A Machine or pool that a NodeConfig is for.
struct Member {
  api::ObjectKey config = {};  // its CloudConfig
  std::string node_config = {};
  Owner owner = {};
};

// One request that is not decided yet, and what is known about it.
struct Case {
  Request request = {};
  bool ours = false;                      // the NodeConfig it names is for this Cluster
  std::optional<Member> minted_for = {};  // the requester's token; nothing: it has shown none of this Cluster
  std::optional<Member> holder = {};      // it has that identity; nothing: there is none
  bool names_other_machine = false;       // a Machine that is not of the pool of the token
  bool node_is_there = false;             // one of the name that the request gives a pool's instance
  bool had_certificate = false;           // another request for the same identity was approved
};

struct Observation {
  api::ObjectKey cluster = {};
  bool nodes_missing = false;  // of some member: its agent may ask at any time
  std::vector<Case> cases = {};
};

}  // namespace capstan::bootstrap::approval
