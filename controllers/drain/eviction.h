// When the eviction of one Pod is tried (again), and what its answer means. Pure; what was tried last is
// remembered by the drainer and may be lost: then a Pod is asked for once more.
#pragma once

#include <string>
#include <vector>

#include "api/core/pod.h"
#include "api/core/pod_disruption_budget.h"
#include "base/error.h"
#include "base/time.h"
#include "runtime/snapshot.h"

namespace capstan::controllers::drain {

using Budgets = std::vector<runtime::Snapshot<api::PodDisruptionBudget>>;

// What the answer to an eviction depends on, as far as we see it. Another one is a reason to ask again, if
// it leaves hope.
struct Outlook {
  bool open = false;  // the budgets, as we know them, let the Pod go
  api::Labels labels = {};
  api::Labels annotations = {};
  bool ready = false;
  Text phase = {};
  std::string budgets = {};  // those over the Pod, each with its version

  bool same_pod(const Outlook& other) const;
};
// `budgets`: of the Pod's Namespace; null while no watch has listed them: no reason to hope.
Outlook outlook_of(const api::Pod& pod, const Budgets* budgets);

struct Attempt {
  Time at = {};
  bool accepted = false;
  std::string failure = {};  // else: why not
  std::string shown = {};    // the same as users read it, in DrainProgress::failed
  bool by_budget = false;    // ... and whether it was for a budget
  Time failing_since = {};   // for something else, with all attempts since; unset: it is the first one
  Outlook outlook = {};      // at that time; `open` only if it has been so ever since
};

// Whether the budgets of its Namespace let the Pod go.
bool seems_evictable(const api::Pod& pod, const Budgets& budgets);
Budgets covering(const api::Pod& pod, const Budgets& budgets);
// What an answer says of the budgets over the Pod, for Pods that are asked for later in the same round:
// several changes of one budget must not be hoped for when it has room for one.
void spend(const api::Pod& pod, bool accepted, Budgets& budgets);

struct EvictionQuestion {
  const Attempt* last = nullptr;  // null: never tried
  Time started = {};              // the drain
  const Outlook* now = nullptr;   // null: nothing has changed
};
// A time in the past: now.
Time next_eviction(const EvictionQuestion& question);

enum class EvictionAnswer {
  Gone,
  Replaced,    // another Pod of that name has come: it has to be looked at anew
  CrowdedOut,  // it was not even asked for
  Failed,
};
EvictionAnswer answer_of(const Error& error);
// Too many of us ask this cluster at the moment. A server's refusal has a reason, the one made here has none.
bool is_our_own_brake(const Error& error);
bool is_budget_refusal(const Error& error);
// Bounded in length: it goes into a condition.
std::string failure_of(const Error& error);
// The same by now: with the numbers of the budget as they are, and the names of budgets that are too many.
std::string failure_by_now(const Attempt& last, const Budgets& covering);

}  // namespace capstan::controllers::drain
