#include "test/builders/node.h"

#include <algorithm>

namespace capstan::builders {

using api::Node;

NodeBuilder::NodeBuilder(std::string_view name) : ObjectBuilder(Node{}) {
  object_.metadata = {.name = Text(name),
                      .uid = uid_of(api::kind::kNode, name),
                      .resource_version = api::ResourceVersion(1),
                      .creation_timestamp = noon()};
  provider_id("docker:////" + std::string(name)).kubelet_version("v1.36.3");
  for (const auto pressure :
       {api::condition::kMemoryPressure, api::condition::kDiskPressure, api::condition::kPidPressure}) {
    condition(pressure, api::status::kFalse);
  }
  condition(api::condition::kReady, api::status::kTrue);
}

NodeBuilder& NodeBuilder::provider_id(std::string_view id) {
  return change([&](Node& node) { node.spec.provider_id = Text(id); });
}

NodeBuilder& NodeBuilder::kubelet_version(std::string_view version) {
  return change([&](Node& node) {
    api::NodeSystemInfo system = *node.status.node_info;
    system.kubelet_version = Text(version);
    node.status.node_info = api::NodeInfo(std::move(system));
  });
}

NodeBuilder& NodeBuilder::condition(std::string_view type, std::string_view status, std::string_view message,
                                    Time since) {
  auto& all = object_.status.conditions;
  erase_if(all, [&](const api::NodeCondition& each) { return each.type == type; });
  all.push_back({.type = Text(type),
                 .status = Text(status),
                 .last_transition_time = since,
                 .reason = Text(type),
                 .message = Text(message)});
  return *this;
}

NodeBuilder& NodeBuilder::tainted(std::string_view key, std::string_view effect, std::string_view value) {
  return change([&](Node& node) {
    node.spec.taints.push_back({.key = Text(key), .value = Text(value), .effect = Text(effect)});
  });
}

NodeBuilder& NodeBuilder::cordoned() {
  return change([](Node& node) { node.spec.unschedulable = true; });
}

NodeBuilder a_node(std::string_view name) { return NodeBuilder(name); }

}  // namespace capstan::builders
