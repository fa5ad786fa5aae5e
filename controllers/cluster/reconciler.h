// The Cluster controller: observe, decide, report, one patch. Called by the workers of its
// runtime/controller.h.
#pragma once

#include "api/v1beta2/cluster.h"
#include "runtime/consistency.h"
#include "runtime/reconcile.h"
#include "runtime/store.h"

namespace capstan::controllers::cluster {

// All of it lives longer.
struct Deps {
  const Clock& clock;
  kube::Client& client;
  const runtime::Store<api::Cluster>& clusters;
};

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps) {}
  // Before the first turn: whom to tell of writes.
  void record_writes_in(runtime::Consistency& consistency) { consistency_ = &consistency; }

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  const Deps deps_;
  runtime::Consistency* consistency_ = nullptr;
};

}  // namespace capstan::controllers::cluster
