// Capstan installed by clusterctl beside upstream's kubeadm bootstrap provider, kubeadm control plane
// provider and in-memory infrastructure provider, each as a process with the webhooks of its package; where a
// suite wishes, upstream's core manager, too. For gtest; one thread. CAPSTAN_NEIGHBOURS and CAPSTAN_UPSTREAM
// name what scripts/lib/neighbours.sh and upstream_core.sh built: without them the tests fail and say so.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "test/envtest/installed_manager_fixture.h"
#include "test/interop/explained.h"
#include "test/interop/fleet_walk.h"

namespace capstan::envtest {

class Neighbours : public InstalledManager {
 protected:
  static void SetUpTestSuite();
  // Fails the suite for what went wrong in it and is neither in the list of explain() nor in
  // kBesideNeighbours.
  static void TearDownTestSuite();
  void SetUp() override;
  void TearDown() override;

  // --- for suites that install something else ---
  // False: each test says what is missing.
  static bool can_run();
  // The three providers, in the configuration of clusterctl that scripts/package wrote.
  static void offer_providers();
  static void offer(std::string_view name, std::string_view type, const fs::path& components);
  // Installs the three providers and what these flags name.
  static void init(const std::vector<std::string>& others);
  static void start_providers(const std::vector<std::string>& flags = {});
  static void start_upstream_core(const std::vector<std::string>& flags);
  static void stop_upstream_core() { core_.kill(); }
  // The core and the three providers, with our package as the core.
  static void install();
  // Whether probes of the process at this port are answered well.
  static bool answers(int port);
  // Of the release of upstream that was built.
  static std::string version();

  // What may go wrong in this suite, and whose logs are read at its end, beside those of the manager, the
  // core and the three providers.
  static void explain(std::span<const Explained> list, std::vector<fs::path> more_logs = {});

  // What a user fills into a template of config/samples/in-memory.
  struct FleetWish {
    std::string name = {};
    std::string api_version = {};  // v1beta1, v1beta2; or topology: the template's name
    int control_planes = 1;
    int workers = 1;
  };
  static std::string generated(const FleetWish& wish);
  static FleetWalk walk(const std::string& cluster);
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
  static Lines troubles();

  struct Neighbour {
    std::string_view provider;  // as clusterctl labels its objects; the name of its program, too
    int port;                   // of its webhooks; its probes listen at the next one
  };
  static const std::vector<Neighbour>& all();
  static ChildProcess start(const Neighbour& neighbour, const fs::path& program,
                            const std::vector<std::string>& flags);

  static inline std::vector<ChildProcess> processes_;
  static inline ChildProcess core_;
  static inline std::vector<Explained> explained_;
  static inline std::vector<fs::path> more_logs_;
};

}  // namespace capstan::envtest
