// How far the machine of a CloudConfig is on its way into the cluster, by what the caches say: what observe.h
// reads live follows from it, and what decide.h does. Pure.
#pragma once

#include <optional>

#include "api/bootstrap/names.h"
#include "bootstrap/controller/observation.h"
#include "runtime/paused.h"
#include "runtime/readiness.h"

namespace capstan::bootstrap::controller {

enum class Stage {
  Plain,         // no spec.join: files and commands only
  ControlPlane,  // gets the CA and no token
  Joining,       // has or gets a token
  Leaving,       // its token has to go
  Settled,       // it has joined or goes, and has no token
};
Stage stage_of(const Observation& seen);

runtime::Paused paused_by(const Observation& seen);

bool data_created(const Observation& seen);

// There may be one in the workload cluster, as the CloudConfig says.
bool may_have_token(const api::CloudConfig& config);

// What has to be there before anything is read live; nothing: it is.
std::optional<runtime::Waiting> obstacle(const Observation& seen);

// The name of the data Secret, there or to be.
api::ObjectKey data_key(const Observation& seen);

}  // namespace capstan::bootstrap::controller
