// Capstan installed by clusterctl beside upstream's kubeadm bootstrap provider, kubeadm control plane
// provider and in-memory infrastructure provider, each as a process with the webhooks of its package. For
// gtest; one thread. CAPSTAN_NEIGHBOURS names what scripts/lib/neighbours.sh built: without it the tests fail
// and say so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "test/envtest/installed_manager_fixture.h"

namespace capstan::envtest {

class Neighbours : public InstalledManager {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;
  void TearDown() override;

  // What a user fills into a template of config/samples/in-memory.
  struct FleetWish {
    std::string name = {};
    std::string api_version = {};  // v1beta1, v1beta2
    int control_planes = 1;
    int workers = 1;
  };
  static std::string generated(const FleetWish& wish);
  // Applies it and waits until every Machine has its Node.
  static void comes_up(const FleetWish& wish);
  // Deletes the Cluster and waits until nothing of it is left.
  static void goes(const std::string& cluster);
  // A line for each Machine of the Cluster that has its Node.
  static std::vector<std::string> machines_with_node(const std::string& cluster);

  static std::vector<std::string> lines_of(const std::string& text);
  // Asks until that is what kubectl prints.
  static void eventually(const std::vector<std::string>& get, const std::string& wanted);
  static std::vector<std::string> condition_of(const std::string& object, const std::string& type);

 private:
  struct Neighbour {
    std::string_view provider;  // as clusterctl labels its objects; the name of its program, too
    int port;                   // of its webhooks; its probes listen at the next one
  };
  static const std::vector<Neighbour>& all();
  static void offer_packages(const fs::path& repository);
  static void install();
  static void start(const Neighbour& neighbour);
  static bool answers(int port);
  static std::string version();

  static inline std::vector<ChildProcess> processes_;
};

}  // namespace capstan::envtest
