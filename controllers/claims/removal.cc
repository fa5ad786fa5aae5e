#include "controllers/claims/removal.h"

#include "base/safeguards.h"
#include "kube/resources.h"

namespace capstan::controllers::claims {

Result<void> remove(const Deleting& by, const runtime::Child& child, const Clearance& clearance,
                    kube::DeleteOptions options) {
  return by.consistency.remove(by.client, by.key, child, clearance.object(), std::move(options), by.deadline);
}

Result<void> remove(const Target& target, const Clearance& clearance, const Deadline& deadline) {
  kube::DeleteOptions options;
  if (!is_off(Safeguard::NodeUid)) options.uid = clearance.object().str();
  return target.client.remove(target.resource, target.key, options, deadline);
}

Result<void> evict(const Evicted& evicted, const Clearance&, const Deadline& deadline) {
  if (!is_off(Safeguard::Evictions)) return evicted.client.evict(evicted.pod, evicted.options, deadline);
  return evicted.client.remove(kube::resources::pods(), evicted.pod, evicted.options, deadline);
}

}  // namespace capstan::controllers::claims
