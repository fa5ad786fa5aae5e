// The brake of a person for the whole fleet: while the FleetPolicy carries the annotation capstan.dev/freeze
// no Machine of any Cluster is made or deleted by a controller. What a user has deleted goes on, its drain
// with it. Reads the caches at each question; safe from any thread.
#pragma once

#include <optional>
#include <string>

#include "api/policy/fleet_policy.h"
#include "runtime/brake.h"

namespace capstan::controllers {
class Caches;
}  // namespace capstan::controllers

namespace capstan::controllers::safety {

// What the annotation says; nothing: the fleet is not frozen.
std::optional<std::string> fleet_freeze(const api::FleetPolicy& policy);

class FleetFreezeBrake final : public runtime::Brake {
 public:
  explicit FleetFreezeBrake(const Caches& caches) : caches_(caches) {}
  runtime::Verdict ask(runtime::Intent intent, const runtime::Asker& asker) const override;

 private:
  const Caches& caches_;
};

}  // namespace capstan::controllers::safety
