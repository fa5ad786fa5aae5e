#include "bootstrap/join_files.h"

#include "api/bootstrap/cloud_config_rules.h"
#include "base/try.h"
#include "bootstrap/agent_files.h"
#include "kubeconfig/kubeconfig.h"

namespace capstan::bootstrap {
namespace {

constexpr std::string_view kForRoot = "root:root";

// It names the CA by its file: the certificate itself would stand in the data twice.
Result<Secret<std::string>> bootstrap_kubeconfig(const api::CloudConfigJoin& join,
                                                 const MachineFacts& facts) {
  const std::string user = "kubelet-bootstrap";
  return kubeconfig::render({.clusters = {{.name = facts.cluster,
                                           .server = "https://" + facts.endpoint,
                                           .ca_file = std::string(api::certificate_authority_path(join))}},
                             .users = {{.name = user, .token = Secret(facts.join->token)}},
                             .contexts = {{.name = user, .cluster = facts.cluster, .user = user}},
                             .current_context = user});
}

}  // namespace

Result<std::vector<UserDataFile>> join_files(const api::CloudConfigJoin& join, const MachineFacts& facts) {
  std::vector<UserDataFile> files = {{.path = std::string(api::certificate_authority_path(join)),
                                      .content = facts.join->authority_pem,
                                      .permissions = "0644",
                                      .owner = std::string(kForRoot)}};
  if (facts.node_config) {
    for (UserDataFile& file : agent_files(facts)) files.push_back(std::move(file));
    return files;
  }
  if (facts.join->token.empty()) return files;
  files.push_back({.path = std::string(api::bootstrap_kubeconfig_path(join)),
                   .content = TRY(bootstrap_kubeconfig(join, facts)).reveal(),
                   .permissions = "0600",
                   .owner = std::string(kForRoot)});
  return files;
}

}  // namespace capstan::bootstrap
