#include "controllers/lifecycle/node_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "api/names.h"
#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/lifecycle/node_template_memory.h"
#include "controllers/lifecycle/node_template_rules.h"

namespace capstan::controllers::lifecycle {
namespace {

using Keys = std::set<Text>;
using GivenKeys = api::List<Text>;
using NodeTaints = api::List<api::NodeTaint>;

Keys kept_labels(const api::Node& node, const NodeChange& change);
Keys kept_annotations(const api::Node& node, const NodeChange& change);
Keys keys_in(const api::Node& node, std::string_view bookkeeping);

// One merge of one Node.
class Merge {
 public:
  Merge(const api::Node& node, const api::PolicyNodeTemplate& wanted, const TaintsToLose& to_lose,
        NodeChange& change)
      : node_(node), wanted_(wanted), to_lose_(to_lose), change_(change) {}

  NodeTemplateMerge run() {
    const auto memory = node_template_memory(node_);
    found_.forgotten = !memory;
    if (memory && !is_off(Safeguard::NodeTemplateMemory)) before_ = *memory;
    merge_labels();
    merge_annotations();
    merge_taints();
    merge_capacity();
    remember(given_, node_, change_);
    return std::move(found_);
  }

 private:
  struct Map {
    std::string_view what = {};
    const api::TextMap& present;
    const GivenKeys& before;
    const Keys& kept;
    std::vector<NodeChange::Entry>& entries;
  };

  void merge_labels() {
    const Keys kept = kept_labels(node_, change_);
    api::TextMap wanted;
    for (const auto& [key, value] : wanted_.labels)
      if (fault_of_label(key, value).empty()) wanted.set(key, value);
    given_.labels = merge(wanted, {"label", node_.metadata.labels, before_.labels, kept, change_.labels});
  }

  void merge_annotations() {
    const Keys kept = kept_annotations(node_, change_);
    api::TextMap wanted;
    for (const auto& [key, value] : wanted_.annotations)
      if (fault_of_annotation(key).empty()) wanted.set(key, value);
    given_.annotations = merge(
        wanted, {"annotation", node_.metadata.annotations, before_.annotations, kept, change_.annotations});
  }

  GivenKeys merge(const api::TextMap& wanted, const Map& map) {
    GivenKeys given;
    for (const auto& [key, value] : wanted) {
      if (keep(map.what, key, map.kept)) continue;
      given.push_back(key);
      const Text* there = map.present.find(key);
      if (there == nullptr || *there != value) map.entries.emplace_back(key, value);
    }
    for (const Text& key : map.before)
      if (!wanted.contains(key) && !map.kept.contains(key) && map.present.contains(key))
        map.entries.emplace_back(key, std::nullopt);
    return given;
  }

  bool keep(std::string_view what, const Text& name, const Keys& kept) {
    if (!kept.contains(name)) return false;
    found_.kept.push_back(fmt::format("{} {}", what, name.view()));
    return true;
  }

  void merge_taints() {
    const Keys kept = keys_in(node_, api::annotation::kTaintsFromMachine);
    const NodeTaints present = change_.taints.value_or(node_.spec.taints);
    NodeTaints taints = present;
    for (const auto& taint : wanted_.taints) {
      const Text name(fmt::format("{}:{}", taint.key.view(), taint.effect.view()));
      if (!fault_of_taint(taint, to_lose_).empty() || keep("taint", name, kept)) continue;
      given_.taints.push_back(name);
      give(taint, taints);
    }
    std::ranges::sort(given_.taints);
    for (const Text& name : before_.taints)
      if (std::ranges::find(given_.taints, name) == given_.taints.end() && !kept.contains(name))
        take(name, taints);
    if (taints != present) change_.taints = std::move(taints);
  }

  // The time at which a taint came stays what it is: it decides when Pods that tolerate it for a while go.
  static void give(const api::TemplateTaint& taint, NodeTaints& taints) {
    const auto there = std::ranges::find_if(
        taints, [&](const auto& each) { return each.same_taint(taint.key, taint.effect); });
    if (there == taints.end()) {
      taints.push_back({.key = taint.key, .value = taint.value, .effect = taint.effect});
    } else {
      there->value = taint.value;
    }
  }

  static void take(std::string_view name, NodeTaints& taints) {
    const auto colon = name.rfind(':');
    if (colon == std::string_view::npos) return;
    erase_if(taints, [&](const auto& each) {
      return each.same_taint(name.substr(0, colon), name.substr(colon + 1));
    });
  }

  // No cache has the capacity of Nodes. A kubelet keeps what it does not know of until it registers anew,
  // which it does after a boot.
  void merge_capacity() {
    const Text boot(node_.status.node_info->boot_id.str());
    for (const auto& [resource, quantity] : wanted_.virtual_capacity) {
      if (!fault_of_capacity(resource, quantity).empty()) continue;
      given_.virtual_capacity.set(resource, quantity);
      const Text* before = before_.virtual_capacity.find(resource);
      if (before == nullptr || *before != quantity || before_.boot_id != boot)
        change_.capacity.emplace_back(resource, quantity);
    }
    if (!given_.virtual_capacity.empty()) given_.boot_id = boot;
    for (const auto& [resource, quantity] : before_.virtual_capacity)
      if (!given_.virtual_capacity.contains(resource)) change_.capacity.emplace_back(resource, std::nullopt);
  }

  const api::Node& node_;
  const api::PolicyNodeTemplate& wanted_;
  const TaintsToLose& to_lose_;
  NodeChange& change_;
  NodeTemplateMemory before_ = {};
  NodeTemplateMemory given_ = {};
  NodeTemplateMerge found_ = {};
};

}  // namespace

NodeTemplateMerge merge_node_template(const api::Node& node, const api::PolicyNodeTemplate* wanted,
                                      NodeChange& change, const TaintsToLose& to_lose) {
  static const api::PolicyNodeTemplate kNothing;
  if (wanted == nullptr && !node.metadata.annotations.contains(api::policy::annotation::kNodeTemplate))
    return {};
  return Merge(node, wanted == nullptr ? kNothing : *wanted, to_lose, change).run();
}

namespace {

// What the Machine has given the Node, or is about to give or take.
Keys kept_labels(const api::Node& node, const NodeChange& change) {
  Keys keys = keys_in(node, api::annotation::kLabelsFromMachine);
  for (const auto& [key, value] : change.labels) keys.insert(key);
  return keys;
}

// While the autoscaler is kept off for us, so is the template.
Keys kept_annotations(const api::Node& node, const NodeChange& change) {
  Keys keys = keys_in(node, api::annotation::kAnnotationsFromMachine);
  for (const auto& [key, value] : change.annotations) keys.insert(key);
  if (node.metadata.annotations.contains(api::policy::annotation::kScaleDownDisabledByUs))
    keys.insert(Text(api::policy::annotation::kScaleDownDisabled));
  return keys;
}

Keys keys_in(const api::Node& node, std::string_view bookkeeping) {
  Keys keys;
  for (const auto& word : std::views::split(node.metadata.annotations.value_or_empty(bookkeeping), ',')) {
    const std::string_view key(word.begin(), word.end());
    if (!key.empty()) keys.emplace(key);
  }
  return keys;
}

}  // namespace
}  // namespace capstan::controllers::lifecycle
