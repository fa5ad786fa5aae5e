// Does what a plan says, one small function per sort of write; each is safe to repeat and sends nothing when
// nothing differs. Blocks as the client does; one turn at a time per Machine, safe from any thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "controllers/machine/plan.h"
#include "controllers/shared/contests.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::machine {

// Which Nodes we have written and not seen again yet. The Nodes' caches come and go with their clusters, so
// the consistency gate can't remember this; losing it costs one more patch that changes nothing.
class NodeWrites {
 public:
  explicit NodeWrites(const Clock& clock) : clock_(clock) {}
  void wrote(const kube::ObjectKey& machine, const api::Uid& node, api::ResourceVersion version);
  bool is_behind(const kube::ObjectKey& machine, const api::Node& node);
  void forget(const kube::ObjectKey& machine);

 private:
  struct Write {
    api::Uid node = {};
    api::ResourceVersion version = {};
    SteadyTime until = {};
  };
  const Clock& clock_;
  Guarded<std::unordered_map<kube::ObjectKey, Write>> writes_;
};

struct ActContext {
  const Deps& deps;
  const Host& host;
  NodeWrites& node_writes;
  Contests& contests;
  const runtime::Context& context;
};

// Metadata and spec of the Machine, in one patch; the Machine as it is then.
Result<api::Machine> write_machine(const ActContext& with, const Observation& seen, const Plan& plan);
// Our ownership of a provider's object and its label, in one patch.
Result<void> write_claim(const ActContext& with, const api::Machine& machine, const ExternalSeen& external,
                         const std::optional<Claim>& claim);
// Labels, annotations and taints of the Node, in one patch.
Result<void> write_node(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machine
