// Where the fleet figures are measured: a FleetBed, a client beside the product's own, and MachineDeployments
// of any size on it. Everything throws std::runtime_error when it does not come about. One thread.
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/remote_client.h"
#include "net/io_pool.h"
#include "test/bench/figure.h"
#include "test/envtest/audit.h"
#include "test/envtest/fleet_bed.h"

namespace capstan::bench {

template <typename T>
T must(Result<T>&& result) {
  if (!result) throw std::runtime_error(result.error().describe());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// What the audit logs of both servers say about the manager, since the last look.
struct Spent {
  std::vector<envtest::AuditEntry> management = {};  // of all users, management server
  std::vector<envtest::AuditEntry> workload = {};    // ... workload server
  std::vector<envtest::AuditEntry> manager = {};     // of the manager, both servers; no watches
  double writes() const;                             // Events and Leases apart
  double requests() const;                           // ... likewise
  double events() const;
};

// What our manager asked of workload clusters since it started, by its own count.
struct WorkloadRequests {
  double requests = 0;  // neither watches nor probes
  double probes = 0;
};

// Of the manager's clients, requests a second.
enum class Limits { Lifted, AsShipped };

class BenchFleet {
 public:
  // Where options name no other cloud: one that answers at once and Nodes that are created Ready and silent,
  // as upstream's figures were taken.
  BenchFleet(const Place& place, envtest::FleetBedOptions options, Limits limits = Limits::Lifted);

  // One Cluster with a control plane Machine and the templates of its workers, up and connected.
  void make_clusters(int count);
  void make_deployment(const std::string& cluster, const std::string& name, int replicas);
  void scale(const std::string& name, int replicas);
  void set_version(const std::string& name, std::string_view version);

  // Until it has that many Machines, all available and up to date, and none besides; with a version, of
  // that version alone (just after a change of the template the counters may still be those of the old one).
  void await_settled(const std::string& name, int replicas, Nanoseconds within,
                     std::string_view version = {});
  // Until the manager used next to no CPU for a few seconds, and had nothing to write; a policy that is
  // applied to 10,000 Machines keeps it busy for minutes.
  void await_quiet();
  // Until the manager sent no request to an audited server for ten seconds: it sends Events at a limited
  // rate, and those of 10,000 Machines take minutes. Clears what was spent.
  void await_silence();

  Spent spent();  // clears
  // Only of a manager that was started with kDiagnosticsForAll.
  WorkloadRequests workload_requests() const;
  // Of each controller of the manager, since it began.
  std::map<std::string, double> turns() const;
  double manager_cpu_ms() const;
  double elapsed() const;  // since construction
  envtest::FleetBed& bed() { return *bed_; }
  kube::RemoteClient& client() { return *client_; }
  std::unique_ptr<kube::RemoteClient> workload_client();  // of the real workload server
  // By the Secret with the kubeconfig of that Cluster.
  std::unique_ptr<kube::RemoteClient> client_of_cluster(const std::string& cluster);
  Deadline soon() const { return Deadline::in(clock_, std::chrono::seconds(60)); }
  Threads& threads() { return threads_; }
  const Clock& clock() const { return clock_; }

 private:
  void await_control_plane(const kube::ObjectKey& machine);
  std::unique_ptr<kube::RemoteClient> client_of(const std::filesystem::path& kubeconfig);
  std::unique_ptr<kube::RemoteClient> client_with(kube::Connection access);

  SystemClock clock_;
  SystemThreads threads_;
  net::IoPool io_;
  std::unique_ptr<envtest::FleetBed> bed_;
  std::unique_ptr<kube::RemoteClient> client_;
  std::unique_ptr<envtest::AuditReader> management_log_;
  std::unique_ptr<envtest::AuditReader> workload_log_;
  const std::string agent_;  // of the manager, in the audit logs: its program's name
  SteadyTime begun_;
};

// Metrics over plain HTTP at some port of loopback.
inline const std::vector<std::string> kDiagnosticsForAll = {"--diagnostics-address=127.0.0.1:0",
                                                            "--insecure-diagnostics=true"};

// To standard error, beside the figures.
void say(std::string_view line);

}  // namespace capstan::bench
