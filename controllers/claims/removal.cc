#include "controllers/claims/removal.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/core/volume_attachment.h"
#include "base/safeguards.h"
#include "kube/resources.h"
#include "kube/status.h"
#include "kube/typed.h"

namespace capstan::controllers::claims {
namespace {

// By its own list of what it serves: a proxy that answers 404 for a moment doesn't say so.
bool serves_pods_but_no_evictions(kube::Client& client, const Deadline& deadline) {
  const auto served = client.get_path("/api/v1", deadline);
  const auto* resources =
      served && served->is_object() ? served->as_object().if_contains("resources") : nullptr;
  if (resources == nullptr || !resources->is_array()) return false;
  const auto lists = [&](std::string_view name) {
    return std::ranges::any_of(resources->get_array(), [&](const boost::json::value& one) {
      const auto* named = one.is_object() ? one.get_object().if_contains("name") : nullptr;
      return named != nullptr && named->is_string() && named->get_string() == name;
    });
  };
  return lists("pods") && !lists("pods/eviction");
}

}  // namespace

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
  if (!is_off(Safeguard::Evictions)) {
    auto answer = evicted.client.evict(evicted.pod, evicted.options, deadline);
    if (answer || answer.error().reason != kube::kNotServed) return answer;
    if (!serves_pods_but_no_evictions(evicted.client, deadline)) return answer;
  }
  return evicted.client.remove(kube::resources::pods(), evicted.pod, evicted.options, deadline);
}

Result<void> remove_by_force(kube::Client& client, const api::ObjectMeta& pod, const Clearance&,
                             const Deadline& deadline) {
  kube::DeleteOptions options{.grace_period_seconds = 0};
  if (!is_off(Safeguard::ForcedPods)) options.uid = pod.uid.str();
  return client.remove(kube::resources::pods(), {pod.namespace_.str(), pod.name.str()}, options, deadline);
}

Result<void> detach(kube::Client& client, const api::ObjectMeta& listed, const Clearance&,
                    const Deadline& deadline) {
  return client.remove(kube::resource_of<api::VolumeAttachment>(), {.name = listed.name.str()},
                       {.uid = listed.uid.str()}, deadline);
}

}  // namespace capstan::controllers::claims
