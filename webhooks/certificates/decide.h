// What to do about the webhook certificates now. A rotation is: a new authority is made, every bundle names
// it beside the old one, all of them are read back, the settle time passes, the new certificate is served,
// every replica has had time to see that, the old authority is dropped. Nothing of it is remembered outside
// of the Secret and the bundles, so any replica may take any step. Pure.
#pragma once

#include "webhooks/certificates/observation.h"
#include "webhooks/certificates/plan.h"

namespace capstan::webhooks::certificates {

Plan decide(const Observation& seen);

}  // namespace capstan::webhooks::certificates
