// What the schema of NodeConfig can't say (api/v1beta2/rules.h), and what stands for the fields that are left
// out. It has no defaults of its own. Used by webhooks and by bootstrap/nodeconfig. Pure functions.
#pragma once

#include <string_view>

#include "api/bootstrap/node_config.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

inline constexpr std::string_view kAgentUnit = "capstan-agent.service";
inline constexpr std::string_view kAgentUnitFile = "/etc/systemd/system/capstan-agent.service";
inline constexpr std::string_view kAgentProgram = "/usr/local/bin/capstan-agent";
inline constexpr std::string_view kUnitFolder = "/etc/systemd/system/";

std::int32_t max_failed(const NodeConfigApply& apply);

Causes validate(const NodeConfig& now, const NodeConfig* before, const Gates& gates = {});

}  // namespace capstan::api
