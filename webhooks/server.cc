#include "webhooks/server.h"

#include <array>
#include <utility>

#include "base/try.h"

namespace capstan::webhooks {
namespace {

// A conversion review carries a page of objects, twice when it is answered.
constexpr net::ServerLimits kLimits{.max_body_bytes = 16U << 20, .max_connections = 256};
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

net::TlsFiles files_of(const ServerOptions& options) {
  const std::string folder = options.certificate_folder.ends_with('/') ? options.certificate_folder
                                                                       : options.certificate_folder + "/";
  return net::server_tls_files({.certificate = folder + options.certificate_name,
                                .private_key = folder + options.key_name,
                                .oldest = options.oldest_tls},
                               options.look_every);
}

}  // namespace

Server::Server(const ServerDeps& deps, ServerOptions options)
    : deps_(deps), options_(std::move(options)), files_(files_of(options_)) {}

Server::~Server() { stop(); }

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

Result<void> Server::start() {
  auto tls = files_.load();
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
  listens_ = true;
  follower_ =
      deps_.threads.spawn("webhook-cert", [this](const std::stop_token& stop) { follow_certificate(stop); });
  deps_.log.info("webhook server listens", {{"port", server_->port()}});
  return {};
}

std::optional<std::string> Server::problem() const {
  if (listens_) return {};
  return "the webhook server does not listen yet";
}

void Server::stop() {
  listens_ = false;
  follower_.reset();
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
