// How a provider's object has to be owned and labelled so that it is a Machine's or a pool's, and the patch
// that does it. Blocks as the client does; safe from any thread.
#pragma once

#include <optional>

#include "controllers/shared/external_seen.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers {

struct ProviderClaim {
  api::OwnerReferences owners = {};
  bool label = false;  // cluster-name has to be set
  bool operator==(const ProviderClaim&) const = default;
};

// The Machine or pool that takes the object over, and the Cluster it belongs to.
struct Claimant {
  kube::ObjectKey key = {};
  Text cluster = {};
};
// One patch; nothing without a claim, or while another writer contests the fields. An object that is gone is
// no error.
Result<void> write_claim(const ActContext& with, const Claimant& claimant, const ExternalSeen& external,
                         const std::optional<ProviderClaim>& claim);

}  // namespace capstan::controllers
