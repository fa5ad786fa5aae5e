// May a MachineSet get new Machines now, as its control plane stands: the checks before every creation and
// remediation. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::controllers::machineset {

// What is known of the control plane of the set's Cluster.
struct ControlPlaneSeen {
  bool referenced = false;     // the Cluster names one
  std::string problem = {};    // why it could not be read; empty when it could
  bool listed_soon = false;    // ... as its kind is being listed for the first time
  std::string described = {};  // "KubeadmControlPlane default/c1"
  std::optional<std::string> version = {};
  bool provisioning = false;  // it reports no running version yet
  bool upgrading = false;     // something older than its version still runs
};

struct PreflightQuestion {
  ControlPlaneSeen control_plane = {};
  std::string_view machine_version = {};             // spec.template.spec.version
  bool kubeadm = false;                              // its bootstrap template is a KubeadmConfigTemplate
  std::optional<std::string> topology_version = {};  // of a Cluster with a topology, behind the gate
  std::string_view upgrade_step = {};                // an annotation of that Cluster
  std::span<const std::string> enabled = {};         // of the flag
  std::string_view skipped = {};                     // the annotation
};

struct Preflight {
  std::vector<std::string> failed = {};  // messages, one per check
  std::string error = {};                // a check could not be made
  bool made_soon = false;                // ... yet, and no one has to do anything about it

  bool passed() const { return failed.empty() && error.empty(); }
};

Preflight preflight(const PreflightQuestion& question);

}  // namespace capstan::controllers::machineset
