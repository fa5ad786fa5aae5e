#include "infrastructure/remote/server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/try.h"
#include "infrastructure/remote/respond.h"

namespace capstan::infrastructure::remote {
namespace {

constexpr std::size_t kMostRequestBytes = 1U << 20;
constexpr std::size_t kCallsAtOnce = 64;
constexpr std::size_t kKeptCalls = 1'000'000;  // on one connection
constexpr std::time_t kKeepSeconds = 5;        // stop() waits for idle connections as long
constexpr int kWaitingCallers = 128;
constexpr Nanoseconds kLookForStart = std::chrono::milliseconds(1);
constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

std::unique_ptr<httplib::Server> server_for(const Endpoint& at, const TlsPaths& tls) {
  if (!at.socket.empty()) {
    auto server = std::make_unique<httplib::Server>();
    server->set_address_family(AF_UNIX);
    return server;
  }
  auto server =
      std::make_unique<httplib::SSLServer>(tls.certificate.c_str(), tls.key.c_str(), tls.authority.c_str());
  server->set_tcp_nodelay(true);
  return server;
}

// Of a server that is gone; what is no socket stays.
void remove_socket(const std::string& path) {
  struct stat found = {};
  if (!path.empty() && ::lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) ::unlink(path.c_str());
}

}  // namespace

class DriverServer::Parts {
 public:
  Parts(const DriverServerDeps& deps, Endpoint at, const TlsPaths& tls)
      : deps_(deps), at_(std::move(at)), server_(server_for(at_, tls)) {
    server_->set_payload_max_length(kMostRequestBytes);
    server_->set_keep_alive_max_count(kKeptCalls);
    server_->set_keep_alive_timeout(kKeepSeconds);
    server_->set_socket_options([this](int descriptor) { descriptor_ = descriptor; });
    server_->new_task_queue = [] { return new httplib::ThreadPool(kCallsAtOnce); };
    server_->Post(std::string(kPathPrefix) + "(\\w+)",
                  [this](const auto& request, auto& response) { serve(request, response); });
  }
  ~Parts() { stop(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  Result<void> start();
  void stop();
  std::uint16_t port() const { return port_; }

 private:
  Result<void> bind();
  int bound_port();
  void serve(const httplib::Request& request, httplib::Response& response);

  const DriverServerDeps deps_;
  const Endpoint at_;
  const std::unique_ptr<httplib::Server> server_;
  int descriptor_ = -1;  // the library's
  std::uint16_t port_ = 0;
  std::stop_source stopping_;
  std::unique_ptr<Thread> thread_;
};

// Negative: none. The port of a socket means nothing, but must not be 0.
int DriverServer::Parts::bound_port() {
  if (!at_.socket.empty()) return server_->bind_to_port(at_.socket, 1) ? 1 : -1;
  if (at_.port == 0) return server_->bind_to_any_port(at_.host);
  return server_->bind_to_port(at_.host, at_.port) ? at_.port : -1;
}

Result<void> DriverServer::Parts::bind() {
  if (!server_->is_valid())
    return fail(Code::Invalid, "the certificate, its key or the authority can't be read");
  const int port = bound_port();
  if (port < 0) return fail(Code::Unavailable, "can't listen at " + at_.describe());
  port_ = static_cast<std::uint16_t>(port);
  return {};
}

// The library lets five callers wait for it to take their connection; the sixth would be refused. And stop()
// has no effect before its loop runs.
Result<void> DriverServer::Parts::start() {
  remove_socket(at_.socket);
  TRY(bind());
  if (!at_.socket.empty()) ::chmod(at_.socket.c_str(), kOwnerOnly);
  ::listen(descriptor_, kWaitingCallers);
  thread_ =
      deps_.threads.spawn("driver server", [this](const std::stop_token&) { server_->listen_after_bind(); });
  while (!server_->is_running()) deps_.threads.pause(Deadline::in(deps_.clock, kLookForStart));
  return {};
}

void DriverServer::Parts::stop() {
  if (!thread_) return;
  stopping_.request_stop();
  server_->stop();
  thread_.reset();
  remove_socket(at_.socket);
}

void DriverServer::Parts::serve(const httplib::Request& request, httplib::Response& response) {
  const Answer answer = respond(deps_.driver, std::string_view(request.matches[1].str()), request.body,
                                deps_.clock, Deadline::never(stopping_.get_token()));
  response.status = answer.status;
  response.set_content(answer.body, "application/json");
}

DriverServer::DriverServer(const DriverServerDeps& deps, Endpoint at, TlsPaths tls)
    : parts_(std::make_unique<Parts>(deps, std::move(at), tls)) {}
DriverServer::~DriverServer() = default;

Result<void> DriverServer::start() { return parts_->start(); }
void DriverServer::stop() { parts_->stop(); }
std::uint16_t DriverServer::port() const { return parts_->port(); }

}  // namespace capstan::infrastructure::remote
