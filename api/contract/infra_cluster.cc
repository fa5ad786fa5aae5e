#include "api/contract/infra_cluster.h"

#include <algorithm>

#include "api/contract/lists.h"
#include "base/try.h"

namespace capstan::api::contract {
namespace {

// {"a": {"controlPlane": true}} as a list.
Result<std::vector<FailureDomain>> from_map(const Foreign& object) {
  std::vector<FailureDomain> domains;
  const auto found = object.at(path::kFailureDomains);
  if (!found) return domains;
  if (!found->is_object()) return wrong_type(object, path::kFailureDomains.str(), "object", *found);
  for (const auto& [name, body] : found->as_object()) {
    const std::string where = fmt::format("{}.{}", path::kFailureDomains.str(), std::string_view(name));
    auto domain = TRY(read_struct<FailureDomain>(object, where, body));
    domain.name = Text(std::string_view(name));
    domains.push_back(std::move(domain));
  }
  return domains;
}

}  // namespace

Result<bool> InfraCluster::provisioned() const {
  const auto& where = contract_ == ContractVersion::V1Beta1 ? path::kReady : path::kProvisioned;
  return TRY(read_bool(object_, where)).value_or(false);
}

Result<std::optional<ApiEndpoint>> InfraCluster::control_plane_endpoint() const {
  return read_endpoint(object_);
}

Result<std::vector<FailureDomain>> InfraCluster::failure_domains() const {
  auto domains = contract_ == ContractVersion::V1Beta1
                     ? TRY(from_map(object_))
                     : TRY(read_list<FailureDomain>(object_, path::kFailureDomains))
                           .value_or(std::vector<FailureDomain>());
  for (auto& domain : domains) {
    domain.control_plane = domain.control_plane.value_or(false);
    domain.unknown = {};
  }
  std::ranges::stable_sort(domains, {}, &FailureDomain::name);
  return domains;
}

Result<std::optional<ApiEndpoint>> read_endpoint(const Foreign& object) {
  const auto found = object.at(path::kControlPlaneEndpoint);
  if (!found) return std::nullopt;
  auto endpoint = TRY(read_struct<ApiEndpoint>(object, path::kControlPlaneEndpoint.str(), *found));
  endpoint.unknown = {};
  // What one version leaves out, another writes as zero.
  if (endpoint.port == 0) endpoint.port.reset();
  return endpoint;
}

}  // namespace capstan::api::contract
