#include "controllers/topology/kinds.h"

namespace capstan::controllers::topology {

std::optional<std::string> deployment_of(const api::MachineDeployment& deployment) {
  return deployment.metadata.name.str();
}

std::optional<std::string> deployment_of(const api::MachineSet& set) {
  for (const auto& owner : *set.metadata.owner_references) {
    if (owner.kind == api::kind::kMachineDeployment && owner.group() == api::group::kCluster)
      return owner.name.str();
  }
  const Text* labelled = set.metadata.labels.find(api::label::kDeploymentName);
  if (labelled == nullptr) return std::nullopt;
  return labelled->str();
}

}  // namespace capstan::controllers::topology
