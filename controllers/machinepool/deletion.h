// The end of a MachinePool, step by step: its two provider objects, its Nodes, its finalizer. Pure; act.h
// does it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/machinepool/observation.h"

namespace capstan::controllers::machinepool {

// Whether Nodes are to be emptied, or their volumes to be waited for, before they go.
bool has_to_drain(const Observation& seen);
// A drain that began then is not waited for: it has taken too long, or there is to be none.
bool drain_is_over(const Observation& seen, Time started);
// The same of the wait for volumes that comes after it.
bool volume_wait_is_over(const Observation& seen, Time started);

// An object that the pool has not made its own yet.
struct OwnedNow {
  const ExternalSeen* external = nullptr;  // of the Observation
  Claim claim = {};
};

struct DeletionPlan {
  std::vector<OwnedNow> claims = {};  // otherwise nothing would tell the pool that they are gone
  // Instances that the pool's list lacks: to be added first, for nobody else will know whose Nodes they were.
  std::vector<Text> late = {};
  std::vector<Snapshot<api::Node>> drain = {};  // and their volumes detached, before anything below happens
  // Provider objects to ask the server to delete; both at once.
  std::vector<const ExternalSeen*> remove = {};  // of the Observation
  // Both are out of the caches: the server has to confirm it before anything below happens.
  bool confirm = false;
  std::vector<Snapshot<api::Node>> nodes = {};  // to be deleted then
  bool let_go = false;                          // and then the finalizer may go
  bool impatient = false;                       // even when a Node could not be deleted
  // For the condition.
  std::string_view reason = {};
  std::string message = {};
  std::optional<Seconds> recheck = {};
};
DeletionPlan decide_deletion(const Observation& seen);

}  // namespace capstan::controllers::machinepool
