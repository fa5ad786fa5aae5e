#include "test/envtest/installed_manager_fixture.h"

#include <httplib.h>

#include "test/envtest/webhook_urls.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;

constexpr int kWebhookPort = 9443;
constexpr int kHealthPort = 9440;
// The schema of a KubeadmControlPlane is deeper than what Boost.JSON reads unasked.
constexpr json::parse_options kDeep = {.max_depth = 128};

}  // namespace

void InstalledManager::TearDownTestSuite() {
  manager_.kill();
  Package::TearDownTestSuite();
}

void InstalledManager::TearDown() {
  if (HasFailure())
    std::fputs(printed(run({.argv = {"tail", "-n", "60", manager_.log()}}, seconds(5))).c_str(), stderr);
}

void InstalledManager::point_webhooks(const std::string& provider, int port) {
  const std::string ca = servers_->ca_pem();
  const std::string url = "https://127.0.0.1:" + std::to_string(port);
  auto callers =
      json::parse(kubectl({"get", "crds,mutatingwebhookconfigurations,validatingwebhookconfigurations",
                           "-l=cluster.x-k8s.io/provider=" + provider, "-o=json"}),
                  {}, kDeep);
  call_urls(callers, {.base_url = url, .ca_pem = ca});
  kubectl({"replace", "-f=-"}, json::serialize(callers));
}

void InstalledManager::start_installed_manager() {
  point_webhooks("cluster-api", kWebhookPort);
  const auto deployment = object("deployment", "capi-controller-manager", "capi-system");
  auto command = command_of(deployment, "manager",
                            {.name = "capi-controller-manager-0", .namespace_ = "capi-system", .uid = "0"});
  ASSERT_TRUE(command) << command.error().describe();
  const std::string url = servers_->url();
  command->environment.push_back("KUBERNETES_SERVICE_HOST=127.0.0.1");
  command->environment.push_back("KUBERNETES_SERVICE_PORT=" + url.substr(url.rfind(':') + 1));
  const std::string account = "/var/run/secrets/kubernetes.io/serviceaccount/";
  const std::string serving = "/tmp/k8s-webhook-server/serving-certs/";
  auto started = start_container(
      *command,
      {.root = in_folder("root"),
       .programs = {program("capstan")},
       .files = {{account + "token", token_of("capi-manager", "capi-system")},
                 {account + "ca.crt", servers_->ca_pem()},
                 {serving + "tls.crt", content_of(servers_->certificates() / "apiserver.crt")},
                 {serving + "tls.key", content_of(servers_->certificates() / "apiserver.key")}}},
      in_folder("manager.log"));
  ASSERT_TRUE(started) << started.error().describe();
  manager_ = std::move(*started);
  const bool ready = waited([&] {
    httplib::Client probe("127.0.0.1", kHealthPort);
    const auto answer = probe.Get("/readyz");
    return manager_.has_ended() || (answer && answer->status == 200);
  });
  ASSERT_TRUE(ready && !manager_.has_ended()) << content_of(manager_.log());
}

std::string InstalledManager::token_of(const std::string& account, const std::string& ns) {
  std::string token = kubectl({"create", "token", account, "--namespace=" + ns});
  while (token.ends_with('\n')) token.pop_back();
  return token;
}

fs::path InstalledManager::program(std::string_view name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace capstan::envtest
