// Does what deletion.h finds to be next, until there is nothing to do but wait or to let the Machine go: asks
// and deletes, drains, records Events. The reconciler hands in facts and objects, writes the status that
// results and takes the finalizer off. One turn at a time per Machine; safe from any thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "controllers/drain/drainer.h"
#include "controllers/machine/deletion.h"
#include "controllers/machine/memory.h"
#include "controllers/shared/turn.h"

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

struct StepContext;  // what a turn was given, and its facts

class Deleter {
 public:
  explicit Deleter(const Deps& deps);
  void bind(const Host& host);  // before the first turn

  DeletionTurn turn(const ActContext& with, Memory& memory, const DeletionObjects& objects,
                    DeletionFacts facts);
  // Drains the Node of a Machine that is preserved, since `facts.marks.node_drain_start_time`.
  drain::StageReport empty(const ActContext& with, Memory& memory, DeletionFacts facts);
  // The Machine is gone, or its Node is not to be emptied any more.
  void forget(const kube::ObjectKey& machine);
  // Its deletion rests for a time: a user has paused it.
  void interrupt(const kube::ObjectKey& machine);
  // Those of a namespace that drain rules concern at the moment.
  std::vector<kube::ObjectKey> drains_in(std::string_view namespace_) const {
    return drainer_.drains_in(namespace_);
  }
  // After the last turn; the queue may go after this.
  void stop_drains();

 private:
  struct OnNode {
    drain::StageReport (drain::Drainer::*turn)(const drain::DrainRequest&, const Deadline&);
    std::optional<claims::Clearance> clearance = {};
  };
  void act(const StepContext& at, const Step& step);
  void drain(const StepContext& at);
  void check_volumes(const StepContext& at);
  void delete_attachments(const StepContext& at);
  drain::StageReport on_node(const StepContext& at, Time started, const OnNode& stage);
  drain::StageReport lost(const StepContext& at, Time started, const Error& error);
  void end_of_drain(const Step& step, const kube::ObjectKey& machine);

  std::optional<Host> host_;
  drain::Drainer drainer_;
};

}  // namespace capstan::controllers::machine
