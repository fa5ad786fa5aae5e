// Does what deletion.h finds to be next, until there is nothing to do but wait or to let the Machine go: asks
// and deletes, drains, records Events. The reconciler hands in facts and objects, writes the status that
// results and takes the finalizer off. One turn at a time per Machine; safe from any thread.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/guarded.h"
#include "controllers/drain/drainer.h"
#include "controllers/drain/pace.h"
#include "controllers/machine/deletion.h"
#include "controllers/shared/deps.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::machine {

// What the facts were made of, for asking and deleting; nothing where the reference could not be resolved.
struct DeletionObjects {
  std::optional<runtime::External> infrastructure = {};
  std::optional<runtime::External> bootstrap = {};
  std::optional<runtime::External> control_plane = {};
};

struct DeletionTurn {
  DeletionFacts facts = {};  // as they are now: facts.marks is the new status.deletion
  Step step = {};            // Wait, or Act RemoveFinalizer
  bool may_go() const { return step.act == Step::Act::RemoveFinalizer; }
  // A provider takes its object away, and nothing is wrong.
  bool waits_for_provider() const;
};

class Deleter {
 public:
  explicit Deleter(const Deps& deps);
  void bind(const Host& host);  // before the first turn

  DeletionTurn turn(const runtime::Context& context, const DeletionObjects& objects, DeletionFacts facts);
  // The Machine is gone.
  void forget(const kube::ObjectKey& machine);
  // Its deletion rests for a time: somebody has paused it.
  void interrupt(const kube::ObjectKey& machine);
  // Those of a namespace that drain rules concern at the moment.
  std::vector<kube::ObjectKey> drains_in(std::string_view namespace_) const {
    return drainer_.drains_in(namespace_);
  }
  // No turn comes any more; the queue may go after this.
  void stop_drains();

 private:
  void end_of_drain(const Step& step, const kube::ObjectKey& machine);
  std::string provider_id_of_node(const DeletionFacts& facts);
  void act(const runtime::Context& context, const DeletionObjects& objects, const Step& step,
           DeletionFacts& facts);
  // What a turn has found out and a later one has to know, although no status says so yet.
  struct Progress {
    api::Uid machine = {};
    Stage stage = Stage::Begin;  // DeleteInfra or DeleteBootstrap: that object was told to go
    api::MachineDeletionStatus marks = {};
    std::optional<drain::StageReport> drain = {};
    std::optional<drain::StageReport> volumes = {};
  };
  struct Removal {
    Stage stage;
    const std::optional<runtime::External>& object;
    Known& known;
    std::optional<Error>& failed;
  };
  void confirm_infrastructure(const DeletionObjects& objects, DeletionFacts& facts, const Deadline& deadline);
  void remove(const runtime::Context& context, DeletionFacts& facts, const Removal& removal);
  void remember(const DeletionFacts& facts);
  void recall(DeletionFacts& facts) const;
  struct OnNode {
    drain::StageReport (drain::Drainer::*turn)(const drain::DrainRequest&, const Deadline&);
    std::optional<claims::Clearance> clearance = {};
  };
  drain::StageReport on_node(const DeletionFacts& facts, Time started, const OnNode& stage,
                             const Deadline& deadline);
  drain::StageReport lost(const DeletionFacts& facts, Time started, const Error& error);
  claims::Server server(const runtime::Context& context) const;
  Result<std::optional<claims::Clearance>> clear_node(const runtime::Context& context,
                                                      kubeconfig::WorkloadCluster& workload,
                                                      DeletionFacts& facts);
  Result<void> try_to_remove_node(const runtime::Context& context, DeletionFacts& facts);
  void drain(const runtime::Context& context, DeletionFacts& facts);
  void check_volumes(const runtime::Context& context, DeletionFacts& facts);
  void remove_node(const runtime::Context& context, DeletionFacts& facts);
  Seconds trying_for(const kube::ObjectKey& machine);
  void record_event(const api::Machine& machine, runtime::EventType type, std::string_view reason,
                    std::string_view message);

  const Deps deps_;
  std::optional<Host> host_;
  drain::Drainer drainer_;
  // Losing it costs a look at the API server.
  Guarded<std::map<kube::ObjectKey, Progress>> progress_;
  // Since when the Nodes of these Machines refuse to be deleted. Losing it only makes us try longer.
  Guarded<std::map<kube::ObjectKey, SteadyTime>> node_deletions_;
};

}  // namespace capstan::controllers::machine
