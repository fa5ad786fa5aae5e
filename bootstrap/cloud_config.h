// Rendering of bootstrap data in cloud-init's format: the user's files and commands, and around them what
// makes the machine a Node of its cluster. Pure: the same facts give the same text.
#pragma once

#include <string>

#include "api/bootstrap/cloud_config.h"
#include "base/result.h"

namespace capstan::bootstrap {

// What the data is about.
struct MachineFacts {
  std::string cluster = {};
  std::string namespace_ = {};
  std::string machine = {};       // empty: one of many, which learns its name from the cloud
  std::string machine_pool = {};  // empty: the machine is in none
  std::string kubernetes_version = {};
  std::string endpoint = {};  // "host:port" of the API server; empty while unknown
  bool control_plane = false;
};

// Invalid names the field: a path given twice, a path that is ours.
Result<std::string> render(const api::CloudConfigSpec& spec, const MachineFacts& facts);

// Where an agent on the machine finds the facts, as JSON.
inline constexpr std::string_view kFactsFile = api::kMachineFactsFile;

}  // namespace capstan::bootstrap
