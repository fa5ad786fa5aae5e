// The node's side of an update in place: what the Node asks for, and what has come of it. A kubelet of
// another version is all that the agent can bring; it gets it from kubelet.binaries of the NodeConfig. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/report.h"
#include "agent/wanted.h"

namespace capstan::agent {

struct UpdateAsked {
  std::string id = {};         // the MachineSet that is to get the Machine
  std::string version = {};    // that the kubelet is to have; empty: the Node does not say
  std::string bootstrap = {};  // another bootstrap configuration, too; empty: none
};
// Nothing: no update is asked for, or its result stands there already.
std::optional<UpdateAsked> update_asked(const Annotations& labels, const Annotations& annotations);

struct UpdateSeen {
  const UpdateAsked& asked;
  const Wanted* wanted = nullptr;        // the configuration in force; null: none yet
  bool newest = false;                   // no other one is offered
  bool applied = false;                  // all of it stands, without an error
  std::string_view running = {};         // the kubelet's version, as its Node says
  std::string_view running_before = {};  // the one that is to go; empty: none is
};
struct UpdateResult {
  std::string failed_because = {};  // empty: it was successful
  bool operator==(const UpdateResult&) const = default;
};
// Nothing: the agent is still at it, or waits for what may come by itself; the controller's own time limit
// ends that.
std::optional<UpdateResult> result_of(const UpdateSeen& seen);

void add_result(const UpdateResult& result, NodeMarks& marks);

}  // namespace capstan::agent
