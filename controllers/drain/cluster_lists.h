// Which Pods and VolumeAttachments are on a Node that is being emptied: one list for all Nodes of a workload
// cluster that go together, begun after the last of them has asked. One object for each cluster
// (lists_by_cluster.h); it holds a list's items only while they are asked for. Safe from any thread; blocks
// as the client does.
#pragma once

#include "api/core/pod.h"
#include "api/core/volume_attachment.h"
#include "controllers/drain/shared_list.h"
#include "kubeconfig/workload_clusters.h"

namespace capstan::controllers::drain {

class ClusterLists {
 public:
  ClusterLists(const Clock& clock, Threads& threads) : pods_(clock, threads), attachments_(clock, threads) {}

  Result<std::vector<api::Pod>> pods(kubeconfig::WorkloadCluster& cluster, const std::string& node,
                                     const Deadline& deadline);
  Result<std::vector<api::VolumeAttachment>> attachments(kubeconfig::WorkloadCluster& cluster,
                                                         const std::string& node, const Deadline& deadline);

 private:
  using Nodes = std::set<std::string>;

  Result<SharedList<api::Pod>::ByNode> ask_for_pods(kubeconfig::WorkloadCluster& cluster, const Nodes& nodes,
                                                    const Deadline& deadline);
  Result<SharedList<api::Pod>::ByNode> ask_one_by_one(kubeconfig::WorkloadCluster& cluster,
                                                      const Nodes& nodes, const Deadline& deadline);
  std::size_t known_pods(const kubeconfig::WorkloadCluster& cluster) const;

  SharedList<api::Pod> pods_;
  SharedList<api::VolumeAttachment> attachments_;
  // Of the last list of all; before the first one, of the Nodes that were asked for one by one.
  struct PodCount {
    std::optional<std::size_t> of_all = {};
    std::size_t sample = 0;
    std::size_t of_sample = 0;
  };
  Guarded<PodCount> counted_;
};

}  // namespace capstan::controllers::drain
