// What a turn of a MachinePool is going to do, and why. Made by decide.h, carried out by act.h, shown by
// report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/machinepool/node_change.h"
#include "controllers/machinepool/pool_machines.h"
#include "controllers/machinepool/providers.h"
#include "controllers/machinepool/size.h"

namespace capstan::controllers::machinepool {

struct NodeWish {
  Snapshot<api::Node> node = {};
  NodeChange change = {};
};

struct Plan {
  // Nothing can be said yet: a cache is still being filled. Write nothing, look again so soon.
  std::optional<Nanoseconds> too_early = {};

  api::MachinePool wanted = {};  // metadata, spec and status.initialization after this turn
  Size size = {};
  BootstrapFinding bootstrap = {};
  std::optional<Claim> infra_claim = {};
  ListFinding list = {};
  std::vector<NodeWish> nodes = {};
  std::vector<Snapshot<api::Node>> retired = {};  // of instances that left the list: to be deleted
  std::vector<Snapshot<api::Node>> waiting = {};  // the same, but not now
  MachinesPlan machines = {};

  std::vector<std::string> troubles = {};  // what can't go on; keeps observedGeneration back
  std::optional<Seconds> recheck = {};
};

}  // namespace capstan::controllers::machinepool
