#include "test/envtest/installed_manager_fixture.h"

#include <httplib.h>

#include <utility>

#include "test/envtest/package_roles.h"
#include "test/envtest/webhook_urls.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;

// The schema of a KubeadmControlPlane is deeper than what Boost.JSON reads unasked.
constexpr json::parse_options kDeep = {.max_depth = 128};

std::vector<std::string> flags_for(const ManagerPorts& ports) {
  if (ports == ManagerPorts{}) return {};
  return {"--health-addr=127.0.0.1:" + std::to_string(ports.health),
          "--webhook-port=" + std::to_string(ports.webhooks),
          "--diagnostics-address=127.0.0.1:" + std::to_string(ports.diagnostics)};
}

}  // namespace

void InstalledManager::TearDownTestSuite() {
  manager_.kill();
  if (servers_ && !roles_were_taken_away_) expect_rights_sufficed(*servers_);
  Package::TearDownTestSuite();
}

void InstalledManager::expect_rights_sufficed(const RealServers& servers) {
  const auto entries = AuditReader(servers.audit_log()).more();
  ASSERT_TRUE(entries) << entries.error().describe();
  EXPECT_THAT(forbidden_to_installed(*entries), ::testing::IsEmpty());
}

void InstalledManager::TearDown() {
  if (HasFailure())
    std::fputs(text_of(run({.argv = {"tail", "-n", "60", manager_.log()}}, seconds(5))).c_str(), stderr);
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

void InstalledManager::start_installed_manager(const ManagerPorts& ports,
                                               const std::vector<std::string>& more_flags) {
  std::vector<std::string> flags = flags_for(ports);
  flags.insert(flags.end(), more_flags.begin(), more_flags.end());
  point_webhooks("cluster-api", ports.webhooks);
  const std::string serving = "/tmp/k8s-webhook-server/serving-certs/";
  manager_ = start_installed(
      {.deployment = "capi-controller-manager",
       .namespace_ = "capi-system",
       .account = "capi-manager",
       .program = "capstan",
       .health_port = ports.health,
       .flags = std::move(flags),
       .files = {{serving + "tls.crt", content_of(servers_->certificates() / "apiserver.crt")},
                 {serving + "tls.key", content_of(servers_->certificates() / "apiserver.key")}}});
}

ChildProcess InstalledManager::start_installed(const InstalledPod& pod) {
  auto command = command_of(object("deployment", pod.deployment, pod.namespace_), "manager",
                            {.name = pod.deployment + "-0", .namespace_ = pod.namespace_, .uid = "0"});
  EXPECT_TRUE(command) << command.error().describe();
  if (!command) return {};
  const std::string url = servers_->url();
  command->environment.push_back("KUBERNETES_SERVICE_HOST=127.0.0.1");
  command->environment.push_back("KUBERNETES_SERVICE_PORT=" + url.substr(url.rfind(':') + 1));
  command->argv.insert(command->argv.end(), pod.flags.begin(), pod.flags.end());
  const std::string account = "/var/run/secrets/kubernetes.io/serviceaccount/";
  const std::string replica = pod.deployment + "-" + std::to_string(pod.health_port);
  PodFiles files{.root = in_folder(replica), .programs = {program(pod.program)}, .files = pod.files};
  files.files.emplace_back(account + "token", token_of(pod.account, pod.namespace_));
  files.files.emplace_back(account + "ca.crt", servers_->ca_pem());
  auto started = start_container(*command, files, in_folder(replica + ".log"));
  EXPECT_TRUE(started) << started.error().describe();
  if (!started) return {};
  httplib::Client probe("127.0.0.1", pod.health_port);
  const bool ready = waited([&] {
    const auto answer = probe.Get("/readyz");
    return started->has_ended() || (answer && answer->status == 200);
  });
  EXPECT_TRUE(ready && !started->has_ended()) << content_of(started->log());
  return std::move(*started);
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
