// Keys of the bootstrap provider that comes with Capstan: on CloudConfigs and their data Secrets, and in
// workload clusters on bootstrap tokens and bindings. Constants only, safe everywhere.
#pragma once

#include <string_view>

namespace capstan::api::bootstrap {

namespace finalizer {
// On a CloudConfig from before its token is made until after it is deleted.
inline constexpr std::string_view kToken = "bootstraptoken.capstan.dev";
}  // namespace finalizer

namespace annotation {
// On a data Secret: id of the token in it.
inline constexpr std::string_view kTokenId = "bootstrap.capstan.dev/token-id";
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
}  // namespace label

}  // namespace capstan::api::bootstrap
