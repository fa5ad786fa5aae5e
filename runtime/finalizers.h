// Our own finalizer on our own kinds: put on before anything is made that would have to be cleaned up, taken
// off when it is. Both are written at once, with a test against the list we saw, and noted in the consistency
// gate. Block as the client.
#pragma once

#include <string_view>

#include "kube/typed.h"
#include "runtime/consistency.h"

namespace capstan::runtime {

enum class FinalizerStep {
  Present,  // it was there: go on
  Added,    // it was put on just now: the turn ends, the write's own event brings the next
  TooLate,  // the object is being deleted: nothing is put on any more
};

template <kube::Kind T>
Result<FinalizerStep> ensure_finalizer(kube::Client& client, Consistency& consistency, const Observed& cache,
                                       const T& object, std::string_view finalizer,
                                       const Deadline& deadline) {
  if (object.metadata.has_finalizer(finalizer)) return FinalizerStep::Present;
  if (object.metadata.deleting()) return FinalizerStep::TooLate;
  const auto written = TRY(kube::add_finalizer(client, object, finalizer, deadline));
  if (written) consistency.wrote(kube::key_of(object), cache, written->metadata.resource_version);
  return FinalizerStep::Added;
}

// Success also when the object is gone already.
template <kube::Kind T>
Result<void> drop_finalizer(kube::Client& client, Consistency& consistency, const Observed& cache,
                            const T& object, std::string_view finalizer, const Deadline& deadline) {
  const auto written = kube::remove_finalizer(client, object, finalizer, deadline);
  if (!written && written.error().code == Code::NotFound) return {};
  if (!written) return fail(written.error());
  if (!*written) return {};
  const auto& left = (*written)->metadata;
  // The last finalizer takes the object with it, and its last version is then never seen as a change.
  if (left.deleting() && left.finalizers->empty()) {
    consistency.went(kube::key_of(object), cache, object.metadata.uid);
  } else {
    consistency.wrote(kube::key_of(object), cache, left.resource_version);
  }
  return {};
}

}  // namespace capstan::runtime
