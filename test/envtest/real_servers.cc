#include "test/envtest/real_servers.h"

#include <fmt/format.h>
#include <httplib.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <utility>

#include "base/threads.h"
#include "base/try.h"
#include "test/envtest/kubeconfig_text.h"
#include "test/envtest/pki.h"
#include "test/envtest/program_flags.h"
#include "test/envtest/reserved_port.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;

constexpr auto kPollEvery = std::chrono::milliseconds(50);
constexpr auto kKubectlPatience = std::chrono::seconds(60);
constexpr std::string_view kAllPowerfulGroup = "system:masters";

Result<fs::path> assets_folder() {
  const char* named = std::getenv("KUBEBUILDER_ASSETS");
  if (named != nullptr && *named != '\0') return fs::path(named);
  return fail(Code::NotFound, "KUBEBUILDER_ASSETS is not set: run this suite through scripts/envtest");
}

Result<fs::path> program(const fs::path& assets, std::string_view name) {
  fs::path path = assets / name;
  if (::access(path.c_str(), X_OK) == 0) return path;
  return fail(Code::NotFound, fmt::format("KUBEBUILDER_ASSETS={} has no {}", assets.string(), name));
}

Result<fs::path> write_file(const fs::path& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (file) return path;
  return fail(Code::Internal, fmt::format("cannot write {}", path.string()));
}

std::string random_token() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", source(), source(), source(), source());
}

std::string end_of(const std::string& text) {
  constexpr std::size_t kEnough = 4000;
  return text.size() <= kEnough ? text : text.substr(text.size() - kEnough);
}

}  // namespace

// Destroyed from the last member up: clients before servers, files at the very end.
struct RealServers::State {
  RealServerOptions options;
  fs::path assets;
  ScratchFolder folder;
  ReservedPort etcd_port;
  ReservedPort apiserver_port;
  std::string admin_token = random_token();
  std::optional<Pki> pki = {};
  ChildProcess etcd = {};
  ChildProcess apiserver = {};
  ChildProcess controller_manager = {};

  Result<void> start();
  Result<void> start_etcd();
  Result<void> start_apiserver();
  Result<void> await_ready();
  Result<void> start_controller_manager();
  Result<std::vector<std::string>> apiserver_argv() const;
  Result<fs::path> write_tokens() const;
  Result<fs::path> kubeconfig_for(std::string_view user, std::string_view group) const;

  Result<ChildProcess> launch(std::vector<std::string> argv, std::string_view name) const {
    return ChildProcess::start({.argv = std::move(argv)}, in_folder(fmt::format("{}.log", name)));
  }
  fs::path in_folder(std::string_view name) const { return folder.path() / name; }
  std::string etcd_url() const { return fmt::format("http://127.0.0.1:{}", etcd_port.number()); }
  std::string url() const { return fmt::format("https://127.0.0.1:{}", apiserver_port.number()); }
};

Result<std::unique_ptr<RealServers>> RealServers::start(RealServerOptions options) {
  const fs::path assets = TRY(assets_folder());
  ScratchFolder folder = TRY(ScratchFolder::create());
  ReservedPort etcd_port = TRY(ReservedPort::reserve());
  ReservedPort apiserver_port = TRY(ReservedPort::reserve());
  auto state = std::make_unique<State>(State{.options = std::move(options),
                                             .assets = assets,
                                             .folder = std::move(folder),
                                             .etcd_port = std::move(etcd_port),
                                             .apiserver_port = std::move(apiserver_port)});
  TRY(state->start());
  return std::unique_ptr<RealServers>(new RealServers(std::move(state)));
}

// etcd comes up while the keys are made.
Result<void> RealServers::State::start() {
  TRY(start_etcd());
  pki = TRY(Pki::create(in_folder("pki")));
  TRY(start_apiserver());
  TRY(kubeconfig_for("admin", kAllPowerfulGroup));
  TRY(await_ready());
  if (options.controller_manager) TRY(start_controller_manager());
  return {};
}

// A cluster of one needs no patience to elect its leader.
Result<void> RealServers::State::start_etcd() {
  const fs::path path = TRY(program(assets, "etcd"));
  const std::string peer = "http://127.0.0.1:0";  // there are no peers
  etcd = TRY(launch({path, "--name=envtest", "--data-dir=" + in_folder("etcd").string(),
                     "--listen-client-urls=" + etcd_url(), "--advertise-client-urls=" + etcd_url(),
                     "--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
                     "--initial-cluster=envtest=" + peer, "--socket-reuse-port=true",
                     "--unsafe-no-fsync=true", "--heartbeat-interval=20", "--election-timeout=200",
                     "--quota-backend-bytes=8589934592", "--log-level=warn"},
                    "etcd"));
  return {};
}

Result<void> RealServers::State::start_apiserver() {
  std::vector<std::string> argv = TRY(apiserver_argv());
  apiserver = TRY(launch(std::move(argv), "kube-apiserver"));
  return {};
}

