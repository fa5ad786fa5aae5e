#include "agent/connections.h"

#include <filesystem>

#include "agent/identity.h"
#include "base/try.h"
#include "kubeconfig/connect.h"
#include "kubeconfig/kubeconfig.h"
#include "net/pki.h"

namespace capstan::agent {
namespace {

kube::Connection to_server(const api::AgentFacts& facts) {
  return {.server = facts.server.str(), .ca_pem = facts.certificate_authority.str()};
}

Result<std::string> content_of(const Root& root, const std::string& path) {
  auto content = TRY(root.read(path));
  if (!content) return fail(Code::NotFound, path + ": no such file");
  return std::move(*content);
}

Result<void> take_in(const Root& root, std::string& file, std::string& content) {
  if (file.empty()) return {};
  content = TRY(content_of(root, file));
  file.clear();
  return {};
}

Result<void> take_in_files(const Root& root, kube::Connection& connection) {
  TRY(take_in(root, connection.ca_file, connection.ca_pem));
  TRY(take_in(root, connection.certificate_file, connection.certificate_pem));
  std::string key = connection.private_key_pem.reveal();
  TRY(take_in(root, connection.private_key_file, key));
  connection.private_key_pem = Secret(std::move(key));
  return {};
}

}  // namespace

kube::Connection with_token(const api::AgentFacts& facts) {
  kube::Connection connection = to_server(facts);
  connection.token = Secret(facts.token.str());
  return connection;
}

kube::Connection with_own_certificate(const api::AgentFacts& facts, const std::string& key_and_certificate) {
  kube::Connection connection = to_server(facts);
  connection.certificate_pem = key_and_certificate;
  connection.private_key_pem = Secret(key_and_certificate);
  return connection;
}

Result<KubeletAccess> kubelet_access(const Root& root, const std::string& kubeconfig_path) {
  const std::string text = TRY(content_of(root, kubeconfig_path));
  const auto config = TRY(kubeconfig::parse(text));
  const std::string folder = std::filesystem::path(kubeconfig_path).parent_path().string();
  KubeletAccess access{.connection = TRY(kubeconfig::connection(config, {.directory = folder}))};
  TRY(take_in_files(root, access.connection));
  access.node = node_name(TRY(net::read_certificate(access.connection.certificate_pem)).common_name);
  if (access.node.empty()) return fail(Code::Invalid, kubeconfig_path + ": its certificate is of no Node");
  return access;
}

Result<Secret<std::string>> bootstrap_kubeconfig(const api::AgentFacts& facts) {
  const std::string cluster = "cluster";
  const std::string user = "kubelet-bootstrap";
  return kubeconfig::render({.clusters = {{.name = cluster,
                                           .server = facts.server.str(),
                                           .ca_pem = facts.certificate_authority.str()}},
                             .users = {{.name = user, .token = Secret(facts.token.str())}},
                             .contexts = {{.name = user, .cluster = cluster, .user = user}},
                             .current_context = user});
}

}  // namespace capstan::agent
