// What updates in place are going to do in a turn, and why. Made by decide.h, carried out by act.h as part of
// the plan of the MachineDeployment. A plain value.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/core/node.h"
#include "api/notes.h"
#include "api/v1beta2/machine_set.h"
#include "controllers/inplace/hand_over.h"
#include "controllers/inplace/update_mark.h"
#include "controllers/shared/node_change.h"

namespace capstan::controllers::inplace {

using MachineSnapshot = std::shared_ptr<const api::Machine>;
using NodeSnapshot = std::shared_ptr<const api::Node>;
using SetSnapshot = std::shared_ptr<const api::MachineSet>;

// The mark of the Machine becomes this one, or goes.
struct MarkMachine {
  MachineSnapshot machine = {};
  std::optional<UpdateMark> to = {};
  std::optional<api::NoteCode> news = {};  // of the Event; none: none is recorded
  bool operator==(const MarkMachine&) const = default;
};
// Labels of the protocol, and our cordon when it goes.
struct ChangeNode {
  MachineSnapshot machine = {};
  NodeSnapshot node = {};
  NodeChange change = {};
  bool operator==(const ChangeNode&) const = default;
};
// One round of the drain. When nothing is left to evict the Machine's mark becomes Updating.
struct DrainNode {
  MachineSnapshot machine = {};
  NodeSnapshot node = {};
  UpdateMark mark = {};
  bool operator==(const DrainNode&) const = default;
};
// Owner, labels, version and bootstrap data of the new MachineSet, and the mark Updated, in one write that is
// bound to the version of the Machine that was seen.
struct MoveMachine {
  MachineSnapshot machine = {};
  SetSnapshot from = {};
  SetSnapshot to = {};
  UpdateMark mark = {};
  bool operator==(const MoveMachine&) const = default;
};
// Its bootstrap object says which template it is of now.
struct MarkBootstrap {
  MachineSnapshot machine = {};
  api::ContractRef source = {};
  bool operator==(const MarkBootstrap&) const = default;
};

using Action = std::variant<MarkMachine, ChangeNode, DrainNode, MoveMachine, MarkBootstrap>;

struct Plan {
  std::vector<Action> actions = {};                 // in this order; after one that failed no other is tried
  std::map<std::string, HandOver> hand_overs = {};  // by MachineSet; of each one that there is
  // Machines whose MachineSets count them at another place from now on: before any of those writes the server
  // confirms that they are as they were seen.
  std::vector<MachineSnapshot> recounted = {};
  // Old Machines are left to updates in place: their MachineSets make none and roll none away.
  bool keeps_old = false;
  std::vector<std::string> told = {};  // what a user has to know or to do
  std::string held = {};               // why none begins that could
  std::optional<Seconds> recheck = {};
  bool operator==(const Plan&) const = default;
};

std::string describe(const Action& action);  // for logs and tests

}  // namespace capstan::controllers::inplace
