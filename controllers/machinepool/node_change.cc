#include "controllers/machinepool/node_change.h"

#include <array>

#include "api/names.h"
#include "controllers/drain/cordon.h"
#include "controllers/machinepool/drain_key.h"

namespace capstan::controllers::machinepool {

namespace annotation = api::annotation;

std::optional<NodeChange> node_change(const api::MachinePool& pool, const api::Node& node) {
  const std::array<std::pair<std::string_view, std::string_view>, 4> wanted = {{
      {annotation::kClusterName, pool.spec.cluster_name},
      {annotation::kClusterNamespace, pool.metadata.namespace_},
      {annotation::kOwnerKind, api::kind::kMachinePool},
      {annotation::kOwnerName, pool.metadata.name},
  }};
  NodeChange change;
  for (const auto& [key, value] : wanted) {
    const Text* there = node.metadata.annotations.find(key);
    if (there == nullptr || *there != value) change.annotations.emplace_back(Text(key), Text(value));
  }
  auto taints = node.spec.taints;
  const auto gone = erase_if(taints, [](const api::NodeTaint& each) {
    return each.same_taint(api::taint::kUninitialized, api::taint::kNoSchedule);
  });
  if (gone > 0) change.taints = std::move(taints);
  // The Node was to be emptied, and its instance is back.
  const auto& annotations = node.metadata.annotations;
  if (annotations.contains(kDrainStarted) || annotations.contains(kVolumeWaitStarted))
    change.marks_off = {Text(kDrainStarted), Text(kVolumeWaitStarted)};
  const Text* cordoned = annotations.find(drain::kCordonedBy);
  change.uncordon =
      cordoned != nullptr && *cordoned == std::string_view(drain_key(pool, node.metadata.name).describe());
  if (change.uncordon) change.marks_off.emplace_back(drain::kCordonedBy);
  if (change == NodeChange()) return std::nullopt;
  return change;
}

}  // namespace capstan::controllers::machinepool
