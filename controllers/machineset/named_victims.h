// Machines of a set that are named to go, by the set itself or by its MachineDeployment. Pure.
#pragma once

#include "controllers/lifecycle/victims.h"
#include "controllers/machineset/observation.h"

namespace capstan::controllers::machineset {

struct NamedVictims {
  lifecycle::Victims own = {};            // of the set's own annotation
  lifecycle::Victims of_deployment = {};  // of these the set's Machines alone

  bool none() const { return own.valid.empty() && of_deployment.valid.empty(); }
  bool has(const api::Machine& machine) const;
};
NamedVictims named_victims(const Observation& seen);

}  // namespace capstan::controllers::machineset
