#include "kubeconfig/dial.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "base/guarded.h"
#include "base/try.h"

namespace capstan::kubeconfig {
namespace {

std::string_view use_of(const kube::RequestRecord& request) {
  if (request.stream) return "watch";
  return request.path == kProbePath ? "probe" : "request";
}

// A series goes with its last handle, so that the handles stay here.
class RequestCounts {
 public:
  explicit RequestCounts(Metrics& metrics)
      : family_(metrics.counters("capstan_workload_requests_total", "requests to workload clusters",
                                 {"method", "code", "use"})) {}

  void add(const kube::RequestRecord& request) {
    series_.with([&](Series& series) { counter(series, request).add(); });
  }

 private:
  using Key = std::tuple<std::string, int, std::string_view>;  // method, status, use
  using Series = std::map<Key, Counter>;

  const Counter& counter(Series& series, const kube::RequestRecord& request) const {
    const std::string_view use = use_of(request);
    const auto [at, is_new] = series.try_emplace({std::string(request.method), request.status, use});
    if (is_new) {
      const std::string code = request.status == 0 ? "<error>" : std::to_string(request.status);
      at->second = family_.with({request.method, code, use});
    }
    return at->second;
  }

  CounterFamily family_;
  Guarded<Series> series_;
};

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
  return [counts = std::make_shared<RequestCounts>(metrics)](const kube::RequestRecord& request) {
    counts->add(request);
  };
}

}  // namespace capstan::kubeconfig
