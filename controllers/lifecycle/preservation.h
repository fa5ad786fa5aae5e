// Which Machines are kept although they have failed, so that a person can look at them: at whose wish, and
// until when. Asked by the Machine controller, who writes it down, and by MachineSets before they delete.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/core/node.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/machine.h"

namespace capstan::controllers::lifecycle {

// What the annotation capstan.dev/preserve says, on a Machine or on its Node.
enum class Wish { Now, WhenFailed, Never };
std::optional<Wish> parse_wish(std::string_view value);
std::string_view to_string(Wish wish);

struct NodeLook {
  bool known = false;  // otherwise nothing is known of the Node
  const api::Node* node = nullptr;
};

struct Wishes {
  std::optional<Wish> wish = {};
  bool by_node = false;
  std::string_view key = api::policy::annotation::kPreserve;  // by which it is said
  std::string problem = {};  // a value that means nothing, and what it may be; two keys at odds
};
// The Node's wish wins. One that can't be seen, or says a word that means nothing, is taken at its last word.
Wishes wishes_for(const api::Machine& machine, const NodeLook& look);

// It is, or was until a moment ago: the annotation with its end is there still.
bool was_preserved(const api::Machine& machine);

struct PreservationRules {
  Seconds timeout = Seconds(api::PolicyPreservation::kTimeoutSeconds);
  bool release_on_recovery = false;
};
PreservationRules preservation_rules(const api::MachineLifecyclePolicySpec* policy);  // null: there is none

enum class Preserved {
  No,
  NotYet,    // when it fails
  Refused,   // it was asked not to
  Yes,       // until `until`
  TimeOver,  // it was, until `until`
};
struct Preservation {
  Preserved state = Preserved::No;
  Time until = {};  // set in Yes and TimeOver
  Wishes wishes = {};
};
struct PreservationFacts {
  Time now = {};
  const api::Machine& machine;
  NodeLook node = {};
  PreservationRules rules = {};
  bool keeper_gone = false;  // the policy that preserved it without being asked for
};
Preservation preservation_of(const PreservationFacts& facts);

// Given up by the policy of its life, or by a health check that handed it to its owner.
bool has_failed(const api::Machine& machine);
// It has failed, or says again that it is Unhealthy while it waits for a place among those that are replaced.
bool is_lost(const api::Machine& machine);
// By the policy, without being asked for.
bool is_auto_preserved(const api::Machine& machine);
// What its annotation says; nothing: it is not preserved. In the place of a time that can't be read: from
// where the condition says that it began, for capstan.dev/preserve-timeout-seconds of it, or 72 hours.
std::optional<Time> preserved_until(const api::Machine& machine);

// It has failed, and is there only to be looked at: no work is to be expected of it.
bool is_preserved_failure(const api::Machine& machine);

// A Machine that has failed is not to be deleted now: it is preserved, or is about to be. An end that is not
// written yet does not count, so that the Machine controller alone ends a preservation.
bool is_kept(const api::Machine& machine, const NodeLook& look, Time now);

}  // namespace capstan::controllers::lifecycle
