// Who may read our diagnostics: asked of the API server, as upstream does, by TokenReview and
// SubjectAccessReview. Answers are kept for a minute. Safe from any thread; a request waits for the API
// server.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/guarded.h"
#include "kube/client.h"
#include "runtime/endpoints.h"

namespace capstan::runtime {

// The client and the clock live longer.
Gatekeeper ask_api_server(kube::Client& client, const Clock& clock);

}  // namespace capstan::runtime
