#include "controllers/machineset/named_victims.h"

#include <algorithm>

#include "api/names.h"
#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/lifecycle/rules.h"

namespace capstan::controllers::machineset {
namespace {

lifecycle::Victims read(const api::ObjectMeta& owner, const Observation& seen) {
  const auto objection = [&](std::string_view name) {
    const auto machine =
        std::ranges::find(seen.machines, name, [](const auto& each) { return each->metadata.name.view(); });
    return lifecycle::objection_to(machine == seen.machines.end() ? nullptr : machine->get());
  };
  return lifecycle::victims_in(
      lifecycle::victims_said(owner.annotations),
      {.now = seen.now,
       .expiry = lifecycle::victims_expiry(seen.policy ? &seen.policy->spec : nullptr),
       .objection = objection});
}

// The replicas that came in the same write as the names have reached the set: otherwise another Machine would
// be made for each of them, and one more would have to go then.
bool has_its_replicas(const Observation& seen) {
  if (is_off(Safeguard::VictimsAwaitReplicas)) return true;
  const auto& wanted = seen.deployment->spec.replicas;
  return wanted && seen.stored->metadata.annotations.value_or_empty(api::annotation::kDesiredReplicas) ==
                       std::to_string(*wanted);
}

}  // namespace

bool NamedVictims::has(const api::Machine& machine) const {
  const auto name = machine.metadata.name.view();
  return own.names(name) || of_deployment.names(name);
}

bool NamedVictims::goes_first(const api::Machine& machine) const {
  return has(machine) || ahead.names(machine.metadata.name.view());
}

NamedVictims named_victims(const Observation& seen) {
  NamedVictims victims{.own = read(seen.stored->metadata, seen)};
  if (!seen.deployment) return victims;
  (has_its_replicas(seen) ? victims.of_deployment : victims.ahead) = read(seen.deployment->metadata, seen);
  return victims;
}

}  // namespace capstan::controllers::machineset
