// What a turn of a FleetPolicy is going to do: what its status holds then, and which Machines get or lose a
// grant. Made by decide.h, shown by report.h, carried out by act.h. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/policy/fleet_request.h"
#include "controllers/fleetpolicy/observation.h"

namespace capstan::controllers::fleetpolicy {

// The Machine may be deleted. Bound to the version that was seen.
struct GiveGrant {
  MachineSnapshot machine = {};
  bool operator==(const GiveGrant&) const = default;
};
// Neither its request nor its grant stands any more: its MachineSet did not use it in time, does not want it,
// or nothing here knows of it. Bound to the version that was seen.
struct TakeBack {
  MachineSnapshot machine = {};
  bool operator==(const TakeBack&) const = default;
};
// One VM of the Cluster that is no object's may be deleted. Bound to the version that was seen.
struct GrantOrphan {
  ClusterSnapshot cluster = {};
  bool operator==(const GrantOrphan&) const = default;
};
// The provider has used it, or did not in time, or nothing here knows of it. Bound to the version that was
// seen.
struct EndOrphanGrant {
  ClusterSnapshot cluster = {};
  bool operator==(const EndOrphanGrant&) const = default;
};
using Action = std::variant<GiveGrant, TakeBack, GrantOrphan, EndOrphanGrant>;

// A deletion that asks for a place.
struct Asked {
  std::string called = {};  // "Machine default/web-1"
  api::policy::FleetRequest request = {};
  bool operator==(const Asked&) const = default;
};

// Deletions without a place, the one that has waited longest, and what it waits for.
struct Waiting {
  std::int32_t count = 0;
  Asked longest = {};
  std::string why = {};
  bool operator==(const Waiting&) const = default;
};

struct Plan {
  std::vector<api::FleetGrant> grants = {};
  std::vector<api::FleetBucket> buckets = {};
  std::vector<Action> actions = {};
  Waiting waiting = {};
  std::optional<Seconds> recheck = {};
};

// A line per action, for logs and tests.
std::vector<std::string> describe(const Plan& plan);

}  // namespace capstan::controllers::fleetpolicy
