// What the user of a simulated fleet creates: one Cluster on the simulated cloud with one control plane
// Machine, one MachineDeployment and perhaps a MachinePool. Pure.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "kube/resource.h"

namespace capstan::simulation {

namespace json = boost::json;

inline constexpr std::string_view kNamespace = "default";
inline constexpr std::string_view kCluster = "c";
inline constexpr std::string_view kControlPlane = "c-cp";
inline constexpr std::string_view kDeployment = "md";
inline constexpr std::string_view kPool = "mp";
// Of the clumsy user: how the names of its copies begin, its finalizer, and a label it puts into a template.
inline constexpr std::string_view kCopy = "copy-";
inline constexpr std::string_view kClumsy = "example.com/clumsy";
inline constexpr std::string_view kPoolLabel = "pool";  // what the MachineDeployment selects its Machines by
inline constexpr std::string_view kClumsyLabel = "clumsy";
inline constexpr std::string_view kOtherLabel = "another";  // of the pool label, while a selector is changed
constexpr bool is_copy(std::string_view name) { return name.starts_with(kCopy); }

struct Rollout {
  int surge = 1;
  int unavailable = 0;
};

struct Pool {
  int replicas = 0;
  bool with_machines = false;
  bool drains = false;         // a policy asks for it; only without Machines
  Seconds drain_timeout = {};  // 0: none
};

struct Fleet {
  std::string version = {};
  int replicas = 0;
  Rollout rollout = {};
  bool one_remediation_at_a_time = false;
  std::optional<Pool> pool = {};
};

struct Document {
  kube::Resource resource = {};
  json::value object = {};
};

// CustomResourceDefinitions of all kinds there are.
const std::vector<json::value>& fleet_kinds();

// In the order they are to be created in.
std::vector<Document> cluster_documents(const std::string& version);
// Replaces a worker whose Node is not Ready, or does not come.
Document health_check_document();
struct Policy {
  bool shared_cause = false;  // no Machine is replaced while the trouble looks like that of all
  bool drains_pools = false;
  bool life_cycle = false;  // Machines that stay sick are replaced one at a time, and one of them is kept
  bool brakes = false;      // overshoot, a guard of deletions, a window for those by which fewer are wanted
};
inline constexpr int kRevisionsKept = 2;  // by a life cycle, beside the one in use
Document policy_document(const Policy& policy);
// Of brakes: a window opens so often for so long, such a share of the Machines may go by one decision, and so
// many deletions may begin within a time, in the fleet and in a Cluster: fewer than follows from the first.
inline constexpr Seconds kWindowEvery{600};
inline constexpr Seconds kWindowOpen{300};
inline constexpr int kGuardPercent = 50;
inline constexpr int kMostDeletions = 2;
inline constexpr Seconds kDeletionsWithin{120};
inline constexpr int kMostOfACluster = 3;
inline constexpr Seconds kOfAClusterWithin{240};
static_assert(kMostOfACluster < kMostDeletions * (kOfAClusterWithin / kDeletionsWithin),
              "else it never binds");
Document fleet_policy_document();
Document deployment_document(const Fleet& fleet);
std::vector<Document> pool_documents(const std::string& version, const Pool& pool);

kube::ObjectKey named(std::string_view name);

}  // namespace capstan::simulation
