// The Nodes of one workload cluster, found by name or by spec.providerID. Written by the Node informer, read
// by controllers; safe from any thread. A providerID held by two Nodes answers both: guessing would let us
// delete the wrong VM.
#pragma once

#include <string_view>
#include <vector>

#include "api/core/node.h"
#include "runtime/store.h"

namespace capstan::kubeconfig {

// None while the cloud provider has not said it.
inline runtime::IndexValues provider_ids(const api::Node& node) {
  if (node.spec.provider_id.empty()) return {};
  return {node.spec.provider_id};
}

class NodeStore {
 public:
  runtime::Store<api::Node>& store() { return store_; }
  const runtime::Store<api::Node>& store() const { return store_; }
  // In the order of their names.
  std::vector<runtime::Snapshot<api::Node>> with(std::string_view provider_id) const {
    return store_.find(by_provider_id_, provider_id);
  }

 private:
  runtime::Store<api::Node> store_{"Node"};
  runtime::IndexId<api::Node> by_provider_id_ = store_.add_index(&provider_ids);
};

}  // namespace capstan::kubeconfig
