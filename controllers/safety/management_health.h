// What informers know of the API server of the management cluster. Safe from any thread.
#pragma once

#include <vector>

#include "base/clock.h"
#include "controllers/safety/api_loss.h"
#include "runtime/informer.h"

namespace capstan::controllers::safety {

// Failing once no watch gets an answer. A watch that is merely silent proves nothing: where no object changes
// the server says nothing for up to a minute.
ApiHealth management_health(const std::vector<runtime::InformerState*>& informers, const Clock& clock);

}  // namespace capstan::controllers::safety
