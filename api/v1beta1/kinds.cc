#include "api/v1beta1/kinds.h"

#include <algorithm>
#include <array>

#include "api/v1beta1/cluster.h"
#include "api/v1beta1/ip_address.h"
#include "api/v1beta1/ip_address_claim.h"
#include "api/v1beta1/machine.h"
#include "api/v1beta1/machine_deployment.h"
#include "api/v1beta1/machine_drain_rule.h"
#include "api/v1beta1/machine_health_check.h"
#include "api/v1beta1/machine_pool.h"
#include "api/v1beta1/machine_set.h"
#include "api/v1beta1/other_groups.h"

namespace capstan::api::v1beta1 {
namespace {

constexpr std::array kKinds = {
    &kCluster,    &kMachine,   &kMachineDeployment, &kMachineDrainRule, &kMachineHealthCheck, &kMachinePool,
    &kMachineSet, &kIpAddress, &kAlphaIpAddress,    &kIpAddressClaim,   &kAlphaIpAddressClaim};

constexpr std::array kOthers = {&kClusterResourceSet, &kClusterResourceSetBinding, &kExtensionConfig,
                                &kClusterClass};

const Kind* find_among(std::span<const Kind* const> kinds, const ResourceInfo& wanted) {
  const auto found = std::ranges::find_if(kinds, [&](const Kind* kind) {
    const ResourceInfo& has = *kind->old_type->resource;
    return has.group == wanted.group && has.kind == wanted.kind && has.version == wanted.version;
  });
  return found == kinds.end() ? nullptr : *found;
}

}  // namespace

std::span<const Kind* const> kinds() { return kKinds; }

const Kind* find_kind(std::string_view group, std::string_view name, std::string_view version) {
  const ResourceInfo wanted = {.group = group, .version = version, .kind = name};
  const Kind* ours = find_among(kKinds, wanted);
  return ours != nullptr ? ours : find_among(kOthers, wanted);
}

std::vector<CrdVersion> older_versions(const ResourceInfo& kind) {
  std::vector<CrdVersion> versions;
  for (const Kind* one : kKinds) {
    const ResourceInfo& older = *one->old_type->resource;
    if (older.group == kind.group && older.kind == kind.kind)
      versions.push_back({.resource = &older, .type = one->old_type});
  }
  return versions;
}

}  // namespace capstan::api::v1beta1
