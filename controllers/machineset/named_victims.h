// Machines of a set that are named to go, by the set itself or by its MachineDeployment. Pure.
#pragma once

#include "controllers/lifecycle/victims.h"
#include "controllers/machineset/observation.h"

namespace capstan::controllers::machineset {

struct NamedVictims {
  lifecycle::Victims own = {};            // of the set's own annotation
  lifecycle::Victims of_deployment = {};  // of these the set's Machines alone
  // As those of the deployment, but the set has not got the replicas yet that belong to them.
  lifecycle::Victims ahead = {};

  bool none() const { return own.valid.empty() && of_deployment.valid.empty(); }
  bool has(const api::Machine& machine) const;
  // Where fewer are wanted for another reason. Otherwise a named Machine would go beside that one.
  bool goes_first(const api::Machine& machine) const;
};
NamedVictims named_victims(const Observation& seen);

}  // namespace capstan::controllers::machineset
