// Steps that the turns of several controllers take alike: the status is written, a paused object is left
// alone, a deletion comes to its end, the errors of a turn become its end; and live reads that confirm what
// caches may not know yet. Block as the client does; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/shared/status_patch.h"
#include "controllers/shared/turn.h"
#include "runtime/finalizers.h"
#include "runtime/ownership.h"
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

// What the turn is about to do, for those who turned the verbosity up.
template <typename Plan>
void log_plan(const Log& log, const Plan& plan) {
  if (!log.enabled(Level::Debug)) return;
  for (const std::string& line : describe(plan)) log.debug("about to act", {{"action", line}});
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

// What a kind that is paused shows, and what holds its object until it is cleaned up.
struct Standstill {
  std::string_view finalizer = {};
  const runtime::Paused& pause;
  OwnedConditions owned = {};
};
// A paused object gets its finalizer and the condition that says why, and is left alone otherwise.
template <kube::WritableKind T>
Result<runtime::Outcome> keep_still(const ActContext& with, const runtime::Observed& cache, const T& object,
                                    const Standstill& how) {
  const auto step = TRY(runtime::ensure_finalizer(with.deps.client, with.host.consistency, cache, object,
                                                  how.finalizer, with.context.deadline));
  if (step == runtime::FinalizerStep::Added) return runtime::Outcome::done();
  TRY(write_pause(with, cache, object, how.pause, how.owned));
  return runtime::Outcome::done();
}

// The end of a deletion: our finalizer goes, and with the last one the object. Success also when it is gone
// already.
template <kube::Kind T>
Result<void> end_deletion(const ActContext& with, const runtime::Observed& cache, const T& object,
                          std::string_view finalizer) {
  return runtime::drop_finalizer(with.deps.client, with.host.consistency, cache, object, finalizer,
                                 with.context.deadline);
}

// Asked before an owner adopts: the caches may not know yet that it is being deleted with --cascade=orphan,
// and what the garbage collector has released must not be taken back.
template <kube::Kind T>
Result<bool> is_to_stay(const ActContext& with, const T& object) {
  const auto live = kube::get<T>(with.deps.client, kube::key_of(object), with.context.deadline);
  if (!live && live.error().code != Code::NotFound) return fail(live.error());
  return live && live->metadata.uid == object.metadata.uid && !live->metadata.deleting();
}

// A child that was to be deleted and has changed since, as the API server has it; nothing when it is gone, or
// when the garbage collector has released it.
template <kube::Kind T>
Result<std::optional<T>> still_controlled(const ActContext& with, const T& child, const api::Uid& owner) {
  auto live = kube::get<T>(with.deps.client, kube::key_of(child), with.context.deadline);
  if (!live && live.error().code == Code::NotFound) return std::optional<T>();
  if (!live) return fail(live.error());
  const bool same =
      live->metadata.uid == child.metadata.uid && runtime::is_controlled_by(live->metadata, owner);
  if (same) return std::optional(std::move(*live));
  with.context.log.info("not controlled by us any more", {{"name", child.metadata.name.view()}});
  return std::optional<T>();
}

// The first error fails the turn.
Result<void> none_failed(const std::vector<Error>& errors);

// The first error that is no lost race fails the turn. After a lost race the turn is repeated soon: the write
// of the faster one may have been seen before this turn began to wait for it.
Result<runtime::Outcome> ended(const std::vector<Error>& errors, const runtime::Outcome& otherwise);

}  // namespace capstan::controllers
