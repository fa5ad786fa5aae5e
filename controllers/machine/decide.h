// What is to become of a Machine, apart from its deletion: what to write on it, on the provider's objects and
// on its Node, and what users should hear. Pure functions; act.h does it, report.h turns it into conditions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/machine/node_sync.h"
#include "controllers/machine/observe.h"
#include "controllers/machine/providers.h"

namespace capstan::controllers::machine {

struct Settings {
  NodeSyncRules node_sync = {};
  // How long conditions of a Node are believed when its cluster can't be reached
  // (--remote-conditions-grace-period).
  Seconds conditions_grace = std::chrono::minutes(5);
  // How long a status that nobody acts upon may wait for more news.
  Nanoseconds gather = std::chrono::seconds(1);
};

// An Event to be.
struct Note {
  bool warning = false;
  bool at_once = false;  // otherwise with the status that says the same
  std::string_view reason = {};
  std::string message = {};
  bool operator==(const Note&) const = default;
};

struct Plan {
  // Nothing can be said yet: a cache is still being filled. Write nothing, look again so soon.
  std::optional<Nanoseconds> too_early = {};

  api::Machine wanted = {};  // the Machine after this turn, conditions apart
  BootstrapFinding bootstrap = {};
  InfraFinding infra = {};
  std::optional<NodeChange> node_change = {};

  std::vector<Note> notes = {};
  std::vector<std::string> troubles = {};  // what can't go on; keeps observedGeneration back
  std::optional<Seconds> recheck = {};
};
Plan decide(const Observation& seen, const Settings& settings);

// "Nodes a, b have the same spec.providerID ...": for the condition and the Event.
std::string duplicate_nodes(const Observation& seen);

inline constexpr std::string_view kClusterMissingEvent = "ClusterNotFound";
inline constexpr std::string_view kReferenceEvent = "InvalidReference";
// Reasons of NodeReady and NodeHealthy, and of an Event: other objects claim the Machine's providerID.
inline constexpr std::string_view kInstanceOfAnother = "InstanceOfAnother";
inline constexpr std::string_view kInstanceContested = "InstanceContested";
std::string_view reason_of(const claims::Verdict& verdict);

}  // namespace capstan::controllers::machine
