// Carries a plan out: one write to the Secret, then the bundles. Each write is good only for the version that
// was read, so two replicas that take the same turn do no harm; Conflict means: look again. Blocks as the
// client does.
#pragma once

#include "base/deadline.h"
#include "base/result.h"
#include "kube/client.h"
#include "webhooks/certificates/observation.h"
#include "webhooks/certificates/plan.h"

namespace capstan::webhooks::certificates {

struct ActContext {
  kube::Client& client;
  Deadline deadline = {};
  const kube::ObjectKey& secret;
  const ServedNames& names;
};

Result<void> act(const ActContext& context, const Observation& seen, const Plan& plan);

}  // namespace capstan::webhooks::certificates
