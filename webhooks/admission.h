// Puts the admission hooks on the endpoint: HTTP in, HTTP out. Used by the program's wiring, before the
// server starts; what is added is safe from any thread.
#pragma once

#include "webhooks/admission_kinds.h"
#include "webhooks/server.h"

namespace capstan::webhooks {

// `context.lookups` lives longer than the server.
void add_admission(Server& server, const AdmissionContext& context);

// What one path answers; apart from sockets, for tests. The HTTP status is always 200: an API server reads
// faults in the review.
net::HttpResponse answer_admission(const AdmissionHook& hook, const net::ServerRequest& request,
                                   const AdmissionContext& context);

}  // namespace capstan::webhooks
