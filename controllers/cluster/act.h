// Does what a plan says. Every step is safe to repeat; a step that fails does not stop the others, except for
// the finalizer, which comes before everything. Blocks as the client does.
#pragma once

#include "controllers/cluster/effects.h"
#include "controllers/cluster/kubeconfig_keeper.h"
#include "controllers/shared/contests.h"
#include "controllers/shared/deps.h"
#include "controllers/shared/live_object.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::cluster {

struct ActContext {
  const Deps& deps;
  const Host& host;
  KubeconfigKeeper& kubeconfigs;
  LiveLooks& live_looks;
  Contests& contests;
};

Effects act(const ActContext& with, const runtime::Context& context, const Observation& seen,
            const Plan& plan);

}  // namespace capstan::controllers::cluster
