// When the eviction of one Pod is tried (again), and what its answer means. Pure; what was tried last is
// remembered by the drainer and may be lost: then a Pod is evicted once more.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "api/core/pod.h"
#include "api/core/pod_disruption_budget.h"
#include "base/error.h"
#include "base/time.h"
#include "runtime/store.h"

namespace capstan::controllers::machine {

struct Attempt {
  Time at = {};
  bool accepted = false;
  std::string failure = {};  // else: why not, as in DrainProgress::failed
  bool hopeful = false;      // at that time, or ever since, the budgets seemed to allow it
};

// Whether the budgets of its Namespace, as we know them, let the Pod go.
bool seems_evictable(const api::Pod& pod,
                     std::span<const runtime::Snapshot<api::PodDisruptionBudget>> budgets);

struct EvictionQuestion {
  const Attempt* last = nullptr;  // null: never tried
  Time started = {};              // the drain
  bool hopeful = false;           // now
};
// A time in the past: now.
Time next_eviction(const EvictionQuestion& question);

enum class EvictionAnswer {
  Gone,
  Replaced,  // another Pod of that name has come: it has to be looked at anew
  Failed,
};
EvictionAnswer answer_of(const Error& error);
// The budget, or several, or their controller says no: worth watching them.
bool is_budget_refusal(const Error& error);
std::string failure_of(const Error& error);

}  // namespace capstan::controllers::machine
