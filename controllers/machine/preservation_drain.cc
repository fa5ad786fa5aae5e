#include "controllers/machine/preservation_drain.h"

#include <algorithm>

#include "api/names.h"
#include "api/policy/names.h"
#include "base/safeguards.h"

namespace capstan::controllers::machine {
namespace {

namespace drain_key = api::policy::annotation;
using lifecycle::Preservation;
using lifecycle::Preserved;

constexpr std::string_view kDrainDone = "done";
constexpr std::string_view kNoSchedule = "NoSchedule";
constexpr std::string_view kPreservedReason = "Preserved";
constexpr std::string_view kPreservationStopped = "PreservationStopped";

bool has_the_group(const Observation& seen) {
  return seen.policy && seen.policy->spec.preservation.has_value();
}

bool asks_for_a_drain(const Observation& seen) {
  return has_the_group(seen) && seen.policy->spec.preservation->drain;
}

bool is_to_be_empty(const Observation& seen, const Preservation& preserved) {
  return asks_for_a_drain(seen) && preserved.state == Preserved::Yes && lifecycle::has_failed(*seen.machine);
}

bool is_ours(const api::NodeTaint& taint) {
  return taint.same_taint(api::policy::kPreservedTaint, kNoSchedule);
}

void taint_node(const api::Node& node, bool wanted, NodeChange& change) {
  const auto& present = change.taints ? *change.taints : node.spec.taints;
  if (std::ranges::any_of(present, is_ours) == wanted) return;
  std::vector<api::NodeTaint> taints;
  std::ranges::copy_if(present, std::back_inserter(taints),
                       [](const auto& taint) { return !is_ours(taint); });
  if (wanted) taints.push_back({.key = Text(api::policy::kPreservedTaint), .effect = Text(kNoSchedule)});
  change.taints = api::List<api::NodeTaint>(std::move(taints));
}

api::NodeCondition condition_of_node(const Observation& seen, const Preservation& preserved) {
  api::NodeCondition made{.type = Text(api::policy::condition::kPreserved), .last_transition_time = seen.now};
  const bool holds = preserved.state == Preserved::Yes;
  made.status = Text(holds ? api::status::kTrue : api::status::kFalse);
  made.reason = Text(holds ? kPreservedReason : kPreservationStopped);
  made.message = Text(holds ? "Machine " + seen.machine->metadata.name.str() + " is preserved until " +
                                  preserved.until.to_string()
                            : "Machine " + seen.machine->metadata.name.str() + " is not preserved any more");
  return made;
}

void show_on_node(const Observation& seen, const Preservation& preserved, NodeChange& change) {
  const auto* present = seen.node.node->condition(api::policy::condition::kPreserved);
  const bool holds = preserved.state == Preserved::Yes && has_the_group(seen);
  const bool is_shown = present != nullptr && present->status == api::status::kTrue;
  if (!holds && !is_shown) return;
  api::NodeCondition wanted = condition_of_node(seen, preserved);
  if (present != nullptr && present->status == wanted.status)
    wanted.last_transition_time = present->last_transition_time;
  if (present == nullptr || *present != wanted) change.condition = std::move(wanted);
}

}  // namespace

void note_preservation_drain(const Observation& seen, const Preservation& preserved, Plan& plan) {
  auto& annotations = plan.wanted.metadata.annotations;
  if (!is_to_be_empty(seen, preserved)) {
    annotations.erase(drain_key::kPreservationDrain);
  } else if (seen.emptied) {
    annotations.set(drain_key::kPreservationDrain, kDrainDone);
  } else if (seen.node.found() && !annotations.contains(drain_key::kPreservationDrain)) {
    annotations.set(drain_key::kPreservationDrain, seen.now.to_string());
  }
}

std::optional<Time> preservation_drain_since(const api::Machine& machine) {
  const Text* said = machine.metadata.annotations.find(drain_key::kPreservationDrain);
  if (said == nullptr || machine.metadata.deleting()) return std::nullopt;
  if (*said == kDrainDone)
    return is_off(Safeguard::DrainedOnce) ? std::optional(Time(machine.metadata.creation_timestamp))
                                          : std::nullopt;
  const auto since = Time::parse(said->view());
  // What can't be read was edited by a person: its time counts from the beginning of the Machine.
  return since && since->is_set() ? *since : Time(machine.metadata.creation_timestamp);
}

void show_on_preserved_node(const Observation& seen, const Preservation& preserved, NodeChange& change) {
  taint_node(*seen.node.node, is_to_be_empty(seen, preserved), change);
  show_on_node(seen, preserved, change);
}

std::string drain_in_words(const api::Machine& after, const std::optional<drain::StageReport>& report) {
  const Text* said = after.metadata.annotations.find(drain_key::kPreservationDrain);
  if (said == nullptr) return {};
  if (*said == kDrainDone || (report && report->done)) return "its Node was drained";
  if (!report) return "its Node is about to be drained";
  const std::string what = report->trouble ? report->trouble->message : report->message;
  return "its Node is being drained: " + what;
}

}  // namespace capstan::controllers::machine
