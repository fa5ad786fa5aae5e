#include "controllers/safety/fleet_request.h"

#include <algorithm>
#include <array>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers::safety {
namespace {

namespace annotation = api::policy::annotation;

constexpr char kSinceMark = '~';
constexpr std::array kReasons = {api::policy::deletion::kRemediation, api::policy::deletion::kRollout,
                                 api::policy::deletion::kScaleIn, api::policy::deletion::kPreservationEnded};

}  // namespace

std::string to_text(const FleetRequest& request) {
  return request.reason + kSinceMark + request.since.to_string();
}

std::optional<FleetRequest> fleet_request_of(const api::Machine& machine) {
  const std::string_view text = machine.metadata.annotations.value_or_empty(annotation::kFleetRequest);
  const auto mark = text.find(kSinceMark);
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view reason = text.substr(0, mark);
  const auto since = Time::parse(text.substr(mark + 1));
  const bool is_known = std::ranges::find(kReasons, reason) != kReasons.end();
  if (!is_known || !since || !since->is_set()) return std::nullopt;
  return FleetRequest{.reason = std::string(reason), .since = *since};
}

bool has_fleet_grant(const api::Machine& machine) {
  return machine.metadata.annotations.contains(annotation::kFleetGrant);
}

bool concerns_fleet(const api::Machine& machine) {
  return has_fleet_grant(machine) || machine.metadata.annotations.contains(annotation::kFleetRequest);
}

bool is_worker(const api::Machine& machine) {
  return !machine.metadata.labels.contains(api::label::kControlPlane);
}

runtime::Snapshot<api::FleetPolicy> fleet_policy_of(const Caches& caches) {
  auto policy =
      caches.fleet_policies.get({.namespace_ = {}, .name = std::string(api::policy::kFleetPolicyName)});
  return policy && !policy->metadata.deleting() ? policy : nullptr;
}

bool limits_fleet(const Caches& caches) {
  const auto policy = fleet_policy_of(caches);
  return policy && !policy->spec.limits.empty();
}

bool has_granter(const Caches& caches) {
  const auto policy = fleet_policy_of(caches);
  return policy && policy->status.observed_generation > 0;
}

}  // namespace capstan::controllers::safety
