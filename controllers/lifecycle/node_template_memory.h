// What spec.nodeTemplate of a policy gave a Node last, as the Node's annotation capstan.dev/node-template
// remembers it: only what is remembered is taken back. A plain value with its text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/core/node.h"
#include "api/schema/field.h"
#include "controllers/shared/node_change.h"

namespace capstan::controllers::lifecycle {

struct NodeTemplateMemory {
  api::List<Text> labels = {};  // keys, sorted
  api::List<Text> annotations = {};
  api::List<Text> taints = {};         // "key:effect"
  api::TextMap virtual_capacity = {};  // quantities by the name of the resource
  Text boot_id = {};                // of the kubelet that has that capacity; one that registers anew has not
  api::UnknownFields unknown = {};  // of a later version
  bool operator==(const NodeTemplateMemory&) const = default;
};

// Nothing: the annotation can't be read. One that is not there remembers nothing.
std::optional<NodeTemplateMemory> node_template_memory(const api::Node& node);
// Adds the annotation to the change where it differs; a memory of nothing takes it away.
void remember(const NodeTemplateMemory& memory, const api::Node& node, NodeChange& change);

}  // namespace capstan::controllers::lifecycle

namespace capstan::api {

template <>
inline constexpr auto members<controllers::lifecycle::NodeTemplateMemory> = std::array{
    member<&controllers::lifecycle::NodeTemplateMemory::labels>("labels"),
    member<&controllers::lifecycle::NodeTemplateMemory::annotations>("annotations"),
    member<&controllers::lifecycle::NodeTemplateMemory::taints>("taints"),
    member<&controllers::lifecycle::NodeTemplateMemory::virtual_capacity>("virtualCapacity"),
    member<&controllers::lifecycle::NodeTemplateMemory::boot_id>("bootID"),
};

}  // namespace capstan::api
