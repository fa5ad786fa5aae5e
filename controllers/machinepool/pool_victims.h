// Machines of a MachinePool that its annotation capstan.dev/victims names. Its provider chooses who goes when
// fewer are wanted: a named Machine gets cluster.x-k8s.io/delete-machine, which providers heed. Where no
// fewer are wanted the pool deletes it, and its provider makes another instance. Used by decide.h. Pure.
#pragma once

#include "controllers/lifecycle/victims.h"
#include "controllers/machinepool/plan.h"

namespace capstan::controllers::machinepool {

lifecycle::Victims named_victims(const Observation& seen);

// `wanted` is what is to be of `present`, and says with the next write that the provider takes it first. The
// mark of a user stays as it is; ours goes when the Machine is not named any more.
void mark_victim(const lifecycle::Victims& named, const api::Machine& present, api::Machine& wanted);

// What becomes of the annotation, and of named Machines that the provider will not take.
void settle_victims(const Observation& seen, Plan& plan);

}  // namespace capstan::controllers::machinepool
