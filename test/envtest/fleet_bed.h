// A fleet's whole surroundings on real servers: a management server with our CRDs and the garbage collector,
// a workload server for the Nodes, `capstan` and `capstan-dev provider` as children, with the roles of our
// packages (package_roles.h) and no other rights; an embedded server checks no rights. Used by the
// fleet suite and by the figures of test/bench. One thread; it must outlive the bed (child_process.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "test/envtest/real_servers.h"

namespace capstan::envtest {

struct FleetBedOptions {
  std::filesystem::path programs = {};              // folder of capstan and capstan-dev
  std::filesystem::path crds = "config/crd/bases";  // below the working directory
  std::vector<std::string> core_flags = {};         // appended, so they win over ours
  // Another core manager in the place of `capstan`, to compare with: its program, and CRDs that are installed
  // over ours. It takes upstream's flags.
  std::filesystem::path other_core = {};
  std::filesystem::path other_crds = {};
  std::vector<std::string> provider_flags = {};  // appended to those of `capstan-dev provider`
  std::string cloud = {};                        // what the simulated cloud is like; empty: its defaults
  // What the servers' audit logs hold: nothing, who asked for what, what was written as well, or also what
  // came of it.
  enum class Audit { None, Requests, Bodies, Answers };
  Audit audit = Audit::None;
  bool real_management =
      true;                   // false: the embedded server, which knows neither audit nor garbage collection
  bool real_workload = true;  // false: an embedded server for each cluster, inside the provider
  std::vector<std::string> workload_controllers = {};  // of kube-controller-manager, run there too
};

class FleetBed {
 public:
  // Returns with the servers ready, every kind served, the provider and the core running.
  static Result<std::unique_ptr<FleetBed>> start(FleetBedOptions options);
  FleetBed(const FleetBed&) = delete;
  FleetBed& operator=(const FleetBed&) = delete;
  ~FleetBed();

  const RealServers& management() const;  // only where it is real
  const RealServers& workload() const;
  const std::filesystem::path& kubeconfig() const;  // of an administrator of the management server
  const ChildProcess& core() const;
  std::filesystem::path provider_log() const;

  // The manifests of `capstan-dev up --print-sample` with these flags.
  Result<std::string> sample(std::vector<std::string> flags = {}) const;

  void stop_provider();
  // The simulated cloud is like this within a second. Only where the options said what it is like before.
  void change_cloud(const std::string& script);
  Result<void> start_core();
  Result<void> stop_core(Nanoseconds within = std::chrono::seconds(20));  // asks first, as an operator would
  // A second process of the core, with the same flags: where they ask for an election, it waits for the
  // first.
  Result<void> start_standby();
  // SIGKILL; from now on the standby is the core.
  void kill_core();
  // After stop_core(): starts the other one, `capstan` where the bed began with another core, and back.
  Result<void> start_resting_core();

 private:
  struct State;
  explicit FleetBed(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What a process used so far and holds now, by the kernel's account. Zero when it is gone.
Nanoseconds cpu_time_of(pid_t pid);
std::size_t resident_bytes_of(pid_t pid);

}  // namespace capstan::envtest
