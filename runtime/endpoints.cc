#include "runtime/endpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/try.h"

namespace capstan::runtime {
namespace {

constexpr std::string_view kDebug = "/debug";

net::HttpResponse page(int status, std::string_view type, std::string body) {
  return {.status = status, .headers = {{"Content-Type", std::string(type)}}, .body = std::move(body)};
}
net::HttpResponse text(int status, std::string body) {
  return page(status, "text/plain; charset=utf-8", std::move(body));
}

std::string_view path_of(const net::ServerRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

bool is_read(const net::ServerRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

// Upstream answers 406 to other methods.
net::HttpResponse put(const Setting& setting, const net::ServerRequest& request) {
  if (request.method != "PUT") return text(406, "only PUT\n");
  const auto done = setting.put(request.body);
  return done ? text(200, *done) : text(400, done.error().message + "\n");
}

}  // namespace

Endpoints::Endpoints(net::IoPool& io, Metrics& metrics, Log log)
    : io_(io), metrics_(metrics), process_(std::make_unique<ProcessMetrics>(metrics)), log_(std::move(log)) {}
Endpoints::~Endpoints() = default;

Result<void> Endpoints::serve_probes(const ListenOn& where) {
  auto server = net::HttpServer::listen(
      io_, {.address = where.host, .port = where.port, .workers = 2, .name = "probes"},
      [this](const net::ServerRequest& request, net::Responder& responder) {
        responder.respond(is_read(request) ? probe(path_of(request)) : text(405, "only GET\n"));
      });
  probes_ = TRY(std::move(server));
  return {};
}

Result<void> Endpoints::serve_diagnostics(const ListenOn& where, std::shared_ptr<net::TlsContext> tls,
                                          Gatekeeper gatekeeper) {
  const bool metrics_only = tls == nullptr;
  auto server = net::HttpServer::listen(
      io_,
      {.address = where.host, .port = where.port, .tls = std::move(tls), .workers = 2, .name = "diagnostics"},
      [this, metrics_only, gatekeeper = std::move(gatekeeper)](const net::ServerRequest& request,
                                                               net::Responder& responder) {
        if (gatekeeper) {
          if (auto refusal = gatekeeper(request)) return responder.respond(*std::move(refusal));
        }
        responder.respond(diagnose(request, metrics_only));
      });
  diagnostics_ = TRY(std::move(server));
  return {};
}

void Endpoints::stop() {
  diagnostics_.reset();
  probes_.reset();
}

net::HttpResponse Endpoints::probe(std::string_view path) const {
  if (path == "/healthz") return text(200, "ok");
  if (path != "/readyz") return text(404, "there are /healthz and /readyz\n");
  std::string problems;
  for (const Check& check : checks_) {
    if (const auto problem = check.problem()) problems += check.name + ": " + *problem + "\n";
  }
  return problems.empty() ? text(200, "ok") : text(503, problems);
}

net::HttpResponse Endpoints::diagnose(const net::ServerRequest& request, bool metrics_only) const {
  const auto* setting = metrics_only ? nullptr : setting_at(path_of(request));
  if (setting != nullptr) return put(*setting, request);
  return is_read(request) ? read(path_of(request), metrics_only) : text(405, "only GET\n");
}

const Setting* Endpoints::setting_at(std::string_view path) const {
  const auto named = [&](const Setting& one) { return path == fmt::format("{}/{}", kDebug, one.name); };
  const auto found = std::ranges::find_if(settings_, named);
  return found == settings_.end() ? nullptr : &*found;
}

net::HttpResponse Endpoints::read(std::string_view path, bool metrics_only) const {
  if (path == "/metrics") {
    process_->refresh();
    for (const auto& refresh : refreshes_) refresh();
    return page(200, "text/plain; version=0.0.4; charset=utf-8", metrics_.text());
  }
  if (!metrics_only && path.starts_with(kDebug)) return debug_page(path.substr(kDebug.size()));
  return text(404, metrics_only ? "there is /metrics\n" : "there are /metrics and /debug\n");
}

net::HttpResponse Endpoints::debug_page(std::string_view name) const {
  if (name.starts_with('/')) name.remove_prefix(1);
  if (name.empty()) {
    boost::json::array names;
    for (const DebugPage& one : pages_) names.emplace_back("/debug/" + one.name);
    return page(200, "application/json", boost::json::serialize(names) + "\n");
  }
  for (const DebugPage& one : pages_) {
    if (one.name == name) return page(200, "application/json", boost::json::serialize(one.content()) + "\n");
  }
  return text(404, "no such page; /debug lists them\n");
}

}  // namespace capstan::runtime
