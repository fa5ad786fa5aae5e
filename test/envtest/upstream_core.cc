#include "test/envtest/upstream_core.h"

#include <fmt/format.h>
#include <httplib.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "base/threads.h"
#include "base/try.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;

constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kLookAgain = std::chrono::milliseconds(50);
constexpr auto kOneCall = std::chrono::seconds(30);
constexpr std::string_view kListening = "0A";  // in /proc/net/tcp

Result<fs::path> upstream_folder() {
  const char* named = std::getenv("CAPSTAN_UPSTREAM");
  if (named != nullptr && fs::exists(fs::path(named) / "core")) return fs::path(named);
  return fail(Code::NotFound,
              "CAPSTAN_UPSTREAM names no folder with upstream's core: start with scripts/envtest");
}

Result<void> succeeded(const Result<CommandOutcome>& outcome, std::string_view what) {
  if (!outcome) return fail(outcome.error().context(what));
  if (outcome->exit_code == 0) return {};
  return fail(Code::Internal, fmt::format("{}: {}", what, outcome->err));
}

std::set<std::string> sockets_of(pid_t pid) {
  std::set<std::string> sockets;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", pid), error)) {
    sockets.insert(fs::read_symlink(entry.path(), error).string());
  }
  return sockets;
}

}  // namespace

std::vector<std::uint16_t> listening_ports(pid_t pid) {
  std::vector<std::uint16_t> ports;
  const std::set<std::string> sockets = sockets_of(pid);
  std::ifstream table(fmt::format("/proc/{}/net/tcp", pid));
  std::string line;
  std::getline(table, line);  // the heading
  while (std::getline(table, line)) {
    std::istringstream row(line);
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    row >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode;
    if (state != kListening || !sockets.contains(fmt::format("socket:[{}]", inode))) continue;
    ports.push_back(static_cast<std::uint16_t>(std::stoul(local.substr(local.find(':') + 1), nullptr, 16)));
  }
  return ports;
}

Result<std::unique_ptr<UpstreamCore>> UpstreamCore::start(const std::vector<std::string>& flags) {
  const fs::path upstream = TRY(upstream_folder());
  std::unique_ptr<UpstreamCore> started(new UpstreamCore(upstream / "crds", TRY(ScratchFolder::create())));
  started->servers_ = TRY(RealServers::start());
  TRY(started->install_kinds());
  TRY(started->start_core(upstream / "core", flags));
  TRY(started->await_webhooks());
  return started;
}

Result<void> UpstreamCore::install_kinds() const {
  TRY(succeeded(servers_->run_kubectl({"create", "namespace", "capi-system"}), "make capi-system"));
  std::vector<std::string> apply = {"apply", "--server-side", "-f=" + crds_.string()};
  for (const auto& file : fs::directory_iterator("config/crd/bases")) {
    const std::string name = file.path().filename();
    if (!name.starts_with("cluster.") && !name.starts_with("ipam."))
      apply.push_back("-f=" + file.path().string());
  }
  TRY(succeeded(servers_->run_kubectl(std::move(apply)), "install the CRDs"));
  return succeeded(
      servers_->run_kubectl({"wait", "--for=condition=Established", "--timeout=50s", "crd", "--all"}),
      "wait for the CRDs");
}

Result<void> UpstreamCore::start_core(const fs::path& program, const std::vector<std::string>& flags) {
  std::vector<std::string> argv = {program,
                                   "--kubeconfig",
                                   servers_->kubeconfig_path(),
                                   "--health-addr=0",
                                   "--diagnostics-address=0",
                                   "--webhook-port=0",
                                   "--webhook-cert-dir=" + servers_->certificates().string(),
                                   "--webhook-cert-name=apiserver.crt",
                                   "--webhook-key-name=apiserver.key"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  core_ = TRY(ChildProcess::start({.argv = std::move(argv)}, folder_.path() / "core.log"));
  return {};
}

// It answers before its caches are filled; an unknown body is refused, which is an answer.
Result<void> UpstreamCore::await_webhooks() {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, kPatience);
  while (!deadline.passed(clock.steady_now()) && !core_.has_ended()) {
    const auto ports = listening_ports(core_.pid());
    port_ = ports.empty() ? 0 : ports.front();
    if (port_ != 0) return {};
    threads.pause(Deadline::in(clock, kLookAgain));
  }
  return fail(Code::Unavailable, "upstream's core serves no webhooks: " + content_of(core_.log()));
}

Result<std::string> UpstreamCore::post(const std::string& path, const std::string& body) const {
  return post_over_tls(port_, servers_->ca_pem(), path, body);
}

Result<std::string> post_over_tls(std::uint16_t port, const std::string& ca_pem, const std::string& path,
                                  const std::string& body) {
  const ScratchFolder folder = TRY(ScratchFolder::create());
  const fs::path ca = folder.path() / "ca.crt";
  std::ofstream(ca) << ca_pem;
  httplib::SSLClient client("127.0.0.1", port);
  client.set_ca_cert_path(ca.c_str());
  client.set_read_timeout(kOneCall);
  const auto answer = client.Post(path, body, "application/json");
  if (!answer)
    return fail(Code::Unavailable, fmt::format("{}: {}", path, httplib::to_string(answer.error())));
  if (answer->status == 200) return answer->body;
  return fail(Code::Invalid, fmt::format("{} answers {}: {}", path, answer->status, answer->body));
}

}  // namespace capstan::envtest
