// What the webhooks' verdicts take into account besides the review, from the controllers' caches
// (webhooks/lookups.h). Made by wiring; safe from any thread.
#pragma once

#include "controllers/shared/caches.h"
#include "webhooks/lookups.h"

namespace capstan::manager {

class CachedLookups final : public webhooks::Lookups {
 public:
  explicit CachedLookups(const controllers::Caches& caches) : caches_(caches) {}

  // MachineDeployments, MachinePools, and MachineSets without a controller; visits those of one namespace.
  std::vector<webhooks::ContestedObject> contested_by(
      const api::MachineLifecyclePolicy& policy) const override;

  // Labels of a CustomResourceDefinition, for webhooks::by_contract.
  Result<std::optional<api::TextMap>> labels_of_definition(std::string_view name) const;

 private:
  const controllers::Caches& caches_;
};

}  // namespace capstan::manager
