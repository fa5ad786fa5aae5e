#include "controllers/inplace/node_labels.h"

#include <algorithm>
#include <array>

#include "api/meta/object_key.h"
#include "api/policy/names.h"
#include "controllers/drain/cordon.h"
#include "controllers/lifecycle/aliases.h"

namespace capstan::controllers::inplace {
namespace {

namespace annotation = api::policy::annotation;
namespace label = api::policy::label;

// Collects what differs from the Node that was seen.
class Wanted {
 public:
  explicit Wanted(const MachineSeen& each) : each_(each) {}

  Wanted& with(std::string_view key, std::string_view value) {
    const Text* found = each_.node->metadata.labels.find(key);
    if (found == nullptr || *found != value) change_.labels.emplace_back(Text(key), Text(value));
    return *this;
  }
  // Under whichever key it stands there.
  Wanted& without(std::string_view key) {
    for (const auto each : {key, lifecycle::mcm_alias_of(key)})
      if (each_.node->metadata.labels.contains(each)) change_.labels.emplace_back(Text(each), std::nullopt);
    return *this;
  }
  Wanted& annotated(std::string_view key, std::string_view value) {
    if (value.empty()) return not_annotated(key);
    const Text* found = each_.node->metadata.annotations.find(key);
    if (found == nullptr || *found != value) change_.annotations.emplace_back(Text(key), Text(value));
    return *this;
  }
  Wanted& not_annotated(std::string_view key) {
    for (const auto each : {key, lifecycle::mcm_alias_of(key)})
      if (each_.node->metadata.annotations.contains(each))
        change_.annotations.emplace_back(Text(each), std::nullopt);
    return *this;
  }
  Wanted& not_ready() {
    return without(label::kReadyForUpdate)
        .not_annotated(annotation::kUpdateVersion)
        .not_annotated(annotation::kUpdateBootstrap);
  }
  Wanted& without_result() {
    return not_annotated(annotation::kUpdateFailedReason).without(label::kUpdateResult);
  }
  // A cordon without our mark is a user's.
  Wanted& schedulable() {
    const auto& machine = each_.machine->metadata;
    const api::ObjectKey key{.namespace_ = machine.namespace_.str(), .name = machine.name.str()};
    if (each_.node->metadata.annotations.value_or_empty(drain::kCordonedBy) != key.describe()) return *this;
    change_.uncordon = each_.node->spec.unschedulable;
    change_.marks_off.emplace_back(drain::kCordonedBy);
    return *this;
  }

  std::optional<NodeChange> change() const {
    return change_ == NodeChange() ? std::nullopt : std::optional(change_);
  }

 private:
  const MachineSeen& each_;
  NodeChange change_ = {};
};

// "CloudConfigTemplate web-2"; empty: it stays as it is.
std::string new_bootstrap(const api::MachineTemplate* from, const api::MachineTemplate* to) {
  if (from == nullptr || to == nullptr || from->spec.bootstrap == to->spec.bootstrap) return {};
  const api::MachineBootstrap& wanted = to->spec.bootstrap;
  if (wanted.config_ref) return wanted.config_ref->kind.str() + " " + wanted.config_ref->name.str();
  return "Secret " + wanted.data_secret_name.value_or(Text()).str();
}

}  // namespace

std::optional<NodeChange> as_candidate(const MachineSeen& each) {
  if (!each.node) return std::nullopt;
  return Wanted(each)
      .with(label::kCandidateForUpdate, "true")
      .not_ready()
      .without_result()
      .schedulable()
      .change();
}

std::optional<NodeChange> as_selected(const MachineSeen& each) {
  if (!each.node) return std::nullopt;
  return Wanted(each)
      .with(label::kCandidateForUpdate, "true")
      .with(label::kSelectedForUpdate, "true")
      .not_ready()
      .without_result()
      .change();
}

std::optional<NodeChange> as_ready(const MachineSeen& each, const api::MachineTemplate* from,
                                   const api::MachineTemplate* to) {
  if (!each.node || !each.mark) return std::nullopt;
  const auto ready = each.node->metadata.labels.value_or_empty(label::kReadyForUpdate);
  if (ready == each.mark->set) return std::nullopt;
  return Wanted(each)
      .with(label::kReadyForUpdate, each.mark->set)
      .annotated(annotation::kUpdateVersion, to == nullptr ? "" : to->spec.version.view())
      .annotated(annotation::kUpdateBootstrap, new_bootstrap(from, to))
      .without_result()
      .change();
}

std::optional<NodeChange> as_any(const MachineSeen& each) {
  if (!each.node) return std::nullopt;
  return Wanted(each)
      .without(label::kCandidateForUpdate)
      .without(label::kSelectedForUpdate)
      .not_ready()
      .without_result()
      .schedulable()
      .change();
}

bool shows_an_update(const api::Node& node) {
  return std::ranges::any_of(std::array{label::kCandidateForUpdate, label::kSelectedForUpdate,
                                        label::kReadyForUpdate, label::kUpdateResult},
                             [&](auto key) {
                               return node.metadata.labels.contains(key) ||
                                      node.metadata.labels.contains(lifecycle::mcm_alias_of(key));
                             });
}

}  // namespace capstan::controllers::inplace
