// Converts documents between v1beta2 and the older version of a kind, in place. Used by
// webhooks/conversion_review.cc and by tests. Pure but for the question which version of a provider's kind to
// name; safe from any thread.
//
// What v1beta1 has no place for goes into the annotation cluster.x-k8s.io/conversion-data and comes back from
// there; docs/conversion.md says what is lost all the same.
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace capstan::api::v1beta1 {

struct Kind;

inline constexpr std::string_view kConversionData = "cluster.x-k8s.io/conversion-data";

// The apiVersion under which a provider's kind keeps the Cluster API contract:
// ("infrastructure.cluster.x-k8s.io", "DockerMachine") -> "infrastructure.cluster.x-k8s.io/v1beta2".
using ApiVersionOf = std::function<Result<std::string>(std::string_view group, std::string_view kind)>;

Result<void> to_v1beta2(const Kind& kind, boost::json::object& document);
Result<void> from_v1beta2(const Kind& kind, boost::json::object& document,
                          const ApiVersionOf& api_version_of);

}  // namespace capstan::api::v1beta1
