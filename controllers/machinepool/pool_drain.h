// Emptying Nodes of a pool without Machines before they are removed, where a policy asks for it: one drain
// per Node and then the wait until its volumes are detached (controllers/drain), all of them under
// the pool's timeouts. Everything that has to outlive a turn stands on objects (since when: the pool's
// deletion, or marks on the Node); what is remembered here only saves requests. Safe from any thread, one
// turn at a time per pool.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "controllers/claims/clearance.h"
#include "controllers/drain/drainer.h"
#include "controllers/machinepool/drain_key.h"
#include "controllers/machinepool/observation.h"
#include "controllers/shared/deps.h"

namespace capstan::controllers::machinepool {

struct DrainRound {
  using Nodes = std::vector<Snapshot<api::Node>>;
  Nodes emptied = {};        // or given up
  Nodes left = {};           // to be emptied yet
  std::string message = {};  // what holds them up, Node by Node; for conditions
  bool by_volumes = false;   // they are empty, all of them: it is their volumes
  std::optional<Seconds> recheck = {};
  std::vector<std::string> drained = {};   // names, for Events; each said once
  std::vector<std::string> detached = {};  // likewise, of those whose volumes were waited for
  std::vector<std::string> warnings = {};  // likewise
  bool unfinished = false;                 // there was too much for one turn
};

class PoolDrainer {
 public:
  explicit PoolDrainer(const Deps& deps);

  // The queue that a Pod or a budget wakes a pool through; before the first turn.
  void wake_through(runtime::Queue& queue);
  // Drain rules of a namespace have changed: which pools of it drain and are to look again.
  std::vector<kube::ObjectKey> look_again_in(std::string_view namespace_);
  // Whose a Node is, asked once in a turn that drains it.
  using Clear = std::function<Result<claims::Answer>(const api::Node& node)>;
  struct Wanted {
    std::span<const Snapshot<api::Node>> nodes = {};
    std::optional<Time> began = {};  // nothing: when the marks of the Nodes say
    Clear clear = {};
    std::shared_ptr<kubeconfig::WorkloadCluster> workload = {};  // never null
  };
  // One turn of the drains of these Nodes.
  DrainRound turn(const Observation& seen, const Wanted& wanted, const Deadline& deadline);
  // Nothing is to be drained any more, or not now.
  void forget(const kube::ObjectKey& pool);
  // No turn comes any more: when this returns, no drain wakes a pool.
  void stop();

 private:
  struct NodeDrain {
    api::Uid uid = {};  // of the Node
    Time began = {};
    Time waits_since = {};  // for its volumes
    Time due = {};
    std::string message = {};
    bool drained = false;  // or given up
    bool done = false;
  };
  using Drains = std::map<std::string, NodeDrain, std::less<>>;  // by name of the Node

  void woken(const kube::ObjectKey& drain);
  NodeDrain drain_of(const kube::ObjectKey& pool, const api::Node& node);
  // Those of Nodes that are to stay after all.
  void forget_others(const kube::ObjectKey& pool, std::span<const Snapshot<api::Node>> nodes);
  void remember(const kube::ObjectKey& pool, const api::Node& node, const NodeDrain& drain);
  struct Turn {
    const Observation& seen;
    const api::Node& node;
    const Wanted& wanted;
    const Deadline& deadline;
    DrainRound& round;
  };
  static bool news(const Observation& seen, const api::Node& node, const NodeDrain& drain);
  static void note(const drain::StageReport& report, Time since, std::optional<std::int32_t> timeout,
                   Time now, NodeDrain& drain);
  Result<Time> mark(const Turn& turn, std::string_view annotation);
  struct Stage {
    drain::StageReport (drain::Drainer::*turn)(const drain::DrainRequest&, const Deadline&);
    std::optional<claims::Clearance> clearance = {};
  };
  drain::StageReport ask(const Turn& turn, Time since, const Stage& stage);
  void one_turn(const Turn& turn, NodeDrain& drain);
  void turn_of_drain(const Turn& turn, NodeDrain& drain);
  void turn_of_volumes(const Turn& turn, NodeDrain& drain);

  const Deps& deps_;
  runtime::Queue* queue_ = nullptr;
  Guarded<std::map<kube::ObjectKey, Drains>> drains_;
  drain::Drainer drainer_;  // first to go: it wakes
};

}  // namespace capstan::controllers::machinepool
