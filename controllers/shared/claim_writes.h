// The write that takes a provider's object over for a Machine or a pool, as provider_claim.h says. Blocks as
// the client does; safe from any thread.
#pragma once

#include "controllers/shared/external_seen.h"
#include "controllers/shared/provider_claim.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers {

// The Machine or pool that takes the object over, and the Cluster it belongs to.
struct Claimant {
  kube::ObjectKey key = {};
  Text cluster = {};
};
// One patch; nothing while another writer contests the fields. An object that is gone is no error.
Result<void> write_claim(const ActContext& with, const Claimant& claimant, const ExternalSeen& external,
                         const ProviderClaim& claim);

}  // namespace capstan::controllers
