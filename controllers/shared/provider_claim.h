// How a provider's object has to be owned and labelled so that it is a Machine's or a pool's. Decided by
// them, written by claim_writes.h. A plain value.
#pragma once

#include <string>

#include "api/meta/object_meta.h"

namespace capstan::controllers {

struct ProviderClaim {
  api::OwnerReferences from = {};  // its owners as they are
  api::OwnerReferences owners = {};
  bool label = false;  // cluster-name has to be set
  bool operator==(const ProviderClaim&) const = default;
};

// "ownerReferences: [MachineSet s] -> [controller Machine m], label of its Cluster"
std::string describe(const ProviderClaim& claim);

}  // namespace capstan::controllers
