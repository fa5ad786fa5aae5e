// What the schema of CloudConfig and CloudConfigTemplate can't say (api/v1beta2/rules.h); they have no
// defaults. Used by webhooks. Pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "api/bootstrap/cloud_config.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

// The files that the provider writes to a machine of that spec, beside those of spec.files.
std::vector<std::string_view> provided_paths(const CloudConfigSpec& spec);
std::string_view bootstrap_kubeconfig_path(const CloudConfigJoin& join);
std::string_view certificate_authority_path(const CloudConfigJoin& join);

Causes validate(const CloudConfig& now, const CloudConfig* before, const Gates& gates = {});
Causes validate(const CloudConfigTemplate& now, const CloudConfigTemplate* before, const Gates& gates = {});

}  // namespace capstan::api
