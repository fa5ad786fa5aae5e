// Node of a workload cluster, as far as we look at it. A projection for the cache: heartbeats are left out,
// so that a Node at rest never changes, and so are addresses and the metadata that no controller reads.
// Taints are whole, because the list is written as a whole. A plain value.
#pragma once

#include <string_view>

#include "api/core/node_info.h"
#include "api/meta/object_meta.h"
#include "api/schema/resource.h"

namespace capstan::api {

struct NodeMeta {
  static constexpr Text namespace_ = {};  // a Node has none
  Text name = {};
  Uid uid = {};
  ResourceVersion resource_version = {};
  Time creation_timestamp = {};
  Time deletion_timestamp = {};
  Labels labels = {};
  Labels annotations = {};

  bool deleting() const { return deletion_timestamp.is_set(); }
  bool operator==(const NodeMeta&) const = default;
};
template <>
inline constexpr auto members<NodeMeta> = std::array{
    member<&NodeMeta::name>("name"),
    member<&NodeMeta::uid>("uid"),
    member<&NodeMeta::resource_version>("resourceVersion"),
    member<&NodeMeta::creation_timestamp>("creationTimestamp"),
    member<&NodeMeta::deletion_timestamp>("deletionTimestamp"),
    member<&NodeMeta::labels>("labels"),
    member<&NodeMeta::annotations>("annotations"),
};

struct NodeTaint {
  Text key = {};
  Text value = {};
  Text effect = {};
  Time time_added = {};
  UnknownFields unknown = {};
  // Kubernetes' own idea of "the same taint": the value does not count.
  bool same_taint(std::string_view other_key, std::string_view other_effect) const {
    return key == other_key && effect == other_effect;
  }
  bool operator==(const NodeTaint&) const = default;
};
template <>
inline constexpr auto members<NodeTaint> = std::array{
    member<&NodeTaint::key>("key", {.required = true}),
    member<&NodeTaint::value>("value"),
    member<&NodeTaint::effect>("effect", {.required = true}),
    member<&NodeTaint::time_added>("timeAdded"),
};

struct NodeSpec {
  Text provider_id = {};
  bool unschedulable = false;
  List<NodeTaint> taints = {};
  bool operator==(const NodeSpec&) const = default;
};
template <>
inline constexpr auto members<NodeSpec> = std::array{
    member<&NodeSpec::provider_id>("providerID"),
    member<&NodeSpec::unschedulable>("unschedulable"),
    member<&NodeSpec::taints>("taints"),
};

struct NodeCondition {
  Text type = {};
  Text status = {};
  Time last_transition_time = {};
  Text reason = {};
  Text message = {};  // what kubelets say when all is well is the same on every Node
  bool operator==(const NodeCondition&) const = default;
};
template <>
inline constexpr auto members<NodeCondition> = std::array{
    member<&NodeCondition::type>("type"),
    member<&NodeCondition::status>("status"),
    member<&NodeCondition::last_transition_time>("lastTransitionTime"),
    member<&NodeCondition::reason>("reason"),
    member<&NodeCondition::message>("message"),
};

struct NodeStatus {
  List<NodeCondition> conditions = {};
  NodeInfo node_info = {};
  bool operator==(const NodeStatus&) const = default;
};
template <>
inline constexpr auto members<NodeStatus> = std::array{
    member<&NodeStatus::conditions>("conditions"),
    member<&NodeStatus::node_info>("nodeInfo"),
};

struct Node {
  NodeMeta metadata = {};
  NodeSpec spec = {};
  NodeStatus status = {};

  // Null when the kubelet has not reported it.
  const NodeCondition* condition(std::string_view type) const;
  bool operator==(const Node&) const = default;
};
template <>
inline constexpr ResourceInfo resource<Node> = {
    .version = "v1", .kind = "Node", .plural = "nodes", .scope = Scope::Cluster, .status_subresource = true};
template <>
inline constexpr auto members<Node> = std::array{
    member<&Node::metadata>("metadata"),
    member<&Node::spec>("spec"),
    member<&Node::status>("status"),
};

}  // namespace capstan::api
