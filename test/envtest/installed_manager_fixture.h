// What clusterctl installed, run: a Deployment's own command as a process, as its ServiceAccount; of the
// manager with the webhooks of the package leading to it. For gtest suites that go on from there; one thread.
#pragma once

#include <array>
#include <string_view>

#include "test/envtest/package_suite_fixture.h"
#include "test/envtest/pod_process.h"

namespace capstan::envtest {

// Of those that alerts and dashboard ask for, what capstan-provider alone has.
inline constexpr std::array<std::string_view, 2> kMetricsOfProviders = {"capstan_orphan_vms",
                                                                        "capstan_wrong_account"};

// A Deployment of a package, to be run as a process.
struct InstalledPod {
  std::string deployment = {};
  std::string namespace_ = {};
  std::string account = {};  // its ServiceAccount
  std::string program = {};  // of this build
  int health_port = 0;
  std::vector<std::string> flags = {};                          // behind those of the Deployment
  std::vector<std::pair<std::string, std::string>> files = {};  // beside those of the account
};

// Where a manager listens: as its Deployment says, unless it is the second one of this machine.
struct ManagerPorts {
  int health = 9440;
  int webhooks = 9443;
  int diagnostics = 8443;
  bool operator==(const ManagerPorts&) const = default;
};

class InstalledManager : public Package {
 protected:
  static void start_installed_manager(const ManagerPorts& ports = {},
                                      const std::vector<std::string>& more_flags = {});
  static constexpr int kHealthPort = ManagerPorts{}.health;
  // Returns when it is ready; fails the test when it does not become so.
  static ChildProcess start_installed(const InstalledPod& pod);
  // Our programs were refused nothing for want of a right, on the server of the suite.
  static void TearDownTestSuite();
  void TearDown() override;

  // Those of a provider, of the clusterctl name, call the process at this port.
  static void point_webhooks(const std::string& provider, int port);
  static std::string token_of(const std::string& account, const std::string& ns);
  // For a server that goes before the end of the suite, or whose roles clusterctl is about to take away.
  static void expect_rights_sufficed(const RealServers& servers);
  // A program of this build.
  static fs::path program(std::string_view name);

  static inline ChildProcess manager_;
  static inline bool roles_were_taken_away_ = false;  // the end of the suite looks at no refusals then
};

}  // namespace capstan::envtest
