// What a process says about itself: /healthz and /readyz for the kubelet, /metrics and /debug for
// people. Probes have a port and threads of their own, so that nothing can starve them. Diagnostics are
// either TLS with TokenReview and SubjectAccessReview, or plain and metrics only. Checks and pages are added
// before start; safe from any thread afterwards.
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "net/http_server.h"
#include "runtime/process_metrics.h"

namespace capstan::runtime {

// Nothing when all is well; otherwise what is not, for /readyz.
struct Check {
  std::string name = {};
  std::function<std::optional<std::string>()> problem = {};
};

// One entry of /debug.
struct DebugPage {
  std::string name = {};
  std::function<boost::json::value()> content = {};
};

// One entry of /debug that a PUT changes: what to answer, or what is wrong with the body.
struct Setting {
  std::string name = {};
  std::function<Result<std::string>(std::string_view body)> put = {};
};

// May this request for diagnostics be answered? Nothing: yes.
using Gatekeeper = std::function<std::optional<net::HttpResponse>(const net::ServerRequest&)>;

struct ListenOn {
  std::string host = {};
  std::uint16_t port = 0;
};

class Endpoints {
 public:
  Endpoints(net::IoPool& io, Metrics& metrics, Log log);
  ~Endpoints();
  Endpoints(const Endpoints&) = delete;
  Endpoints& operator=(const Endpoints&) = delete;

  void add_check(Check check) { checks_.push_back(std::move(check)); }
  void add_page(DebugPage page) { pages_.push_back(std::move(page)); }
  void add_setting(Setting setting) { settings_.push_back(std::move(setting)); }
  // Run before every scrape: gauges that are computed when asked.
  void before_scrape(std::function<void()> refresh) { refreshes_.push_back(std::move(refresh)); }

  Result<void> serve_probes(const ListenOn& where);
  // `tls` null: plain HTTP, /metrics only, without authentication.
  Result<void> serve_diagnostics(const ListenOn& where, std::shared_ptr<net::TlsContext> tls,
                                 Gatekeeper gatekeeper);
  void stop();
  std::uint16_t probes_port() const { return probes_ ? probes_->port() : 0; }
  std::uint16_t diagnostics_port() const { return diagnostics_ ? diagnostics_->port() : 0; }

  // What the two servers answer; apart from sockets, for tests.
  net::HttpResponse probe(std::string_view path) const;
  net::HttpResponse diagnose(const net::ServerRequest& request, bool metrics_only) const;

 private:
  net::HttpResponse read(std::string_view path, bool metrics_only) const;
  net::HttpResponse debug_page(std::string_view name) const;
  const Setting* setting_at(std::string_view path) const;

  net::IoPool& io_;
  Metrics& metrics_;
  const std::unique_ptr<ProcessMetrics> process_;  // refreshed before every scrape
  const Log log_;
  std::vector<Check> checks_;
  std::vector<DebugPage> pages_;
  std::vector<Setting> settings_;
  std::vector<std::function<void()>> refreshes_;
  std::unique_ptr<net::HttpServer> probes_;
  std::unique_ptr<net::HttpServer> diagnostics_;
};

}  // namespace capstan::runtime
