// The Cluster controller: provider objects owned, endpoint, flags and kubeconfig kept, status written,
// everything taken down in order. Called by the workers of its runtime/controller.h.
#pragma once

#include <optional>
#include <span>

#include "controllers/cluster/memory.h"
#include "controllers/shared/contests.h"
#include "controllers/shared/deps.h"
#include "controllers/shared/note.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::cluster {

struct Observation;

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps, const Settings& settings = {});
  // Before the first turn.
  void bind(const Host& host) { host_.emplace(host); }
  // Clusters themselves, what belongs to them, and the way to their API servers.
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  Result<runtime::Outcome> take_turn(const runtime::Context& context, const Observation& seen);
  void record_events(const api::Cluster& cluster, std::span<const Note> notes);

  const Deps deps_;
  std::optional<Host> host_;
  Memory memory_;
  Contests contests_;
};

}  // namespace capstan::controllers::cluster
