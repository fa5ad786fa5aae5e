#include "apiserver/http/server.h"

#include <atomic>

#include "api/schema/yaml.h"
#include "apiserver/admission/webhooks.h"
#include "apiserver/http/http.h"
#include "base/base64.h"
#include "base/try.h"
#include "net/pki.h"
#include "net/tls.h"

namespace capstan::apiserver {
namespace {

constexpr auto kCertificateLife = std::chrono::hours(24 * 365);
constexpr auto kClockSkew = std::chrono::hours(1);

net::CertificateUse use(const Clock& clock, net::Subject subject) {
  const WallTime now = clock.now();
  return {.subject = std::move(subject), .not_before = now - kClockSkew, .not_after = now + kCertificateLife};
}

Result<net::KeyAndCertificate> server_certificate(const Clock& clock, const net::KeyAndCertificate& ca,
                                                  const ServerOptions& options) {
  auto wanted = use(clock, {.common_name = options.name});
  wanted.server = true;
  wanted.dns_names = {"localhost", "kubernetes"};
  wanted.ip_addresses = {"127.0.0.1", "::1"};
  if (options.address != "127.0.0.1") wanted.ip_addresses.push_back(options.address);
  return net::issue(ca, wanted);
}

Result<std::shared_ptr<net::TlsContext>> tls_of(const Clock& clock, const net::KeyAndCertificate& ca,
                                                const ServerOptions& options) {
  const auto certificate = TRY(server_certificate(clock, ca, options));
  return net::server_tls({.certificate_pem = certificate.certificate_pem,
                          .private_key_pem = certificate.private_key_pem,
                          .client_ca_pem = ca.certificate_pem,
                          .strangers = net::Strangers::Anonymous});
}

json::object named(std::string_view name, std::string_view member, json::object content) {
  return {{"name", name}, {member, std::move(content)}};
}

std::string kubeconfig_text(const std::string& name, const std::string& url, const std::string& ca_pem,
                            const net::KeyAndCertificate& client) {
  const json::object cluster{{"server", url}, {"certificate-authority-data", base64_encode(ca_pem)}};
  const json::object user{{"client-certificate-data", base64_encode(client.certificate_pem)},
                          {"client-key-data", base64_encode(client.private_key_pem.reveal())}};
  return api::write_yaml(json::object{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", name},
      {"clusters", json::array{named(name, "cluster", cluster)}},
      {"users", json::array{named("admin", "user", user)}},
      {"contexts", json::array{named(name, "context", {{"cluster", name}, {"user", "admin"}})}}});
}

}  // namespace

class Server::Impl {
 public:
  Impl(net::IoPool& io, const Clock& clock, Threads& threads, ServerOptions options,
       net::KeyAndCertificate ca)
      : clock_(clock),
        threads_(threads),
        options_(std::move(options)),
        ca_(std::move(ca)),
        auth_(options_.tokens),
        webhooks_(io, clock),
        api_({.clock = clock,
              .seed = options_.seed,
              .history = options_.history,
              .bookmark_every = options_.bookmark_every,
              .admission = &webhooks_,
              .converter = &webhooks_,
              .defects = options_.defects}),
        pump_(clock, threads),
        face_(api_, auth_, pump_) {
    webhooks_.serve(api_);
    api_.on_work([signal = work_] { signal->notify(); });
    controllers_ =
        threads_.spawn("api controllers", [this](const std::stop_token& stop) { run_controllers(stop); });
  }

  Result<void> listen(net::IoPool& io) {
    const auto tls = TRY(tls_of(clock_, ca_, options_));
    auto listening = net::HttpServer::listen(
        io,
        {.address = options_.address,
         .port = options_.port,
         .tls = tls,
         .workers = options_.workers,
         .name = options_.name},
        [this](const net::ServerRequest& request, net::Responder& responder) { answer(request, responder); });
    http_ = TRY(std::move(listening));
    return {};
  }

  ~Impl() {
    http_.reset();  // no more requests
    controllers_->request_stop();
    controllers_->join();
  }

  Result<std::string> kubeconfig() const {
    auto wanted = use(clock_, {.common_name = "admin", .organizations = {"system:masters"}});
    wanted.client = true;
    const auto client = TRY(net::issue(ca_, wanted));
    return kubeconfig_text(options_.name, url(), ca_.certificate_pem, client);
  }

  std::string url() const { return "https://" + options_.address + ":" + std::to_string(http_->port()); }

  const Clock& clock_;
  Threads& threads_;
  const ServerOptions options_;
  const net::KeyAndCertificate ca_;
  Auth auth_;
  Webhooks webhooks_;
  Api api_;
  WatchPump pump_;
  HttpFace face_;
  std::atomic<std::int64_t> delay_ = 0;  // nanoseconds before each answer
  const std::shared_ptr<Signal> work_ = std::make_shared<Signal>("work for the api's controllers");
  std::unique_ptr<Thread> controllers_;
  std::unique_ptr<net::HttpServer> http_;

 private:
  void answer(const net::ServerRequest& request, net::Responder& responder) {
    if (const Nanoseconds delay(delay_.load()); delay.count() > 0)
      threads_.pause(Deadline::in(clock_, delay, request.closed));
    face_.answer(request, responder);
  }

  void run_controllers(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const std::uint64_t seen = work_->count();
      if (api_.run_controllers()) continue;
      threads_.wait(*work_, seen, Deadline::never(stop));
    }
  }
};

Result<std::unique_ptr<Server>> Server::start(net::IoPool& io, const Clock& clock, Threads& threads,
                                              ServerOptions options) {
  const WallTime now = clock.now();
  auto ca = TRY(net::new_ca(options.name + "-ca", now - kClockSkew, now + kCertificateLife));
  auto impl = std::make_unique<Impl>(io, clock, threads, std::move(options), std::move(ca));
  TRY(impl->listen(io));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Api& Server::api() { return impl_->api_; }
Auth& Server::auth() { return impl_->auth_; }
std::uint16_t Server::port() const { return impl_->http_->port(); }
std::string Server::url() const { return impl_->url(); }
const std::string& Server::ca_pem() const { return impl_->ca_.certificate_pem; }
const net::KeyAndCertificate& Server::authority() const { return impl_->ca_; }
Result<std::string> Server::kubeconfig() const { return impl_->kubeconfig(); }
std::size_t Server::open_watches() const { return impl_->pump_.open_watches(); }
void Server::refuse(bool refused) {
  impl_->http_->pause_accepting(refused);
  if (refused) impl_->http_->close_connections();
}
void Server::drop_connections() { impl_->http_->close_connections(); }
void Server::slow_down(Nanoseconds answer) { impl_->delay_ = answer.count(); }
void Server::expire_watches() { impl_->api_.expire_watches(); }

}  // namespace capstan::apiserver
