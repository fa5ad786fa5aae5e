#include "controllers/machine/node_sync.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace capstan::controllers::machine {
namespace {

namespace annotation = api::annotation;
namespace label = api::label;
namespace taint = api::taint;

using Wanted = api::TextMap;
using Taints = api::List<api::NodeTaint>;

Wanted wanted_labels(const NodeSync& sync);
Wanted standard_annotations(const api::Machine& machine);
Wanted chosen_annotations(const NodeSync& sync);
std::vector<NodeChange::Entry> difference(const api::TextMap& present, const Wanted& wanted,
                                          const std::vector<Text>& no_longer);
std::vector<Text> forgotten(const api::Node& node, std::string_view bookkeeping, const Wanted& wanted);
std::string keys_of(const Wanted& wanted);
Taints wanted_taints(const NodeSync& sync);
std::string always_taints(const api::Machine& machine);

}  // namespace

std::optional<NodeChange> node_change(const NodeSync& sync) {
  const auto& metadata = sync.node.metadata;
  const Wanted labels = wanted_labels(sync);
  const Wanted chosen = chosen_annotations(sync);
  Wanted annotations = chosen;
  for (const auto& [key, value] : standard_annotations(sync.machine)) annotations.set(key, value);

  NodeChange change;
  change.labels =
      difference(metadata.labels, labels, forgotten(sync.node, annotation::kLabelsFromMachine, labels));
  auto gone = forgotten(sync.node, annotation::kAnnotationsFromMachine, chosen);
  for (const auto standard : {annotation::kOwnerKind, annotation::kOwnerName}) {
    if (!annotations.contains(standard)) gone.emplace_back(standard);
  }
  change.annotations = difference(metadata.annotations, annotations, gone);
  Taints taints = wanted_taints(sync);
  if (taints != sync.node.spec.taints) change.taints = std::move(taints);
  const bool first_taints =
      sync.rules.taints && !metadata.annotations.contains(annotation::kTaintsFromMachine);
  if (change == NodeChange() && !first_taints) return std::nullopt;

  // Remembered only together with a real change.
  Wanted bookkeeping;
  bookkeeping.set(annotation::kLabelsFromMachine, keys_of(labels));
  bookkeeping.set(annotation::kAnnotationsFromMachine, keys_of(chosen));
  if (sync.rules.taints) bookkeeping.set(annotation::kTaintsFromMachine, always_taints(sync.machine));
  for (auto& entry : difference(metadata.annotations, bookkeeping, {}))
    change.annotations.push_back(std::move(entry));
  return change;
}

bool became_interruptible(const NodeSync& sync) {
  return sync.interruptible && !sync.node.metadata.labels.contains(label::kInterruptible);
}

std::optional<bool> is_outdated(const api::TextMap& set_annotations,
                                const api::TextMap& deployment_annotations) {
  const auto revision = [](const api::TextMap& annotations) -> std::optional<std::int64_t> {
    const Text* text = annotations.find(annotation::kRevision);
    if (text == nullptr) return 0;
    std::int64_t number = 0;
    const std::string_view digits = *text;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return number;
  };
  const auto of_set = revision(set_annotations);
  const auto of_deployment = revision(deployment_annotations);
  if (!of_set || !of_deployment) return std::nullopt;
  return *of_set < *of_deployment;
}

