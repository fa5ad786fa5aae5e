// The toy controller: as many Toys as its ToySet wants, in the shape of every real one (observe, decide, act,
// report) and on the real runtime. A mutant leaves one rule out; simulations must notice. Wired by
// toy_manager.h.
#pragma once

#include <vector>

#include "base/names.h"
#include "kube/client.h"
#include "runtime/consistency.h"
#include "runtime/reconcile.h"
#include "runtime/store.h"
#include "test/simulation/toy_kinds.h"

namespace capstan::simulation {

enum class Mutant {
  None,
  NoGate,            // own writes are not recorded
  ImpatientGate,     // a live NotFound right after a lost answer is believed
  ActsWhenOverdue,   // creates and deletes although its caches are behind
  ActsUnsynced,      // starts before the first lists are complete
  ForgetsDeletions,  // a Toy that is gone triggers nothing
  CountsLivingOnly,  // Toys that are being deleted do not count
};
std::string_view to_string(Mutant mutant);

struct ToyDeps {
  kube::Client& client;
  runtime::Store<ToySet>& sets;
  runtime::Store<Toy>& toys;
  runtime::IndexId<Toy> by_owner = {};
  runtime::Consistency* consistency = nullptr;  // of the controller; set before it starts
  NameGenerator& names;
  Mutant mutant = Mutant::None;
};

// --- pure ---
struct ToySeen {
  runtime::Snapshot<ToySet> set = {};
  std::vector<runtime::Snapshot<Toy>> toys = {};  // of this set, by name
};
struct ToyPlan {
  std::int32_t create = 0;
  std::vector<runtime::Snapshot<Toy>> remove = {};
  bool add_finalizer = false;
  bool remove_finalizer = false;
};
ToyPlan decide(const ToySeen& seen, Mutant mutant);
ToySetStatus report(const ToySeen& seen);

class ToyReconciler final : public runtime::Reconciler {
 public:
  explicit ToyReconciler(ToyDeps& deps) : deps_(deps) {}
  Result<runtime::Outcome> reconcile(const runtime::Context& context, const runtime::ObjectKey& key) override;

 private:
  ToySeen observe(const runtime::ObjectKey& key) const;
  Result<void> act(const runtime::Context& context, const ToySeen& seen, const ToyPlan& plan);
  Result<void> create_toy(const runtime::Context& context, const ToySeen& seen);
  Result<void> remove_toy(const runtime::Context& context, const ToySeen& seen, const Toy& toy);
  Result<void> set_finalizer(const runtime::Context& context, const ToySeen& seen, bool present);
  Result<void> patch_status(const runtime::Context& context, const ToySeen& seen, const ToySetStatus& status);

  ToyDeps& deps_;
};

}  // namespace capstan::simulation
