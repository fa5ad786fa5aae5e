#include "controllers/shared/node_change.h"

#include <fmt/format.h>

#include "api/meta/object_meta.h"
#include "api/schema/changes.h"

namespace capstan::controllers {
namespace {

void apply_entries(const std::vector<NodeChange::Entry>& entries, api::Labels& map) {
  for (const auto& [key, value] : entries) {
    if (value) {
      map.set(key, *value);
    } else {
      map.erase(key.view());
    }
  }
}

std::string taints_in_words(const api::List<api::NodeTaint>& taints) {
  std::string words;
  for (const api::NodeTaint& taint : taints) {
    words += fmt::format("{}{}{}{}:{}", words.empty() ? "" : ", ", taint.key.view(),
                         taint.value.empty() ? "" : "=", taint.value.view(), taint.effect.view());
  }
  return "[" + words + "]";
}

}  // namespace

std::string describe(const NodeChange& change, const api::Node& node) {
  const api::ObjectMeta from{.labels = node.metadata.labels, .annotations = node.metadata.annotations};
  api::ObjectMeta to = from;
  apply_entries(change.labels, to.labels);
  apply_entries(change.annotations, to.annotations);
  for (const Text& mark : change.marks_off) to.annotations.erase(mark.view());
  std::string words = api::changes(from, to);
  const auto add = [&](const std::string& more) { words.append(words.empty() ? "" : ", ").append(more); };
  if (change.taints)
    add(fmt::format("taints: {} -> {}", taints_in_words(node.spec.taints), taints_in_words(*change.taints)));
  if (change.uncordon) add("unschedulable: true -> none");
  if (change.condition)
    add(fmt::format("condition {}: {}", change.condition->type.view(), change.condition->status.view()));
  for (const auto& [resource, quantity] : change.capacity)
    add(fmt::format("capacity.{} -> {}", resource.view(), quantity ? quantity->view() : "none"));
  return words;
}

}  // namespace capstan::controllers
