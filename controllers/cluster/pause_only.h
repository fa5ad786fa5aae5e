// The Cluster controller as the manager runs it until controllers/controllers.h composes the real one: it
// says whether a Cluster is paused and does nothing else. Goes away with its last use in
// cmd/manager/wiring.cc.
#pragma once

#include "api/v1beta2/cluster.h"
#include "runtime/consistency.h"
#include "runtime/reconcile.h"
#include "runtime/store.h"

namespace capstan::controllers::cluster {

// All of it lives longer.
struct PauseOnlyDeps {
  const Clock& clock;
  kube::Client& client;
  const runtime::Store<api::Cluster>& clusters;
};

class PauseOnly final : public runtime::Reconciler {
 public:
  explicit PauseOnly(const PauseOnlyDeps& deps) : deps_(deps) {}
  // Before the first turn: whom to tell of writes.
  void record_writes_in(runtime::Consistency& consistency) { consistency_ = &consistency; }

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  const PauseOnlyDeps deps_;
  runtime::Consistency* consistency_ = nullptr;
};

}  // namespace capstan::controllers::cluster
