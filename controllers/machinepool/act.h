// Carries out what decide() and decide_deletion() want: the writes of one turn. Each is safe to repeat; one
// that fails does not keep the others from happening, except that nothing goes on after the pool itself could
// not be written. Blocks as the clients do; one turn at a time per pool, safe from any thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "controllers/machinepool/decide.h"
#include "controllers/machinepool/deletion.h"
#include "controllers/machinepool/effects.h"
#include "controllers/machinepool/pool_drain.h"
#include "controllers/shared/contests.h"
#include "controllers/shared/live_object.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::machinepool {

// Which Nodes we have written and not seen again yet. The Nodes' caches come and go with their clusters, so
// the consistency gate can't remember this; losing it costs patches that change nothing.
class NodeWrites {
 public:
  explicit NodeWrites(const Clock& clock) : clock_(clock) {}
  void wrote(const kube::ObjectKey& pool, const api::Uid& node, api::ResourceVersion version);
  bool is_behind(const kube::ObjectKey& pool, const api::Node& node);
  void forget(const kube::ObjectKey& pool);
  // How many writes are remembered; for tests.
  std::size_t size() const;

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
  Guarded<std::unordered_map<kube::ObjectKey, Writes>> pools_;
};

struct ActContext {
  const Deps& deps;
  const Host& host;
  NodeWrites& node_writes;
  PoolDrainer& drainer;
  LiveLooks& live_looks;
  Contests& contests;
  const runtime::Context& context;
};
Effects act(const ActContext& with, const Observation& seen, const Plan& plan);
// `leaving` is brought up to date with what came of it.
Effects leave(const ActContext& with, const Observation& seen, DeletionPlan& leaving);

// Asks the server about objects of a pool that goes which the caches can't show. Afterwards they are Found
// and `live`, Missing or Undefined; what could not be found out stays Unreadable.
Result<void> look_at_unreadable(const ActContext& with, Observation& seen);

// A live look at an infrastructure that says that all instances are gone. An error when it could not be found
// out.
Result<bool> is_confirmed_empty(const ActContext& with, const Observation& seen);

}  // namespace capstan::controllers::machinepool
