// Steps that the turns of several controllers take alike: the status is written, a paused object is left
// alone, the errors of a turn become its end. Block as the client does; safe from any thread.
#pragma once

#include <string_view>
#include <vector>

#include "controllers/shared/status_patch.h"
#include "controllers/shared/turn.h"
#include "runtime/paused.h"

namespace capstan::controllers {

// True when something was written; false when nothing differed, or the object is gone by now. `cache` is the
// one that brings the write back.
template <kube::WritableKind T>
Result<bool> write_status(const ActContext& with, const runtime::Observed& cache, const T& before,
                          const T& after, const OwnedConditions& owned) {
  const auto written = patch_status(with.deps.client, before, after, owned, Time::from(with.deps.clock.now()),
                                    with.context.deadline);
  if (!written && written.error().code == Code::NotFound) return false;
  if (!written) return fail(written.error());
  if (!*written) return false;
  with.host.consistency.wrote(kube::key_of(before), cache, (*written)->metadata.resource_version);
  return true;
}

// Of a paused object: nothing but the condition that says why is written.
template <kube::WritableKind T>
Result<void> write_pause(const ActContext& with, const runtime::Observed& cache, const T& object,
                         const runtime::Paused& pause, const OwnedConditions& owned) {
  auto verdict = runtime::judge_pause(pause, object.status.conditions, object.metadata.generation,
                                      Time::from(with.deps.clock.now()));
  if (verdict.step != runtime::PauseStep::Write) return {};
  T after = object;
  after.status.conditions = std::move(verdict.conditions);
  const auto written = write_status(with, cache, object, after, owned);
  if (!written) return fail(written.error());
  return {};
}

// The first error that is no lost race fails the turn. After a lost race the turn is repeated soon: the write
// of the faster one may have been seen before this turn began to wait for it.
Result<runtime::Outcome> ended(const std::vector<Error>& errors, const runtime::Outcome& otherwise);

}  // namespace capstan::controllers
