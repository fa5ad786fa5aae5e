#include "controllers/topology/reconciler.h"

#include "base/try.h"
#include "controllers/shared/turn_steps.h"
#include "controllers/topology/act.h"
#include "controllers/topology/decide.h"
#include "controllers/topology/kinds.h"
#include "controllers/topology/observe.h"

namespace capstan::controllers::topology {

template <typename T>
Result<runtime::Outcome> Reconciler<T>::reconcile(const runtime::Context& context,
                                                  const kube::ObjectKey& key) {
  const auto object = OwnedKind<T>::cache(deps_.caches).get(key);
  if (!object || !is_concerned(object->metadata, deps_)) return runtime::Outcome::done();
  if (!context.fresh) return runtime::Outcome::done();  // the controller comes back
  const ObserveContext with{.deps = deps_, .host = *host_, .context = context};
  const auto seen = TRY(observe(with, *object));
  const auto acted =
      act({.deps = deps_, .host = *host_, .contests = contests_, .context = context}, *object, decide(seen));
  return ended(acted ? std::vector<Error>() : std::vector{acted.error()}, runtime::Outcome::done());
}

template <typename T>
void Reconciler<T>::add_triggers(runtime::Queue& queue) {
  OwnedKind<T>::cache(deps_.caches).subscribe([this, &queue](const runtime::Change<T>& change) {
    if (!change.after || !is_concerned(change.after->metadata, deps_)) return;
    const auto& metadata = change.after->metadata;
    const bool has_finalizer = metadata.has_finalizer(OwnedKind<T>::kFinalizer);
    if (has_finalizer != metadata.deleting()) return;
    queue.add(runtime::key_of(*change.after),
              change.initial ? runtime::Priority::Low : runtime::Priority::Normal);
  });
}

template class Reconciler<api::MachineDeployment>;
template class Reconciler<api::MachineSet>;

}  // namespace capstan::controllers::topology
