// Random documents that a schema of a CustomResourceDefinition allows: what conversions are tried with, here
// and beside upstream's. The same seed gives the same documents. Pure but for the randomness it is given.
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "base/randomness.h"

namespace capstan::builders {

// The openAPIV3Schema of one version of a CustomResourceDefinition; fails a test by throwing when there is
// none.
const boost::json::object& schema_of(const boost::json::value& crd, std::string_view version);

// Allowed: as the schema wants it. OftenEmpty: every other value is empty, whatever the schema says of its
// length.
enum class Fill { Allowed, OftenEmpty };

// An object of the kind `crd` in `version`, with metadata. References name kinds of `kReferredKinds`.
boost::json::object random_document(const boost::json::value& crd, std::string_view version,
                                    Randomness& randomness, Fill fill = Fill::Allowed);

// What the random documents refer to: {group, kind} as "infrastructure.cluster.x-k8s.io/DriverMachine".
inline constexpr std::string_view kReferredKinds =
    "infrastructure.cluster.x-k8s.io/DriverMachine|infrastructure.cluster.x-k8s.io/DriverMachineTemplate|"
    "infrastructure.cluster.x-k8s.io/DriverCluster|bootstrap.cluster.x-k8s.io/CloudConfigTemplate";

// Keys in order, so that equal documents are equal texts; the conversion annotation parsed.
boost::json::value canonical(const boost::json::value& document);

}  // namespace capstan::builders
