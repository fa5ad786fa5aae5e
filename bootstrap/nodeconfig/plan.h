// What a turn of a NodeConfig is going to do, and why. Made by decide.h, carried out by act.h, shown by
// report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bootstrap/nodeconfig/content.h"
#include "bootstrap/nodeconfig/rights.h"
#include "bootstrap/nodeconfig/waves.h"
#include "runtime/paused.h"
#include "runtime/readiness.h"

namespace capstan::bootstrap::nodeconfig {

// Before anything is made in the workload cluster. The turn ends with it.
struct PutFinalizer {};
// In the workload cluster, as are all below.
struct CreateSecret {
  Content content = {};
  Release release = {};
};
// The first wave of a change gets it with the change itself.
struct ChangeSecret {
  std::string version = {};  // of the Secret that was looked at
  Content content = {};
  Release release = {};
};
struct ReleaseWave {
  std::string version = {};
  Release release = {};
};
struct CreateRight {
  Right right = {};
};
struct RepairRight {
  Right right = {};
};
struct RemoveRight {
  Right right = {};
};
struct RemoveSecret {};
// Nothing of it is left: the finalizer goes. The turn ends with it.
struct TakeFinalizer {};

using Action = std::variant<PutFinalizer, CreateSecret, ChangeSecret, ReleaseWave, CreateRight, RepairRight,
                            RemoveRight, RemoveSecret, TakeFinalizer>;

struct Plan {
  runtime::Paused paused = {};
  std::vector<Action> actions = {};  // in this order; the first that fails is the last
  std::optional<runtime::Waiting> waiting = {};
  std::optional<Rollout> rollout = {};  // nothing: the Nodes were not looked at
  std::optional<Seconds> recheck = {};
};

// One line per action.
std::string describe(const Plan& plan);

}  // namespace capstan::bootstrap::nodeconfig