Result<std::vector<std::string>> RealServers::State::apiserver_argv() const {
  const KeyPair serving = TRY(pki->issue_server("apiserver"));
  std::vector<std::string> argv = {
      TRY(program(assets, "kube-apiserver")),
      "--etcd-servers=" + etcd_url(),
      "--bind-address=127.0.0.1",
      fmt::format("--secure-port={}", apiserver_port.number()),
      "--permit-port-sharing=true",
      "--advertise-address=127.0.0.1",
      "--endpoint-reconciler-type=none",
      "--tls-cert-file=" + serving.certificate.string(),
      "--tls-private-key-file=" + serving.key.string(),
      "--client-ca-file=" + pki->ca().certificate.string(),
      "--token-auth-file=" + TRY(write_tokens()).string(),
      "--authorization-mode=RBAC",
      "--service-account-issuer=" + url(),
      "--service-account-key-file=" + pki->token_public_key().string(),
      "--service-account-signing-key-file=" + pki->token_key().string(),
      "--service-cluster-ip-range=10.0.0.0/24",
      "--allow-privileged=true",
      "--disable-admission-plugins=ServiceAccount",
      "--event-ttl=15m",
  };
  if (!options.audit_policy.empty()) {
    argv.push_back("--audit-policy-file=" +
                   TRY(write_file(in_folder("audit-policy.yaml"), options.audit_policy)).string());
    argv.push_back("--audit-log-path=" + in_folder("audit.log").string());
    argv.push_back("--audit-log-mode=blocking");
    argv.push_back("--audit-log-maxsize=0");
  }
  return with_flags(std::move(argv), options.apiserver_flags);
}

Result<fs::path> RealServers::State::write_tokens() const {
  std::string lines = fmt::format("{0},admin,admin,\"{1}\"\n", admin_token, kAllPowerfulGroup);
  for (const TokenUser& user : options.users) {
    lines += fmt::format("{0},{1},{1},\"{2}\"\n", user.token, user.name, user.group);
  }
  return write_file(in_folder("tokens.csv"), lines);
}

Result<void> RealServers::State::await_ready() {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, options.ready_within);
  httplib::SSLClient client("127.0.0.1", apiserver_port.number());
  client.set_ca_cert_path(pki->ca().certificate.c_str());
  client.set_bearer_token_auth(admin_token);
  std::string answer = "no connection";
  while (!deadline.passed(clock.steady_now())) {
    for (ChildProcess* child : {&etcd, &apiserver}) {
      if (!child->has_ended()) continue;
      return fail(Code::Unavailable, fmt::format("{} ended: {}", child->log().stem().string(),
                                                 end_of(content_of(child->log()))));
    }
    const httplib::Result ready = client.Get("/readyz");
    if (ready && ready->status == 200) return {};
    answer = ready ? ready->body : httplib::to_string(ready.error());
    threads.pause(Deadline::in(clock, kPollEvery));
  }
  return fail(Code::Timeout, fmt::format("kube-apiserver is not ready: {}\n{}", answer,
                                         end_of(content_of(apiserver.log()))));
}

Result<void> RealServers::State::start_controller_manager() {
  const fs::path path = TRY(program(assets, "kube-controller-manager"));
  const fs::path kubeconfig = TRY(kubeconfig_for("system:kube-controller-manager", kAllPowerfulGroup));
  controller_manager =
      TRY(launch({path, "--kubeconfig=" + kubeconfig.string(), "--leader-elect=false", "--secure-port=0",
                  fmt::format("--controllers={}", fmt::join(options.controllers, ",")),
                  "--cluster-signing-cert-file=" + pki->ca().certificate.string(),
                  "--cluster-signing-key-file=" + pki->ca().key.string(), "--concurrent-gc-syncs=10",
                  "--kube-api-qps=200", "--kube-api-burst=400"},
                 "kube-controller-manager"));
  return {};
}

Result<fs::path> RealServers::State::kubeconfig_for(std::string_view user, std::string_view group) const {
  const KeyPair issued = TRY(pki->issue_client(user, group));
  const std::string ca = content_of(pki->ca().certificate);
  const std::string certificate = content_of(issued.certificate);
  const std::string key = content_of(issued.key);
  const std::string text = kubeconfig_text(
      {.url = url(), .user = user, .ca_pem = ca, .certificate_pem = certificate, .key_pem = key});
  return write_file(in_folder(issued.certificate.stem().string() + ".kubeconfig"), text);
}

RealServers::RealServers(std::unique_ptr<State> state) : state_(std::move(state)) {}
RealServers::~RealServers() = default;

std::string RealServers::url() const { return state_->url(); }
std::string RealServers::ca_pem() const { return content_of(state_->pki->ca().certificate); }
std::string RealServers::admin_token() const { return state_->admin_token; }
fs::path RealServers::kubeconfig_path() const { return state_->in_folder("admin.kubeconfig"); }
fs::path RealServers::kubectl() const { return state_->assets / "kubectl"; }
fs::path RealServers::audit_log() const { return state_->in_folder("audit.log"); }
fs::path RealServers::apiserver_log() const { return state_->apiserver.log(); }
std::vector<pid_t> RealServers::pids() const { return {state_->apiserver.pid(), state_->etcd.pid()}; }
fs::path RealServers::certificates() const { return state_->in_folder("pki"); }

Result<fs::path> RealServers::kubeconfig_for(std::string_view user, std::string_view group) const {
  return state_->kubeconfig_for(user, group);
}

Result<CommandOutcome> RealServers::run_kubectl(std::vector<std::string> arguments, std::string input) const {
  arguments.insert(arguments.begin(), {kubectl(), "--kubeconfig=" + kubeconfig_path().string()});
  return run({.argv = std::move(arguments),
              .input = std::move(input),
              .environment = {"KUBECACHEDIR=" + state_->in_folder("kubectl-cache").string()}},
             kKubectlPatience);
}

}  // namespace capstan::envtest
