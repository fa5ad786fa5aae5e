#include "cmd/manager/cached_lookups.h"

#include <fmt/format.h>

#include "api/names.h"
#include "api/v1beta2/ip_address_claim.h"
#include "controllers/shared/policies.h"
#include "kube/typed.h"

namespace capstan::manager {
namespace {

// Less than what API servers wait for a webhook.
constexpr auto kReadWithin = std::chrono::seconds(5);

using Policies = std::vector<controllers::PolicySnapshot>;

std::vector<std::string> rivals(const api::MachineLifecyclePolicy& policy, const api::ObjectMeta& object,
                                const Policies& policies) {
  std::vector<std::string> names;
  if (!controllers::selects(policy, object)) return names;
  for (const auto& other : policies) {
    if (other->metadata.name != policy.metadata.name && controllers::selects(*other, object))
      names.push_back(other->metadata.name.str());
  }
  return names;
}

}  // namespace

std::vector<webhooks::ContestedObject> CachedLookups::contested_by(
    const api::MachineLifecyclePolicy& policy) const {
  const auto& where = policy.metadata.namespace_;
  const Policies policies = caches_.policies_in(where);
  std::vector<webhooks::ContestedObject> contested;
  const auto look_at = [&](std::string_view kind, const api::ObjectMeta& object) {
    auto names = rivals(policy, object, policies);
    if (!names.empty())
      contested.push_back(
          {.object = fmt::format("{} {}", kind, object.name.view()), .policies = std::move(names)});
  };
  for (const auto& each : caches_.machine_deployments_in(where))
    look_at(api::kind::kMachineDeployment, each->metadata);
  for (const auto& each : caches_.machine_sets_in(where)) {
    if (each->metadata.controller() == nullptr) look_at(api::kind::kMachineSet, each->metadata);
  }
  for (const auto& each : caches_.machine_pools_in(where)) look_at(api::kind::kMachinePool, each->metadata);
  return contested;
}

Result<std::optional<api::ContractRef>> CachedLookups::pool_asked_by(const api::ObjectKey& claim) const {
  const auto found = kube::get<api::IpAddressClaim>(client_, claim, Deadline::in(clock_, kReadWithin));
  if (found) return std::optional(found->spec.pool_ref);
  if (found.error().code == Code::NotFound) return std::nullopt;
  return fail(found.error());
}

Result<std::optional<api::TextMap>> CachedLookups::labels_of_definition(std::string_view name) const {
  const auto definition = caches_.crds.get({.namespace_ = {}, .name = std::string(name)});
  if (definition) return std::optional(definition->metadata.labels);
  if (caches_.crds.synced()) return std::nullopt;
  return fail(
      Code::Unavailable,
      fmt::format("CustomResourceDefinition {} is not yet known: Capstan has just started and is still "
                  "listing them; try again in a few seconds",
                  name));
}

}  // namespace capstan::manager
