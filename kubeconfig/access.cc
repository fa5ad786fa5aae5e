#include "kubeconfig/access.h"

#include <boost/json.hpp>
#include <utility>

#include "base/try.h"
#include "kube/resources.h"
#include "kube/status.h"
#include "kubeconfig/connect.h"
#include "kubeconfig/secret.h"

namespace capstan::kubeconfig {
namespace {

constexpr std::string_view kNoSecret =
    "; the control plane provider makes it, or you do: key \"value\" holds the kubeconfig";

// Also by a 404 without a Status: a server that does not speak of pods as Kubernetes does is not the one we
// run in.
bool is_missing(const Error& error) {
  return error.code == Code::NotFound || error.reason == kube::kNotServed;
}

}  // namespace

Result<Access> read_access(kube::Client& management, const kube::ObjectKey& cluster,
                           const Deadline& deadline) {
  auto secret = read(management, cluster, deadline);
  if (!secret) {
    Error error = secret.error();
    if (error.code == Code::NotFound) error.message += kNoSecret;
    return fail(std::move(error));
  }
  const Kubeconfig config = TRY(kubeconfig_in(*secret));
  auto access = connection(config, {.allow_files = false});
  if (!access) return fail(access.error().context("secret " + secret_key_of(cluster).describe()));
  access->from_secret = true;
  return Access{.connection = std::move(*access), .version = std::move(secret->resource_version)};
}

Result<bool> runs_in(kube::Client& workload, const OwnPod& pod, const Deadline& deadline) {
  const auto found = workload.get(kube::resources::pods(), pod.key, deadline);
  if (!found && is_missing(found.error())) return false;
  if (!found) return fail(found.error().context("look for our own pod " + pod.key.describe()));
  boost::system::error_code wrong;
  const auto* uid = found->find_pointer("/metadata/uid", wrong);
  return uid != nullptr && uid->is_string() && std::string_view(uid->as_string()) == pod.uid;
}

kube::Connection from_inside(kube::Connection access, const kube::Connection& server) {
  access.server = server.server;
  access.tls_server_name = server.tls_server_name;
  access.proxy_url = server.proxy_url;
  access.insecure_skip_tls_verify = server.insecure_skip_tls_verify;
  access.from_secret = server.from_secret;
  access.ca_pem = server.ca_pem;
  access.ca_file = server.ca_file;
  return access;
}

}  // namespace capstan::kubeconfig
