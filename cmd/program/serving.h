// What a program serves about itself, the same for capstan and capstan-provider: probes, diagnostics, and
// metrics of its requests. Called by their wiring, from its thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "kube/client.h"
#include "kube/remote_client.h"
#include "net/tls.h"
#include "runtime/endpoints.h"

namespace capstan::program {

// As their flags say it.
struct ServedAt {
  std::string health = {};       // --health-addr
  std::string diagnostics = {};  // --diagnostics-address
  bool insecure = false;         // --insecure-diagnostics
  std::string tls_min_version = {};
};

net::TlsVersion oldest_tls(std::string_view tls_min_version);

Result<void> serve_probes(runtime::Endpoints& endpoints, const ServedAt& at);
// The API server behind `client` says who may read them.
Result<void> serve_diagnostics(runtime::Endpoints& endpoints, const ServedAt& at, kube::Client& client,
                               const Clock& clock);

// 1 while this process holds the Lease of that name. The handle is kept: the series goes with it.
Gauge leadership(Metrics& metrics, const std::string& lease);

// For on_request of a client: rest_client_requests_total, as upstream's client library counts them.
std::function<void(const kube::RequestRecord&)> count_requests(Metrics& metrics, const std::string& server);

}  // namespace capstan::program
