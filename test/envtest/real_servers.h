// A real etcd and kube-apiserver (and kube-controller-manager when asked) of a test's own, on free loopback
// ports, from the programs that KUBEBUILDER_ASSETS names (scripts/envtest builds them and sets it).
// Everything stops and all files go when the object does, also when the test process dies. Start it on a
// thread that outlives it. The accessors and run_kubectl are safe from any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "test/envtest/child_process.h"

namespace capstan::envtest {

// A user of the static token file; RBAC decides what it may do.
struct TokenUser {
  std::string token = {};
  std::string name = {};
  std::string group = {};  // empty: none
};

struct RealServerOptions {
  bool controller_manager = false;
  std::vector<std::string> controllers = {"garbage-collector-controller", "namespace-controller"};
  std::vector<TokenUser> users = {};
  std::string audit_policy = {};                  // a Policy document; empty: no audit log
  std::vector<std::string> apiserver_flags = {};  // in the place of ours of the same name
  Nanoseconds ready_within = std::chrono::seconds(90);
};

class RealServers {
 public:
  // Returns when /readyz says ok. The controller manager is only started then: its effects come when they
  // come.
  static Result<std::unique_ptr<RealServers>> start(RealServerOptions options = {});
  RealServers(const RealServers&) = delete;
  RealServers& operator=(const RealServers&) = delete;
  ~RealServers();

  std::string url() const;  // https://127.0.0.1:PORT
  std::string ca_pem() const;
  std::string admin_token() const;                // user "admin" of group system:masters
  std::filesystem::path kubeconfig_path() const;  // the same rights by certificate, everything inline
  std::filesystem::path kubectl() const;          // the program
  std::filesystem::path audit_log() const;        // JSON lines; no such file without a policy
  std::filesystem::path apiserver_log() const;
  std::vector<pid_t> pids() const;             // of kube-apiserver and etcd
  std::filesystem::path certificates() const;  // of the server: a folder with apiserver.crt and apiserver.key

  // Writes a kubeconfig with a client certificate of this user and group (empty: none), who have no rights
  // yet.
  Result<std::filesystem::path> kubeconfig_for(std::string_view user, std::string_view group) const;

  // kubectl as admin: run_kubectl({"apply", "-f", "-"}, yaml). Its discovery cache is ours, not the user's.
  Result<CommandOutcome> run_kubectl(std::vector<std::string> arguments, std::string input = {}) const;

 private:
  struct State;
  explicit RealServers(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace capstan::envtest
