// What the webhooks' verdicts take into account besides the review (webhooks/lookups.h): from the
// controllers' caches, and of kinds that no controller caches from the API server. Made by wiring; safe from
// any thread.
#pragma once

#include "base/clock.h"
#include "controllers/shared/caches.h"
#include "kube/client.h"
#include "webhooks/lookups.h"

namespace capstan::manager {

class CachedLookups final : public webhooks::Lookups {
 public:
  // All of it lives longer.
  CachedLookups(const controllers::Caches& caches, kube::Client& client, const Clock& clock)
      : caches_(caches), client_(client), clock_(clock) {}

  // MachineDeployments, MachinePools, and MachineSets without a controller; visits those of one namespace.
  std::vector<webhooks::ContestedObject> contested_by(
      const api::MachineLifecyclePolicy& policy) const override;
  // Waits a few seconds for the API server at most.
  Result<std::optional<api::ContractRef>> pool_asked_by(const api::ObjectKey& claim) const override;

  // Labels of a CustomResourceDefinition, for webhooks::by_contract.
  Result<std::optional<api::TextMap>> labels_of_definition(std::string_view name) const;

 private:
  const controllers::Caches& caches_;
  kube::Client& client_;
  const Clock& clock_;
};

}  // namespace capstan::manager
