// The end of a MachinePool, step by step: its two provider objects, its Nodes, its finalizer. Pure; act.h
// does it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/machinepool/observe.h"

namespace capstan::controllers::machinepool {

// Whether Nodes are to be emptied before they go.
bool has_to_drain(const Observation& seen);
// A drain that began then has taken too long.
bool drain_timed_out(const Observation& seen, Time started);

struct Leaving {
  std::vector<Snapshot<api::Node>> drain = {};  // before anything below happens
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
Leaving take_leave(const Observation& seen);

}  // namespace capstan::controllers::machinepool
