// The manager as clusterctl installed it: the Deployment's own command as a process, as its ServiceAccount,
// with the webhooks of the package leading to it. For gtest suites that go on from there; one thread.
#pragma once

#include "test/envtest/package_suite_fixture.h"
#include "test/envtest/pod_process.h"

namespace capstan::envtest {

class InstalledManager : public Package {
 protected:
  static void start_installed_manager();
  static void TearDownTestSuite();
  void TearDown() override;

  // Those of a provider, of the clusterctl name, call the process at this port.
  static void point_webhooks(const std::string& provider, int port);
  static std::string token_of(const std::string& account, const std::string& ns);
  // A program of this build.
  static fs::path program(std::string_view name);

  static inline ChildProcess manager_;
};

}  // namespace capstan::envtest
