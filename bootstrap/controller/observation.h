// All that a turn of a CloudConfig looks at. Gathered by observe.h, judged by decide.h and report.h. A plain
// value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/bootstrap/node_config.h"
#include "api/v1beta2/cluster.h"
#include "bootstrap/owner.h"
#include "bootstrap/token.h"
#include "runtime/index.h"

namespace capstan::bootstrap::controller {

// The data Secret as it is stored.
struct DataSeen {
  bool ours = false;          // the CloudConfig controls it
  std::string token_id = {};  // of the token in it; empty: none
  std::string version = {};   // for a patch that must not meet another one
};

// What was read live because a machine joins or has joined.
struct Live {
  std::string authority_pem = {};         // of the cluster's CA; empty: there is none yet
  std::optional<DataSeen> data = {};      // nothing: there is no data Secret
  std::vector<Token> tokens = {};         // of this CloudConfig, the newest first
  std::optional<Error> unreachable = {};  // the workload cluster did not answer: tokens are not known
  std::optional<Error> error = {};        // the management cluster did not: nothing is known
  Token spare = {};                       // minted for this turn, in case a new one is needed
};

struct Observation {
  Time now = {};
  bool fresh = true;                                // the cache knows all we wrote
  runtime::Snapshot<api::CloudConfig> object = {};  // never null
  std::optional<Owner> owner = {};                  // nothing: none yet, or not in the cache
  runtime::Snapshot<api::Cluster> cluster = {};     // null: not in the cache
  runtime::Snapshot<api::NodeConfig> node_config =
      {};                         // of spec.nodeConfigRef; null: not in the cache, or none
  std::optional<Live> live = {};  // nothing: stage.h sees no reason to ask
};

}  // namespace capstan::bootstrap::controller
