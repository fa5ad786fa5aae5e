// How each identity of the agent reaches the API server. Files are read here, beneath the root: what comes
// out holds everything inline.
#pragma once

#include <string>

#include "agent/root.h"
#include "api/bootstrap/agent_facts.h"
#include "base/result.h"
#include "base/secret.h"
#include "kube/connection.h"

namespace capstan::agent {

kube::Connection with_token(const api::AgentFacts& facts);
// `key_and_certificate` as it stands in the agent's file.
kube::Connection with_own_certificate(const api::AgentFacts& facts, const std::string& key_and_certificate);

struct KubeletAccess {
  kube::Connection connection = {};
  std::string node = {};  // from its certificate
};
Result<KubeletAccess> kubelet_access(const Root& root, const std::string& kubeconfig_path);

// What the kubelet joins with.
Result<Secret<std::string>> bootstrap_kubeconfig(const api::AgentFacts& facts);

}  // namespace capstan::agent
