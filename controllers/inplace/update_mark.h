// How far the update in place of a Machine is: the annotation capstan.dev/in-place-update, which the
// MachineDeployment controller writes before each step and takes off after the last one, and what the Machine
// says of it. Everything a restart needs stands there and on the labels of the Node. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/v1beta2/machine.h"
#include "base/time.h"

namespace capstan::controllers::inplace {

enum class UpdateStep {
  Draining,  // it has its place among those that are updated; its Node is cordoned and drained
  Updating,  // the agent on the Node may work
  Updated,   // the Machine belongs to the MachineSet; what is left on the Node is to be taken off
  Failed,    // the agent says so
  TimedOut,  // the agent has said nothing in time
};
std::string_view to_string(UpdateStep step);

struct UpdateMark {
  std::string set = {};  // the MachineSet that is to get the Machine
  UpdateStep step = UpdateStep::Draining;
  Time since = {};
  std::string why = {};  // of Failed and TimedOut

  bool in_vain() const { return step == UpdateStep::Failed || step == UpdateStep::TimedOut; }
  bool operator==(const UpdateMark&) const = default;
};
std::string to_text(const UpdateMark& mark);  // "web-x2k9f Draining 2026-01-01T12:00:00Z"
// Nothing: it has none, or one that can't be read.
std::optional<UpdateMark> update_mark_of(const api::Machine& machine);
// It has the annotation, whatever that says.
bool is_marked(const api::Machine& machine);

// The condition Updating of a Machine that has such a mark; nothing: it has none.
std::optional<api::Condition> updating_condition(const api::Machine& machine);

}  // namespace capstan::controllers::inplace
