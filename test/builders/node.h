// a_node("n1"): a ready Node of a workload cluster.
#pragma once

#include "api/core/node.h"
#include "test/builders/object_builder.h"

namespace capstan::builders {

class NodeBuilder : public ObjectBuilder<NodeBuilder, api::Node> {
 public:
  explicit NodeBuilder(std::string_view name);

  NodeBuilder& provider_id(std::string_view id);
  NodeBuilder& kubelet_version(std::string_view version);
  NodeBuilder& condition(std::string_view type, std::string_view status, std::string_view message = {},
                         Time since = noon());
  NodeBuilder& not_ready(std::string_view message = "kubelet stopped posting") {
    return condition(api::condition::kReady, api::status::kFalse, message);
  }
  NodeBuilder& unreachable() { return condition(api::condition::kReady, api::status::kUnknown); }
  NodeBuilder& tainted(std::string_view key, std::string_view effect, std::string_view value = {});
  NodeBuilder& cordoned();
};

NodeBuilder a_node(std::string_view name = "n1");

}  // namespace capstan::builders
