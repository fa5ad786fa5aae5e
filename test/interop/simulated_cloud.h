// The simulated cloud as a program of its own, and `capstan-provider` beside it: its VMs live on when a
// provider ends, and it can be asked which there are. It has no kubelets: a test makes the Nodes. One thread,
// which outlives it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "test/envtest/child_process.h"

namespace capstan::envtest {

class SimulatedCloud {
 public:
  // `programs` holds capstan-dev and capstan-provider; socket and logs go into `folder`. Returns when it can
  // be asked.
  static Result<SimulatedCloud> start(std::filesystem::path programs, std::filesystem::path folder);

  // Bootstrap and infrastructure with the rights of this kubeconfig; `name` is that of its log.
  Result<ChildProcess> start_provider(const std::filesystem::path& kubeconfig, std::string_view name) const;
  // Names and provider IDs of the VMs in an account of the cloud.
  Result<std::map<std::string, std::string>> vms(std::string_view account) const;
  void stop() { process_.kill(); }

 private:
  SimulatedCloud(std::filesystem::path programs, std::filesystem::path folder)
      : programs_(std::move(programs)), folder_(std::move(folder)) {}
  std::filesystem::path socket() const { return folder_ / "cloud.sock"; }
  Result<void> await() const;

  std::filesystem::path programs_;
  std::filesystem::path folder_;
  ChildProcess process_ = {};
};

// The status of a Node, as the kubelet of a VM that is well reports it, as JSON; `ready` is True, False or
// Unknown.
std::string node_status(std::string_view ready);

}  // namespace capstan::envtest
