// The failure domains of a Cluster: v1beta1 has an object by name, v1beta2 a list. Used by
// api/v1beta1/changes.cc. Pure.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace capstan::api::v1beta1 {

// v1beta1 to v1beta2, sorted by name; `controlPlane` is there even when it is false.
Result<void> list_failure_domains(boost::json::value& value);
// v1beta2 to v1beta1. Of two with one name the last one stays.
void name_failure_domains(boost::json::value& value);

}  // namespace capstan::api::v1beta1
