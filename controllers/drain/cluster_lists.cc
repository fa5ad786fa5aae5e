#include "controllers/drain/cluster_lists.h"

#include <boost/json.hpp>

#include "base/try.h"
#include "kube/list_each.h"
#include "kube/typed.h"

namespace capstan::controllers::drain {
namespace {

namespace json = boost::json;

constexpr std::size_t kSample = 4;

// Of a Pod and of a VolumeAttachment.
std::string_view node_of(const json::value& item) {
  boost::system::error_code missing;
  const auto* name = item.find_pointer("/spec/nodeName", missing);
  return name != nullptr && name->is_string() ? std::string_view(name->as_string()) : std::string_view();
}

// What can't be read is the trouble of its own Node.
template <typename T>
void file(const json::value& item, Result<std::vector<T>>& items) {
  if (!items) return;
  auto read = api::from_json<T>(item);
  if (!read) {
    items = fail(std::move(read).error());
  } else {
    items->push_back(std::move(*read));
  }
}

// Everything there is, of which what is on these Nodes is kept.
template <typename T>
Result<typename SharedList<T>::ByNode> list_all(kube::Client& client, const std::set<std::string>& nodes,
                                                std::size_t& count, const Deadline& deadline) {
  typename SharedList<T>::ByNode found;
  TRY(kube::list_each(client, kube::resource_of<T>(), {}, deadline, [&](json::value&& item) {
    ++count;
    const auto node = nodes.find(std::string(node_of(item)));
    if (node != nodes.end()) file(item, found[*node]);
  }));
  return found;
}

}  // namespace

Result<std::vector<api::Pod>> ClusterLists::pods(kubeconfig::WorkloadCluster& cluster,
                                                 const std::string& node, const Deadline& deadline) {
  return pods_.on(
      node, [&](const Nodes& nodes, const Deadline& until) { return ask_for_pods(cluster, nodes, until); },
      deadline);
}

// The API server selects them by nothing but their names.
Result<std::vector<api::VolumeAttachment>> ClusterLists::attachments(kubeconfig::WorkloadCluster& cluster,
                                                                     const std::string& node,
                                                                     const Deadline& deadline) {
  return attachments_.on(
      node,
      [&](const Nodes& nodes, const Deadline& until) {
        std::size_t count = 0;
        return list_all<api::VolumeAttachment>(cluster.client(), nodes, count, until);
      },
      deadline);
}

Result<SharedList<api::Pod>::ByNode> ClusterLists::ask_for_pods(kubeconfig::WorkloadCluster& cluster,
                                                                const Nodes& nodes,
                                                                const Deadline& deadline) {
  if (asks_for_all({.nodes = nodes.size(), .items = known_pods(cluster)})) {
    std::size_t count = 0;
    auto found = list_all<api::Pod>(cluster.client(), nodes, count, deadline);
    if (found) counted_.with([&](PodCount& counted) { counted.of_all = count; });
    return found;
  }
  return ask_one_by_one(cluster, nodes, deadline);
}

Result<SharedList<api::Pod>::ByNode> ClusterLists::ask_one_by_one(kubeconfig::WorkloadCluster& cluster,
                                                                  const Nodes& nodes,
                                                                  const Deadline& deadline) {
  SharedList<api::Pod>::ByNode found;
  for (const std::string& node : nodes) {
    auto listed =
        kube::list<api::Pod>(cluster.client(), {.field_selector = "spec.nodeName=" + node}, deadline);
    if (!listed && listed.error().code == Code::Cancelled) return fail(listed.error());
    if (listed) {
      counted_.with([&](PodCount& counted) {
        ++counted.sample;
        counted.of_sample += listed->items.size();
      });
    }
    found[node] = listed ? Result<std::vector<api::Pod>>(std::move(listed->items)) : fail(listed.error());
  }
  return found;
}

// A Node that is asked about twice has fewer of them by then. The price of too small a guess is one list of
// all pages.
std::size_t ClusterLists::known_pods(const kubeconfig::WorkloadCluster& cluster) const {
  const auto counted = counted_.with([](const PodCount& count) { return count; });
  if (counted.of_all) return *counted.of_all;
  const std::size_t nodes = cluster.nodes().size();
  return counted.sample < kSample ? usual_pods(nodes) : counted.of_sample * nodes / counted.sample;
}

}  // namespace capstan::controllers::drain
