// The fleet that `up` and `demo` bring up when nobody gives them manifests: Clusters on the simulated cloud,
// one control plane Machine and one MachineDeployment each. What `up --print-sample` prints is
// config/samples/fleet.yaml. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

namespace capstan::dev {

struct SampleOptions {
  int clusters = 1;
  int machines = 3;  // of each Cluster, beside its control plane
  std::string version = "v1.35.0";
  std::string namespace_ = "default";
};

// In the order they are to be created in.
std::vector<boost::json::value> sample(const SampleOptions& options);

// As a file for kubectl.
std::string sample_yaml(const SampleOptions& options);

}  // namespace capstan::dev
