// What informers know of the API server of the management cluster. Safe from any thread.
#pragma once

#include <vector>

#include "base/clock.h"
#include "controllers/safety/api_loss.h"
#include "runtime/informer.h"

namespace capstan::controllers::safety {

// Failing once no watch gets an answer; after that has lasted for longer than the grace, until each of them
// has got one: what a cache has not heard of yet may be any change of that time. A watch that is merely
// silent proves nothing: where no object changes the server says nothing for up to a minute. One kind alone
// whose watch fails is no loss of the server.
ApiHealth management_health(const std::vector<runtime::InformerState*>& informers, const Clock& clock,
                            Seconds grace);

}  // namespace capstan::controllers::safety
