// cluster-autoscaler's side of the wire, its provider "clusterapi": finds groups of Nodes by their
// annotations, reads and patches /scale, marks the Machines that are to go. It sends the requests that the
// autoscaler sends and no others; what it finds is what its informers hold, a moment behind the servers. For
// suites; one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/threads.h"
#include "kube/remote_client.h"
#include "kube/resource.h"
#include "net/io_pool.h"
#include "test/interop/autoscaler_informer.h"

namespace capstan::envtest {

inline constexpr std::string_view kAutoscalerAgent = "cluster-autoscaler";

// What --node-group-auto-discovery=clusterapi:... says.
struct AutoscalerScope {
  std::string namespace_ = "default";
  std::string cluster = {};
};

struct AutoscalerServers {
  std::filesystem::path management = {};  // kubeconfigs
  std::filesystem::path workload = {};
};

struct NodeGroup {
  kube::Resource resource = {};  // MachineDeployment, MachineSet or MachinePool
  kube::ObjectKey key = {};
  std::int64_t min_size = 0;
  std::int64_t max_size = 0;

  std::string id() const { return resource.kind + "/" + key.describe(); }
};

// What the autoscaler counts. Only a running one has the id of its Node; the others are named after their
// Machine: "pending-machine-default_m".
struct Instance {
  enum class State { Running, Pending, Deleting, Failed };
  std::string id = {};
  State state = State::Running;
  bool operator==(const Instance&) const = default;
};

using Capacity = std::map<std::string, std::string>;  // of resource names to quantities

struct AutoscalerSnapshot;  // what one look at both servers found

class AutoscalerClient {
 public:
  // Asks for the preferred version of cluster.x-k8s.io, as the autoscaler does once.
  static Result<std::unique_ptr<AutoscalerClient>> start(const AutoscalerServers& servers,
                                                         AutoscalerScope scope);

  // What has limits in its annotations and is within the scope; of those without replicas only what tells its
  // capacity.
  Result<std::vector<NodeGroup>> groups();
  Result<NodeGroup> group(std::string_view kind, std::string_view name);  // one of them, or NotFound
  Result<std::vector<Instance>> instances(const NodeGroup& group);
  // Of a Node that the group would get: its annotations, and for what they leave out the template's
  // status.capacity. Nothing without CPU and memory: such a group can't start from zero.
  Result<std::optional<Capacity>> template_of(const NodeGroup& group);

  Result<std::int64_t> target_size(const NodeGroup& group);
  Result<void> increase_size(const NodeGroup& group, std::int64_t by);
  // Takes back what was asked for and has not come; never an instance that is there.
  Result<void> decrease_target_size(const NodeGroup& group, std::int64_t by);
  Result<void> delete_nodes(const NodeGroup& group, const std::vector<std::string>& nodes);
  // What all of the above come down to; Invalid outside of the group's limits, without a request.
  Result<void> set_size(const NodeGroup& group, std::int64_t size);

 private:
  explicit AutoscalerClient(AutoscalerScope scope) : scope_(std::move(scope)) {}
  Result<std::unique_ptr<kube::RemoteClient>> connect(const std::filesystem::path& kubeconfig);
  Result<void> discover();
  Result<std::string> preferred_version(std::string_view api_group);
  Result<AutoscalerSnapshot> look();
  Result<std::vector<NodeGroup>> groups_of(const AutoscalerSnapshot& seen);
  Result<std::optional<Capacity>> capacity_of(const boost::json::value& scalable);
  Result<Capacity> capacity_of_template(const boost::json::value& scalable);
  Result<boost::json::array> held(kube::RemoteClient& client, const kube::Resource& resource,
                                  const std::string& namespace_);
  Result<void> write_mark(const kube::ObjectKey& machine, bool marked);
  kube::Resource resource(std::string_view kind) const;
  Deadline soon() const;

  AutoscalerScope scope_;
  SystemClock clock_;
  SystemThreads threads_;
  net::IoPool io_;
  std::unique_ptr<kube::RemoteClient> management_;
  std::unique_ptr<kube::RemoteClient> workload_;
  std::map<std::string, std::unique_ptr<AutoscalerInformer>> informers_;  // by plural; after their clients
  std::string version_;
  bool pools_served_ = false;
};

}  // namespace capstan::envtest
