// What a Machine says about its Node: labels, annotations and taints that go from one to the other, and the
// one patch that brings the Node there. What came from the Machine is remembered
// in annotations of the Node, so that it can be taken away again; everything else on the Node is left alone.
// Pure functions.
#pragma once

#include <optional>

#include "api/v1beta2/machine.h"
#include "controllers/machine/key_patterns.h"
#include "controllers/shared/node_change.h"

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
  std::optional<bool> outdated = {};  // of an older revision; nothing: not known, it stays as it is
};

// Nothing when the Node is as wanted.
std::optional<NodeChange> node_change(const NodeSync& sync);

// The change labels the Node as interruptible, which it is not yet.
bool became_interruptible(const NodeSync& sync);

// Whether the Machine's set is of an older revision than its deployment; nothing when a revision is missing
// on neither side but can't be read as a number.
std::optional<bool> is_outdated(const api::TextMap& set_annotations,
                                const api::TextMap& deployment_annotations);

}  // namespace capstan::controllers::machine
