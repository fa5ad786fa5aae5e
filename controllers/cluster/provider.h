// What one provider object behind a Cluster says, read by the contract once per turn: what phases, conditions
// and counters are made of. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/contract/foreign.h"
#include "api/meta/condition.h"
#include "controllers/cluster/observation.h"

namespace capstan::controllers::cluster {

enum class Presence {
  NotReferred,
  Unreadable,  // it could not be found out; or a field of it has the wrong type
  Missing,
  OfAnother,  // it belongs to another Cluster
  Present,
};

struct Provider {
  Presence presence = Presence::NotReferred;
  std::string kind = {};
  std::string problem = {};  // why unreadable, or whose it is, with field and remedy
  bool deleting = false;
  bool done = false;  // provisioned (infrastructure), initialized (control plane)
  // What this Cluster owns besides: its reference was changed.
  std::string also_owned = {};
  // It says so only in the field of the older contract, which its CRD's label does not promise.
  std::string outdated = {};
  std::optional<api::ApiEndpoint> endpoint = {};
  std::vector<api::FailureDomain> failure_domains = {};  // infrastructure only
  api::contract::Failures failures = {};
  std::string described = {};                    // "<group/version>, Kind=<Kind> with name "x"", for failures
  std::optional<api::Condition> condition = {};  // Ready (infrastructure), Available (control plane)
  std::string condition_problem = {};
  std::optional<api::V1Beta1Condition> v1beta1_ready = {};

  bool here() const { return presence == Presence::Present; }
  bool operator==(const Provider&) const = default;
};

Provider read_infrastructure(const Referred& referred);
Provider read_control_plane(const Referred& referred);

}  // namespace capstan::controllers::cluster
