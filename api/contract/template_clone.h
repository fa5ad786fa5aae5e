// A new object from a provider's template: bootstrap and infrastructure objects of a Machine, remediation
// requests. Works on JSON, because the shape belongs to the provider. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>

#include "api/meta/owner_reference.h"
#include "api/schema/text_map.h"
#include "base/result.h"

namespace capstan::api::contract {

struct CloneRequest {
  std::string namespace_ = {};
  std::string name = {};
  std::string cluster_name = {};
  TextMap labels = {};                       // win over the template's own
  TextMap annotations = {};                  // likewise
  std::optional<OwnerReference> owner = {};  // takes the place of all others
};

// Invalid, with the path, when the template can't be one: no kind, or something else than an object where one
// belongs.
Result<boost::json::value> clone_from_template(const boost::json::value& source, const CloneRequest& request);

// "DockerMachine" of "DockerMachineTemplate"; other kinds stay as they are.
std::string_view cloned_kind(std::string_view template_kind);

}  // namespace capstan::api::contract
