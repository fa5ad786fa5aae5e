// What a machine is given at its first boot, before it has a format: its name, files and commands, the user's
// and those that make it a Node of its cluster. Pure: the same facts give the same data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/bootstrap/node_config.h"
#include "base/result.h"

namespace capstan::bootstrap {

// What a kubelet needs to join.
struct JoinFacts {
  std::string authority_pem = {};  // certificate of the cluster's CA
  std::string token = {};          // "id.secret"; empty: a control plane, which no token of ours lets in
};

// The NodeConfig that the machine gets by capstan-agent.
struct NodeConfigFacts {
  std::string name = {};
  std::optional<api::NodeConfigAgent> agent = {};  // nothing: the image brings the program
};

// What the data is about.
struct MachineFacts {
  std::string cluster = {};
  std::string namespace_ = {};
  std::string machine = {};       // empty: one of many, which learns its name from the cloud
  std::string machine_pool = {};  // empty: the machine is in none
  std::string kubernetes_version = {};
  std::string endpoint = {};  // "host:port" of the API server; empty while unknown
  bool control_plane = false;
  std::optional<JoinFacts> join = {};               // nothing: spec.join is not set
  std::optional<NodeConfigFacts> node_config = {};  // nothing: spec.nodeConfigRef is not set
};

struct UserDataFile {
  std::string path = {};
  std::string content = {};
  std::string permissions = {};  // in octal digits
  std::string owner = {};        // "user:group"
};

struct UserData {
  std::string hostname = {};  // empty: the cloud's
  std::vector<UserDataFile> files = {};
  std::vector<std::string> commands = {};  // the last one leaves the sign of success
};

// Invalid names the field: a path given twice, a path that is ours, a NodeConfig for a machine that does not
// join.
Result<UserData> user_data(const api::CloudConfigSpec& spec, const MachineFacts& facts);

// The same as text, in the format that the spec names.
Result<std::string> render(const api::CloudConfigSpec& spec, const MachineFacts& facts);

// As the Secret names it.
std::string_view format_of(const api::CloudConfigSpec& spec);

// Clouds take no more user data than that. It holds for specs with `join`: before there was that field, data
// of every size were written.
inline constexpr std::size_t kLargestUserData = 16UL * 1024UL;

// Where an agent on the machine finds the facts, as JSON.
inline constexpr std::string_view kFactsFile = api::kMachineFactsFile;

}  // namespace capstan::bootstrap
