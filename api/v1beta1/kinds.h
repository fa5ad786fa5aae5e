// Every kind that has an older version beside v1beta2, ours and those of upstream's package. Used by crdgen
// for the older version of each CRD, and by webhooks/conversion_review.cc. Plain data, safe from any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/schema/crd.h"
#include "api/v1beta1/rows.h"

namespace capstan::api::v1beta1 {

// Those whose CRD we ship; of one kind the newest version first.
std::span<const Kind* const> kinds();
// Null when there is none; `version` is the older one.
const Kind* find_kind(std::string_view group, std::string_view name, std::string_view version = "v1beta1");

// The older versions of a kind of ours, the newest first.
std::vector<CrdVersion> older_versions(const ResourceInfo& kind);

}  // namespace capstan::api::v1beta1
