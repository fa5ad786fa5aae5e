#include "cmd/program/serving.h"

#include <map>
#include <memory>
#include <utility>

#include "base/guarded.h"
#include "base/try.h"
#include "cmd/program/diagnostics.h"
#include "cmd/program/flags.h"
#include "cmd/program/process.h"
#include "net/url.h"
#include "runtime/gatekeeper.h"

namespace capstan::program {
namespace {

std::string host_of(const std::string& server) {
  const auto url = net::parse_url(server);
  return url ? url->host + ":" + url->port : server;
}

// A series goes with its last handle, so that the handles stay here. From any thread.
class RequestCounts {
 public:
  RequestCounts(Metrics& metrics, std::string host)
      : host_(std::move(host)),
        family_(metrics.counters("rest_client_requests_total", "requests to the management cluster",
                                 {"code", "method", "host"})) {}

  void add(const kube::RequestRecord& request) {
    series_.with([&](Series& series) { counter(series, request).add(); });
  }

 private:
  using Series = std::map<std::pair<int, std::string>, Counter>;  // by status and method

  const Counter& counter(Series& series, const kube::RequestRecord& request) const {
    const auto [at, is_new] = series.try_emplace({request.status, std::string(request.method)});
    if (is_new) {
      const std::string code = request.status == 0 ? "<error>" : std::to_string(request.status);
      at->second = family_.with({code, request.method, host_});
    }
    return at->second;
  }

  const std::string host_;
  const CounterFamily family_;
  Guarded<Series> series_;
};

}  // namespace

net::TlsVersion oldest_tls(std::string_view tls_min_version) {
  return tls_min_version == "VersionTLS13" ? net::TlsVersion::Tls13 : net::TlsVersion::Tls12;
}

Result<void> serve_probes(runtime::Endpoints& endpoints, const ServedAt& at) {
  const auto where = TRY(parse_listen_address("health-addr", at.health));
  if (where.off) return {};
  return on_own_port(endpoints.serve_probes({.host = where.host, .port = where.port}));
}

Result<void> serve_diagnostics(runtime::Endpoints& endpoints, const ServedAt& at, kube::Client& client,
                               const Clock& clock) {
  const auto where = TRY(parse_listen_address("diagnostics-address", at.diagnostics));
  if (where.off) return {};
  const runtime::ListenOn listen{.host = where.host, .port = where.port};
  if (at.insecure) return on_own_port(endpoints.serve_diagnostics(listen, nullptr, {}));
  auto tls = TRY(self_signed_tls(clock, host_name(), oldest_tls(at.tls_min_version)));
  return on_own_port(
      endpoints.serve_diagnostics(listen, std::move(tls), runtime::ask_api_server(client, clock)));
}

Gauge leadership(Metrics& metrics, const std::string& lease) {
  return metrics.gauges("leader_election_master_status", "1 while this process holds the Lease", {"name"})
      .with({lease});
}

std::function<void(const kube::RequestRecord&)> count_requests(Metrics& metrics, const std::string& server) {
  return [counts = std::make_shared<RequestCounts>(metrics, host_of(server))](
             const kube::RequestRecord& request) { counts->add(request); };
}

}  // namespace capstan::program
