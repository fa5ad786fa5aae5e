// How the registry gets a Client for a workload cluster: the one place that knows whether there is a network.
// The product dials HTTP, simulations hand out clients of servers in memory. Called from the registry's
// threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "base/threads.h"
#include "kube/client.h"
#include "kube/connection.h"
#include "kube/remote_client.h"

namespace capstan::kubeconfig {

// Of each workload cluster.
struct Limits {
  kube::RateLimit rate = {.qps = 20, .burst = 30};  // --clustercache-client-qps, -burst
  std::size_t connections = 2;                      // beside the watch
  Nanoseconds idle_timeout = std::chrono::seconds(30);
  Nanoseconds connect_timeout = std::chrono::seconds(5);
  std::string user_agent = {};  // empty: RemoteClient's own
};

// Does not wait for the network: whether the server answers shows with the first request. Errors name what is
// wrong with the settings.
using Dial =
    std::function<Result<std::unique_ptr<kube::Client>>(const kube::Connection& to, const Limits& limits)>;

// Over HTTP. What is in `seams` lives longer than every client. `addresses`: where connections may lead that
// come from a Secret.
Dial remote_dial(const kube::RemoteClient::Seams& seams, net::ProxyRules proxies = {},
                 net::AddressRules addresses = {},
                 std::function<void(const kube::RequestRecord&)> on_request = {});

// What a connection asks at rest, whether its server is still there.
inline constexpr std::string_view kProbePath = "/";
// For on_request: capstan_workload_requests_total by method, code and use, which is watch, probe or request.
// All workload clusters together. `metrics` lives longer.
std::function<void(const kube::RequestRecord&)> count_requests(Metrics& metrics);

}  // namespace capstan::kubeconfig
