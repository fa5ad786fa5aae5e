// Upstream's core manager on a management server of its own, as an oracle: it answers at /convert. The
// program and its CRDs are those that CAPSTAN_UPSTREAM names (scripts/envtest builds them); the kinds its
// references name are ours. Start it on a thread that outlives it. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "test/envtest/child_process.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {

// POST over TLS to a server on loopback whose certificate `ca_pem` signed; an error when the answer is not
// 200.
Result<std::string> post_over_tls(std::uint16_t port, const std::string& ca_pem, const std::string& path,
                                  const std::string& body);

// The ports at which a process listens on IPv4, whatever the kernel gave it.
std::vector<std::uint16_t> listening_ports(pid_t pid);

class UpstreamCore {
 public:
  // Returns when its webhooks answer; with a further listener among the flags, when one of the two does.
  static Result<std::unique_ptr<UpstreamCore>> start(const std::vector<std::string>& flags = {});

  Result<std::string> post(const std::string& path, const std::string& body) const;
  const std::filesystem::path& crds() const { return crds_; }
  const RealServers& management() const { return *servers_; }
  const ChildProcess& process() const { return core_; }
  std::uint16_t port() const { return port_; }  // of its webhooks

 private:
  UpstreamCore(std::filesystem::path crds, ScratchFolder folder)
      : crds_(std::move(crds)), folder_(std::move(folder)) {}
  Result<void> install_kinds() const;
  Result<void> start_core(const std::filesystem::path& program, const std::vector<std::string>& flags);
  Result<void> await_webhooks();

  std::filesystem::path crds_;
  ScratchFolder folder_;
  std::unique_ptr<RealServers> servers_ = {};
  ChildProcess core_ = {};
  std::uint16_t port_ = 0;
};

}  // namespace capstan::envtest
