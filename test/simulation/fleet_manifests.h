// What the user of a simulated fleet creates: one Cluster on the simulated cloud with one control plane
// Machine, and one MachineDeployment. Pure.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kube/resource.h"

namespace capstan::simulation {

namespace json = boost::json;

inline constexpr std::string_view kNamespace = "default";
inline constexpr std::string_view kCluster = "c";
inline constexpr std::string_view kControlPlane = "c-cp";
inline constexpr std::string_view kDeployment = "md";

struct Rollout {
  int surge = 1;
  int unavailable = 0;
};

struct Document {
  kube::Resource resource = {};
  json::value object = {};
};

// In the order they are to be created in.
std::vector<Document> cluster_documents(const std::string& version);
// Replaces a worker whose Node is not Ready, or does not come.
Document health_check_document();
Document deployment_document(const std::string& version, int replicas, const Rollout& rollout);

kube::ObjectKey named(std::string_view name);

}  // namespace capstan::simulation
