#include "webhooks/server.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/time.h"
#include "base/try.h"
#include "net/pki.h"

namespace capstan::webhooks {
namespace {

// A conversion review carries a page of objects, twice when it is answered.
// Its callers are API servers, which are near and prompt: what takes longer than these times is something
// else.
constexpr net::ServerLimits kLimits{.max_body_bytes = 16U << 20,
                                    .max_held_body_bytes = 32U << 20,
                                    .max_connections = 256,
                                    .header_timeout = std::chrono::seconds(5),
                                    .body_timeout = std::chrono::seconds(10),
                                    .write_timeout = std::chrono::seconds(10)};
constexpr std::size_t kWorkers = 8;
constexpr int kAnswered = 200;
// Prometheus' own buckets, as upstream's dashboards expect them.
constexpr std::array kSeconds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0};

// One more while it lives, also when the answer throws.
class Counted {
 public:
  explicit Counted(const Gauge& gauge) : gauge_(gauge) { gauge_.add(); }
  ~Counted() { gauge_.add(-1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  const Gauge& gauge_;
};

net::HttpResponse text(int status, std::string body) {
  return {
      .status = status, .headers = {{"Content-Type", "text/plain; charset=utf-8"}}, .body = std::move(body)};
}

std::string_view path_of(const net::ServerRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

// Why API servers will refuse a certificate that the server can serve; nothing when they won't.
std::optional<std::string> complaint(const std::string& certificate_pem, const std::string& called_as,
                                     WallTime now) {
  const auto facts = net::read_certificate(certificate_pem);
  if (!facts) return std::nullopt;  // it can't be served either
  const auto at = [](WallTime time) { return Time::from(time).to_string(); };
  if (facts->not_after <= now) return "it has expired at " + at(facts->not_after);
  if (facts->not_before > now) return "it is not valid before " + at(facts->not_before);
  const auto& names = facts->dns_names;
  if (called_as.empty() || std::ranges::find(names, called_as) != names.end()) return std::nullopt;
  return "it is not for " + called_as;
}

}  // namespace

Server::Server(const ServerDeps& deps, ServerOptions options)
    : deps_(deps), options_(std::move(options)), files_(files()) {}

Server::~Server() { stop(); }

net::TlsFiles Server::files() const {
  const std::string folder = options_.certificate_folder.ends_with('/') ? options_.certificate_folder
                                                                        : options_.certificate_folder + "/";
  return {{folder + options_.certificate_name, folder + options_.key_name},
          [this](const net::TlsFiles::Contents& contents) {
            if (const auto why = complaint(contents[0], options_.called_as, deps_.clock.now()))
              deps_.log.error("API servers refuse the webhook certificate", {{"why", *why}});
            return net::server_tls({.certificate_pem = contents[0],
                                    .private_key_pem = Secret(contents[1]),
                                    .oldest = options_.oldest_tls});
          },
          options_.look_every};
}

void Server::add(std::string path, Answer answer) {
  Path measures = measured(path, std::move(answer));
  paths_.insert_or_assign(std::move(path), std::move(measures));
}

Server::Path Server::measured(std::string_view path, Answer answer) const {
  Path made{.answer = std::move(answer)};
  if (deps_.metrics == nullptr) return made;
  const auto requests = deps_.metrics->counters("controller_runtime_webhook_requests_total",
                                                "Reviews that were answered", {"webhook", "code"});
  made.answered = requests.with({path, "200"});
  made.failed = requests.with({path, "500"});
  made.seconds = deps_.metrics
                     ->histograms("controller_runtime_webhook_latency_seconds", "Time to answer a review",
                                  {"webhook"}, {kSeconds.begin(), kSeconds.end()})
                     .with({path});
  made.in_flight =
      deps_.metrics
          ->gauges("controller_runtime_webhook_requests_in_flight", "Reviews being answered", {"webhook"})
          .with({path});
  return made;
}

Result<std::shared_ptr<net::TlsContext>> Server::first_certificate() {
  if (!options_.certificate_folder.empty()) return files_.load();
  auto tls = handed_over_.with([](const Served& served) { return served.tls; });
  if (tls == nullptr) return fail(Code::NotFound, "none was handed over");
  return tls;
}

Result<void> Server::start() {
  auto tls = first_certificate();
  if (!tls)
    return fail(tls.error().context("webhook certificate (--webhook-port=0 runs without a webhook server)"));
  auto server = net::HttpServer::listen(deps_.io,
                                        {.address = options_.address,
                                         .port = options_.port,
                                         .tls = *std::move(tls),
                                         .workers = kWorkers,
                                         .limits = kLimits,
                                         .name = "webhooks"},
                                        [this](const net::ServerRequest& request, net::Responder& responder) {
                                          responder.respond(answer(request));
                                        });
  if (!server) return fail(server.error().context("webhook server"));
  server_ = *std::move(server);
  handed_over_.with([&](Served& served) {
    served.by = server_.get();
    if (served.tls != nullptr) server_->use_tls(served.tls);  // a newer one may have come meanwhile
  });
  listens_ = true;
  if (!options_.certificate_folder.empty())
    follower_ = deps_.threads.spawn("webhook-cert",
                                    [this](const std::stop_token& stop) { follow_certificate(stop); });
  deps_.log.info("webhook server listens", {{"port", server_->port()}});
  return {};
}

void Server::use_certificate(std::shared_ptr<net::TlsContext> tls) {
  handed_over_.with([&](Served& served) {
    served.tls = std::move(tls);
    if (served.by != nullptr) served.by->use_tls(served.tls);
  });
}

std::optional<std::string> Server::problem() const {
  if (listens_) return {};
  return "the webhook server does not listen yet";
}

void Server::stop() {
  listens_ = false;
  follower_.reset();
  handed_over_.with([](Served& served) { served.by = nullptr; });
  server_.reset();
}

net::HttpResponse Server::answer(const net::ServerRequest& request) const {
  const std::string_view path = path_of(request);
  if (path == "/healthz" || path == "/readyz") return text(200, "ok");
  const auto found = paths_.find(path);
  if (found == paths_.end()) return text(404, "no webhook has this path\n");
  if (request.method != "POST") return text(405, "only POST\n");
  const Path& asked = found->second;
  const Counted now(asked.in_flight);
  const SteadyTime began = deps_.clock.steady_now();
  auto response = asked.answer(request);
  asked.seconds.observe(std::chrono::duration<double>(deps_.clock.steady_now() - began).count());
  (response.status == kAnswered ? asked.answered : asked.failed).add();
  return response;
}

// A pair that is exchanged file by file fits together only at the end: whatever is wrong is said once, and
// the old certificate stays until there is a good one.
void Server::follow_certificate(const std::stop_token& stop) {
  std::string said;
  while (deps_.threads.pause(Deadline::in(deps_.clock, options_.look_every, stop)) != Woken::Stopped) {
    const auto fresh = files_.poll(deps_.clock.steady_now());
    if (!fresh) {
      if (said != fresh.error().message)
        deps_.log.error("webhook certificate is not exchanged", {{"error", fresh.error()}});
      said = fresh.error().message;
    } else if (*fresh != nullptr) {
      said.clear();
      server_->use_tls(*fresh);
      deps_.log.info("webhook certificate exchanged");
    }
  }
}

}  // namespace capstan::webhooks
