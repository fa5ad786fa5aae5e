// All that a turn of a NodeConfig looks at. Gathered by observe.h, judged by decide.h and report.h. A plain
// value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/bootstrap/node_config.h"
#include "api/v1beta2/cluster.h"
#include "base/error.h"
#include "bootstrap/nodeconfig/content.h"
#include "bootstrap/nodeconfig/rights.h"
#include "bootstrap/nodeconfig/waves.h"
#include "runtime/snapshot.h"

namespace capstan::bootstrap::nodeconfig {

// What was read in the workload cluster.
struct Live {
  std::optional<SecretSeen> secret = {};  // nothing: there is none
  std::vector<RightState> rights = {};    // of rights_of(), in their order
  std::vector<NodeFact> nodes = {};       // it is for these
  std::optional<Error> unreachable = {};  // the cluster did not answer: nothing of the above is known
};

struct Observation {
  Time now = {};
  bool fresh = true;                               // the cache knows all we wrote
  runtime::Snapshot<api::NodeConfig> object = {};  // never null
  runtime::Snapshot<api::Cluster> cluster = {};    // null: not in the cache
  std::vector<std::string> users = {};             // names of the CloudConfigs that refer to it
  Content content = {};
  std::optional<Live> live = {};  // nothing: standing.h sees no reason to ask
};

}  // namespace capstan::bootstrap::nodeconfig
