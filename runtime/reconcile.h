// One turn of one key: what every reconciler implements and what it is given. A request is only a key, never
// an event and never an object: the reconciler looks at the state of the world, acts, and says when to look
// again.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <string>

#include "base/deadline.h"
#include "base/log.h"
#include "base/result.h"
#include "kube/resource.h"

namespace capstan::runtime {

using kube::ObjectKey;

// How a turn ended well. An error is the other way: then the key backs off.
struct Outcome {
  std::optional<Nanoseconds> again = {};  // look again so long from now, whatever happens
  Nanoseconds quiet = {};                 // gather events of this key until then

  static Outcome done() { return {}; }
  static Outcome after(Nanoseconds span) { return {.again = span}; }
  // After a plan's recheck, if it has one.
  template <std::same_as<std::optional<Seconds>> Recheck>
  static Outcome after(const Recheck& span) {
    return span ? after(Nanoseconds(*span)) : done();
  }
  // Nothing that happens to this key matters before the span is over (a drain that is retried every 20 s).
  Outcome quiet_for(Nanoseconds span) const { return {.again = again, .quiet = std::max(quiet, span)}; }
  // The sooner of two reasons to look again.
  Outcome or_sooner(const Outcome& other) const {
    Outcome both = *this;
    if (other.again) both.again = again ? std::min(*again, *other.again) : *other.again;
    both.quiet = std::max(quiet, other.quiet);
    return both;
  }
  bool operator==(const Outcome&) const = default;
};

struct Context {
  Log log = {};            // carries controller, object and reconcileID
  Deadline deadline = {};  // of this turn; stops when the controller does
  std::string reconcile_id = {};
  // The caches have seen everything this controller wrote for the key. Otherwise the turn may report, but
  // must not create or delete; `stale` says for a condition what is missing.
  bool fresh = true;
  std::string stale = {};
};

class Reconciler {
 public:
  virtual ~Reconciler() = default;
  // Called by many workers at once, but never twice at once for one key.
  virtual Result<Outcome> reconcile(const Context& context, const ObjectKey& key) = 0;
};

}  // namespace capstan::runtime
