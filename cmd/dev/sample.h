// The fleet that `up` and `demo` bring up when they are given no manifests: Clusters on the simulated cloud,
// one control plane Machine, one MachineDeployment and, where asked for, MachinePools of both sorts each.
// What `up --print-sample` prints is config/samples/fleet.yaml. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

namespace capstan::dev {

struct SampleOptions {
  int clusters = 1;
  int machines = 3;       // of the MachineDeployment of each Cluster
  int pool = 0;           // instances of a MachinePool of each Cluster; 0: it has none
  int pool_machines = 0;  // the same, each of them a Machine
  std::string version = "v1.35.0";
  std::string namespace_ = "default";
};

// What `up` brings up: MachinePools of both sorts beside the MachineDeployment.
inline const SampleOptions kShippedSample = {.pool = 2, .pool_machines = 2};

// In the order they are to be created in.
std::vector<boost::json::value> sample(const SampleOptions& options);

// As a file for kubectl.
std::string sample_yaml(const SampleOptions& options);

}  // namespace capstan::dev
