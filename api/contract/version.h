// Which version of the Cluster API contract a provider's kind keeps, and in which API version to talk to it:
// both come from labels of its CRD, at every use. Pure functions.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "api/schema/text_map.h"
#include "base/result.h"

namespace capstan::api::contract {

enum class ContractVersion { V1Beta1, V1Beta2 };
std::string_view to_string(ContractVersion version);

struct Resolution {
  ContractVersion contract = ContractVersion::V1Beta2;
  std::string version = {};  // of the provider's API, as "v1beta2"
  bool operator==(const Resolution&) const = default;
};

// The newest contract whose label is there and not empty, and the highest API version it lists.
Result<Resolution> resolve(std::string_view crd_name, const TextMap& crd_labels);

// Kubernetes' priority of API versions: v2, v1, v1beta2, v1beta1, v1alpha1, then anything else by name.
std::strong_ordering compare_api_versions(std::string_view left, std::string_view right);

}  // namespace capstan::api::contract