namespace {

// A key without a slash is its own domain, as upstream has it.
std::string_view domain_of(std::string_view key) { return key.substr(0, key.find('/')); }

bool is_in_domain(std::string_view key, std::string_view domain) {
  const std::string_view own = domain_of(key);
  return own == domain ||
         (own.size() > domain.size() && own.ends_with(domain) && own[own.size() - domain.size() - 1] == '.');
}

bool is_node_label(std::string_view key) {
  return domain_of(key) == label::kNodeRoleDomain || is_in_domain(key, label::kNodeRestrictionDomain) ||
         is_in_domain(key, label::kManagedNodeDomain);
}

Wanted wanted_labels(const NodeSync& sync) {
  Wanted wanted;
  for (const auto& [key, value] : sync.machine.metadata.labels) {
    if (is_node_label(key) || sync.rules.labels.match(key)) wanted.set(key, value);
  }
  if (sync.interruptible) wanted.set(label::kInterruptible, "");
  return wanted;
}

Wanted standard_annotations(const api::Machine& machine) {
  Wanted wanted;
  wanted.set(Text(annotation::kClusterName), machine.spec.cluster_name);
  wanted.set(Text(annotation::kClusterNamespace), machine.metadata.namespace_);
  wanted.set(Text(annotation::kMachine), machine.metadata.name);
  if (const auto* controller = machine.metadata.controller()) {
    wanted.set(Text(annotation::kOwnerKind), controller->kind);
    wanted.set(Text(annotation::kOwnerName), controller->name);
  }
  return wanted;
}

Wanted chosen_annotations(const NodeSync& sync) {
  Wanted wanted;
  for (const auto& [key, value] : sync.machine.metadata.annotations) {
    if (is_in_domain(key, label::kManagedNodeDomain) || sync.rules.annotations.match(key))
      wanted.set(key, value);
  }
  return wanted;
}

std::vector<NodeChange::Entry> difference(const api::TextMap& present, const Wanted& wanted,
                                          const std::vector<Text>& no_longer) {
  std::vector<NodeChange::Entry> entries;
  for (const auto& [key, value] : wanted) {
    const Text* now = present.find(key);
    if (now == nullptr || *now != value) entries.emplace_back(key, value);
  }
  for (const Text& key : no_longer) {
    if (present.contains(key)) entries.emplace_back(key, std::nullopt);
  }
  return entries;
}

// Keys that came from the Machine once and are not wanted any more.
std::vector<Text> forgotten(const api::Node& node, std::string_view bookkeeping, const Wanted& wanted) {
  std::vector<Text> keys;
  std::string_view list = node.metadata.annotations.value_or_empty(bookkeeping);
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view key = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    if (!key.empty() && !wanted.contains(key)) keys.emplace_back(key);
  }
  return keys;
}

std::string keys_of(const Wanted& wanted) {
  std::string list;
  for (const auto& [key, value] : wanted) list += (list.empty() ? "" : ",") + key.str();
  return list;
}

void drop(Taints& taints, std::string_view key, std::string_view effect) {
  erase_if(taints, [&](const api::NodeTaint& each) { return each.same_taint(key, effect); });
}

// As strong as the Machine's own words: an existing taint of that key and effect takes the value.
void ensure(Taints& taints, const Text& key, const Text& value, const Text& effect) {
  const auto there =
      std::ranges::find_if(taints, [&](const api::NodeTaint& each) { return each.same_taint(key, effect); });
  if (there == taints.end()) {
    taints.push_back({.key = key, .value = value, .effect = effect});
  } else {
    there->value = value;
  }
}

bool is_wanted(const api::Machine& machine, std::string_view key_and_effect) {
  return std::ranges::any_of(machine.spec.taints, [&](const api::MachineTaint& each) {
    return key_and_effect == each.key.str() + ":" + each.effect.str();
  });
}

void drop_former_taints(const NodeSync& sync, Taints& taints) {
  for (const Text& former : forgotten(sync.node, annotation::kTaintsFromMachine, {})) {
    const std::string_view text = former;
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || is_wanted(sync.machine, text)) continue;
    drop(taints, text.substr(0, colon), text.substr(colon + 1));
  }
}

void add_machine_taints(const NodeSync& sync, Taints& taints) {
  const bool initialized = sync.node.metadata.annotations.contains(annotation::kTaintsFromMachine);
  for (const auto& each : sync.machine.spec.taints) {
    if (initialized && each.propagation == api::taint_propagation::kOnInitialization) continue;
    ensure(taints, each.key, each.value, each.effect);
  }
}

Taints wanted_taints(const NodeSync& sync) {
  Taints taints = sync.node.spec.taints;
  drop(taints, taint::kUninitialized, taint::kNoSchedule);
  if (sync.rules.taints) {
    drop_former_taints(sync, taints);
    add_machine_taints(sync, taints);
  }
  if (sync.outdated == false) drop(taints, taint::kOutdatedRevision, taint::kPreferNoSchedule);
  if (sync.outdated == true) {
    ensure(taints, Text(taint::kOutdatedRevision), {}, Text(taint::kPreferNoSchedule));
  }
  return taints;
}

std::string always_taints(const api::Machine& machine) {
  std::vector<std::string> always;
  for (const auto& each : machine.spec.taints) {
    if (each.propagation == api::taint_propagation::kAlways)
      always.push_back(each.key.str() + ":" + each.effect.str());
  }
  std::ranges::sort(always);
  std::string list;
  for (const auto& each : always) list += (list.empty() ? "" : ",") + each;
  return list;
}

}  // namespace
}  // namespace capstan::controllers::machine
