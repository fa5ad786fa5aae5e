// The brake of a person for the whole fleet: while the FleetPolicy carries the annotation capstan.dev/freeze
// no Machine of any Cluster is made or deleted by a controller. Drains are the FreezeBrake's
// (freeze_brake.h), which tells a user's deletion from another. Reads the caches at each question; safe from
// any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/policy/fleet_policy.h"
#include "controllers/safety/freeze.h"
#include "runtime/brake.h"

namespace capstan::controllers {
class Caches;
}  // namespace capstan::controllers

namespace capstan::controllers::safety {

// What the annotation says; nothing: the fleet is not frozen.
std::optional<std::string> fleet_freeze(const api::FleetPolicy& policy);

// What it says as the end of a sentence: ": \"incident 7\"". Empty where it says nothing.
std::string freeze_in_words(std::string_view why);

// As the condition capstan.dev/Frozen tells it; that of a Cluster for providers in other processes.
Frozen frozen_by_the_fleet(const Caches& caches);

class FleetFreezeBrake final : public runtime::Brake {
 public:
  explicit FleetFreezeBrake(const Caches& caches) : caches_(caches) {}
  runtime::Verdict ask(runtime::Intent intent, const runtime::Asker& asker) const override;

 private:
  const Caches& caches_;
};

}  // namespace capstan::controllers::safety
