// What Machines and MachinePools write on Nodes of workload clusters: the patch of a change, and which writes
// the Nodes' caches have not shown yet. Blocks as the client does; safe from any thread.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "base/guarded.h"
#include "controllers/shared/node_change.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers {

// The Nodes' caches come and go with their clusters, so the consistency gate can't remember writes to Nodes.
// Losing this memory costs patches that change nothing.
class NodeWrites {
 public:
  explicit NodeWrites(const Clock& clock) : clock_(clock) {}
  void wrote(const kube::ObjectKey& writer, const api::Uid& node, api::ResourceVersion version);
  // The cache shows the Node as it was before our write.
  bool is_behind(const kube::ObjectKey& writer, const api::Node& node);
  void forget(const kube::ObjectKey& writer);
  std::size_t size() const;  // writes that are remembered

 private:
  struct Write {
    api::ResourceVersion version = {};
    SteadyTime until = {};
  };
  struct Writes {
    std::unordered_map<api::Uid, Write> nodes = {};
    SteadyTime swept = {};  // what was too old then is forgotten
  };
  const Clock& clock_;
  Guarded<std::unordered_map<kube::ObjectKey, Writes>> writers_;
};

struct NodeToWrite {
  kube::Client& client;  // of the workload cluster
  const api::Node& node;
  const NodeChange& change;
};
// One patch, and one of the status before it where the capacity changes: what remembers that is in the
// second. A condition takes a live read and a patch of the status, and where nothing else
// changes no other patch. A Node that is gone, or is another one by now, is no error; Conflict
// when the Node has changed and the change depends on what was seen. `writer` is the Machine or pool.
Result<void> write_node(const ActContext& with, NodeWrites& writes, const kube::ObjectKey& writer,
                        const NodeToWrite& what);

}  // namespace capstan::controllers
