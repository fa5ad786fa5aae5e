// Carries out a plan: few requests, each safe to repeat. MachineSets are written by server-side apply of
// their whole intent, everything else by patches. Blocks as the client does.
#pragma once

#include <memory>
#include <vector>

#include "controllers/machinedeployment/plan.h"
#include "controllers/shared/contests.h"
#include "controllers/shared/deps.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::machinedeployment {

struct Effects {
  Snapshot<api::MachineDeployment> deployment = {};  // as it is by now; the base of the status patch
  std::vector<Error> errors = {};
  std::vector<Unadopted> unadopted = {};  // a refusal is no error
  bool gone = false;                      // the last finalizer is off

  bool failed() const { return !errors.empty(); }
};

struct ActContext {
  const Deps& deps;
  const Host& host;
  Contests& contests;
  const runtime::Context& context;
};
Effects act(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machinedeployment
