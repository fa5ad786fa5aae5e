// Where a Machine is in its life, from what is seen of it, its infrastructure and its Node: the rules behind
// the condition capstan.dev/Lifecycle. Used by the Machine controller, and by the owners of Machines, who ask
// again before they act. Pure.
#pragma once

#include <optional>
#include <string>

#include "api/core/node.h"
#include "controllers/lifecycle/contact.h"
#include "controllers/lifecycle/phase.h"
#include "controllers/lifecycle/rules.h"

namespace capstan::controllers::lifecycle {

struct Facts {
  Time now = {};
  const api::Machine& machine;  // with what this turn has found out of it
  bool node_known = false;      // otherwise nothing can be said of its Node
  const api::Node* node = nullptr;
  Contact contact = {};
  bool node_deleted = false;  // there is none, and the API server has confirmed that
};
// So long after a cluster was reached again a missing Node proves nothing: kubelets may be about to register.
inline constexpr Seconds kLostNodeGrace{60};
// Whether a look at the API server for a Node that the cache does not show would change anything.
bool asks_for_lost_node(const Facts& facts, const Rules& rules);

struct Verdict {
  Phase phase = Phase::Creating;
  std::string message = {};             // as for people: operation, code, what is wrong, since when
  std::optional<Seconds> recheck = {};  // when time alone may change it
  bool operator==(const Verdict&) const = default;
};

// Nothing: nothing new can be said.
std::optional<Verdict> judge(const Facts& facts, const Rules& rules);

// Its owner may replace it for what it has been suffering from since it left Running.
bool is_granted(const api::Machine& machine);
// The value of the annotation that grants it; empty unless it is Unhealthy or Failed.
std::string grant_for(const api::Machine& machine);

// When it will have been Unhealthy, or not Running, for too long; nothing: never, or nothing counts now.
std::optional<Time> health_ends(const api::Machine& machine, const Rules& rules, const Contact& contact);
std::optional<Time> creation_ends(const api::Machine& machine, const Rules& rules, const Contact& contact);

// It says that it has failed, and by its rules and the contact there is now that still holds.
struct AskedAgain {
  Time now = {};
  Contact contact = {};
};
bool has_failed_for_good(const api::Machine& machine, const Rules& rules, const AskedAgain& when);

}  // namespace capstan::controllers::lifecycle
