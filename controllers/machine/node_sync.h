// What a Machine says about its Node: labels, annotations and taints that go from one to the other, and the
// one patch that brings the Node there (reference capi-machine 3.8). What came from the Machine is remembered
// in annotations of the Node, so that it can be taken away again; everything else on the Node is left alone.
// Pure functions.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "api/core/node.h"
#include "api/v1beta2/machine.h"
#include "base/result.h"
#include "controllers/machine/key_patterns.h"

namespace capstan::controllers::machine {

struct NodeSyncRules {
  KeyPatterns labels = {};  // besides the domains that always go
  KeyPatterns annotations = {};
  bool taints = false;  // feature gate MachineTaintPropagation
};

struct NodeSync {
  const api::Node& node;
  const api::Machine& machine;
  const NodeSyncRules& rules;
  bool interruptible = false;         // by the infrastructure object
  std::optional<bool> outdated = {};  // of an older revision; nothing: can't be told, leave it
};

// The patch as values: an absent value takes the key away.
struct NodeChange {
  using Entry = std::pair<Text, std::optional<Text>>;
  std::vector<Entry> labels = {};
  std::vector<Entry> annotations = {};
  std::optional<api::List<api::NodeTaint>> taints = {};  // the whole list
  bool became_interruptible = false;

  bool operator==(const NodeChange&) const = default;
};

// Nothing when the Node is as wanted.
std::optional<NodeChange> node_change(const NodeSync& sync);

// Whether the Machine's set is of an older revision than its deployment; nothing when a revision is missing
// on neither side but can't be read as a number.
std::optional<bool> is_outdated(const api::TextMap& set_annotations,
                                const api::TextMap& deployment_annotations);

}  // namespace capstan::controllers::machine
