#include "kubeconfig/dial.h"

#include <utility>

#include "base/try.h"

namespace capstan::kubeconfig {
namespace {

std::string_view use_of(const kube::RequestRecord& request) {
  if (request.stream) return "watch";
  return request.path == kProbePath ? "probe" : "request";
}

}  // namespace

Dial remote_dial(const kube::RemoteClient::Seams& seams, net::ProxyRules proxies, net::AddressRules addresses,
                 std::function<void(const kube::RequestRecord&)> on_request) {
  return [seams, proxies = std::move(proxies), addresses = std::move(addresses),
          on_request = std::move(on_request)](const kube::Connection& to,
                                              const Limits& limits) -> Result<std::unique_ptr<kube::Client>> {
    return TRY(kube::RemoteClient::make(seams, to,
                                        {.user_agent = limits.user_agent,
                                         .rate_limit = limits.rate,
                                         .max_connections = limits.connections,
                                         .idle_timeout = limits.idle_timeout,
                                         .connect_timeout = limits.connect_timeout,
                                         .proxies = proxies,
                                         .addresses = addresses,
                                         .on_request = on_request}));
  };
}

std::function<void(const kube::RequestRecord&)> count_requests(Metrics& metrics) {
  return [family = metrics.counters("capstan_workload_requests_total", "requests to workload clusters",
                                    {"method", "code", "use"})](const kube::RequestRecord& request) {
    const std::string code = request.status == 0 ? "<error>" : std::to_string(request.status);
    family.with({std::string(request.method), code, std::string(use_of(request))}).add();
  };
}

}  // namespace capstan::kubeconfig
