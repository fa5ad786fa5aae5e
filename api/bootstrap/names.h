// Keys of the bootstrap provider that comes with Capstan: on CloudConfigs and their data Secrets, and in
// workload clusters on bootstrap tokens and bindings. Constants only, safe everywhere.
#pragma once

#include <string_view>

namespace capstan::api::bootstrap {

namespace finalizer {
// On CloudConfigs of earlier versions that may have a token: status.bootstrapToken says so now.
inline constexpr std::string_view kToken = "bootstraptoken.capstan.dev";
// On a NodeConfig as long as there may be a Secret and rights of it in the workload cluster.
inline constexpr std::string_view kNodeConfig = "nodeconfig.capstan.dev";
}  // namespace finalizer

namespace annotation {
// On a data Secret: id of the token in it.
inline constexpr std::string_view kTokenId = "bootstrap.capstan.dev/token-id";
// On the Secret of a NodeConfig: which Nodes may apply it by now (node_config_release.h).
inline constexpr std::string_view kReleased = "bootstrap.capstan.dev/released";
// Beside it: since when that content stands there. A Node that was NotReady before has another reason.
inline constexpr std::string_view kReleasedSince = "bootstrap.capstan.dev/released-since";
// On a Node, written by its agent: the checksum that it has applied or tried to, and what it could not do of
// that; an error of an earlier checksum goes with it.
inline constexpr std::string_view kApplied = "bootstrap.capstan.dev/applied";
inline constexpr std::string_view kApplyError = "bootstrap.capstan.dev/apply-error";
// On a Node, written by a user: units to restart once, comma-separated; the agent takes it off.
inline constexpr std::string_view kRestartServices = "capstan.dev/restart-services";
}  // namespace annotation

namespace label {
// On a token: the CloudConfig it was made for.
inline constexpr std::string_view kConfigNamespace = "bootstrap.capstan.dev/config-namespace";
inline constexpr std::string_view kConfigName = "bootstrap.capstan.dev/config-name";
inline constexpr std::string_view kConfigUid = "bootstrap.capstan.dev/config-uid";
// On a ClusterRoleBinding of ours, with the Cluster it was made for.
inline constexpr std::string_view kAccess = "bootstrap.capstan.dev/access";
inline constexpr std::string_view kClusterNamespace = "bootstrap.capstan.dev/cluster-namespace";
inline constexpr std::string_view kClusterName = "bootstrap.capstan.dev/cluster-name";
// On the Secret of a NodeConfig, with the NodeConfig's namespace and name as values.
inline constexpr std::string_view kNodeConfigNamespace = "bootstrap.capstan.dev/node-config-namespace";
inline constexpr std::string_view kNodeConfigName = "bootstrap.capstan.dev/node-config-name";
}  // namespace label

// Keys of the Secret of a NodeConfig in kube-system.
namespace node_config_key {
inline constexpr std::string_view kConfig = "config.json";  // the NodeConfig's spec
inline constexpr std::string_view kChecksum = "checksum";   // SHA-256 of that text, in hex
}  // namespace node_config_key

// The identity of an agent: its certificate's common name is this with namespace:machine, its organization
// this with namespace:node-config, which a RoleBinding lets read the one Secret.
inline constexpr std::string_view kAgentUserPrefix = "capstan.dev:agent:";
inline constexpr std::string_view kAgentGroupPrefix = "capstan.dev:node-config:";

// A file of the user data: what the agent knows at birth, as JSON (agent_facts.h). It holds the token until
// the machine has joined.
inline constexpr std::string_view kAgentFactsFile = "/etc/capstan/agent.json";

}  // namespace capstan::api::bootstrap
