// What the protocol of drivers adds to a call: p99 of `status` at a simulated cloud behind DriverServer,
// against a bare echo of cpp-httplib on the same transport, one call after the other, both in turns.
#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <thread>

#include "infrastructure/remote/http_transport.h"
#include "infrastructure/remote/remote_driver.h"
#include "infrastructure/remote/server.h"
#include "infrastructure/sim/cloud.h"
#include "net/pki.h"
#include "test/bench/bench_fleet.h"
#include "test/bench/figure.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::bench {
namespace {

namespace fs = std::filesystem;
namespace remote = infrastructure::remote;
using std::chrono::hours;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr int kRoundsOfCalls = 20;
constexpr int kCallsPerRound = 200;
constexpr infrastructure::sim::Latency kNone = {
    .create = nanoseconds(0), .remove = nanoseconds(0), .status = nanoseconds(0), .list = nanoseconds(0)};

// Files of a server and a client that one authority has signed.
class DriverCertificates {
 public:
  explicit DriverCertificates(const fs::path& folder) : folder_(folder) {
    const auto now = SystemClock().now();
    const auto ca = must(net::new_ca("drivers", now - hours(1), now + hours(1)));
    std::ofstream(folder_ / "ca.pem") << ca.certificate_pem;
    write("server", must(net::issue(ca, {.subject = {.common_name = "driver"},
                                         .ip_addresses = {"127.0.0.1"},
                                         .server = true,
                                         .not_before = now - hours(1),
                                         .not_after = now + hours(1)})));
    write("client", must(net::issue(ca, {.subject = {.common_name = "capstan"},
                                         .client = true,
                                         .not_before = now - hours(1),
                                         .not_after = now + hours(1)})));
  }
  remote::TlsPaths of(const std::string& name) const {
    return {.authority = folder_ / "ca.pem",
            .certificate = folder_ / (name + ".pem"),
            .key = folder_ / (name + ".key")};
  }

 private:
  void write(const std::string& name, const net::KeyAndCertificate& made) const {
    std::ofstream(folder_ / (name + ".pem")) << made.certificate_pem;
    std::ofstream(folder_ / (name + ".key")) << made.private_key_pem.reveal();
  }
  const fs::path folder_;
};

// Answers each POST with its body.
class EchoServer {
 public:
  EchoServer(std::unique_ptr<httplib::Server> server, const std::string& socket)
      : server_(std::move(server)) {
    server_->set_tcp_nodelay(true);
    server_->set_keep_alive_max_count(1'000'000);
    server_->Post("/echo", [](const httplib::Request& request, httplib::Response& response) {
      response.set_content(request.body, "application/json");
    });
    if (socket.empty())
      port_ = server_->bind_to_any_port("127.0.0.1");
    else if (!server_->set_address_family(AF_UNIX).bind_to_port(socket, 80))
      throw std::runtime_error("the echo can't listen");
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::yield();
  }
  ~EchoServer() {
    server_->stop();
    thread_.join();
  }
  EchoServer(const EchoServer&) = delete;
  EchoServer& operator=(const EchoServer&) = delete;
  int port() const { return port_; }

 private:
  const std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
  std::thread thread_;
};

// The bare echo: a server and one kept connection to it.
class Echo {
 public:
  Echo(const std::string& socket, const DriverCertificates* tls)
      : server_(server_for(tls), socket), client_(client_for(socket, tls, server_.port())) {
    client_->set_keep_alive(true);
    client_->set_tcp_nodelay(true);
  }
  void call(const std::string& body) {
    const auto answer = client_->Post("/echo", body, "application/json");
    if (!answer || answer->body != body) throw std::runtime_error("the echo does not answer");
  }

 private:
  static std::unique_ptr<httplib::Server> server_for(const DriverCertificates* tls) {
    if (tls == nullptr) return std::make_unique<httplib::Server>();
    const auto paths = tls->of("server");
    return std::make_unique<httplib::SSLServer>(paths.certificate.c_str(), paths.key.c_str(),
                                                paths.authority.c_str());
  }
  static std::unique_ptr<httplib::ClientImpl> client_for(const std::string& socket,
                                                         const DriverCertificates* tls, int port) {
    if (tls == nullptr) {
      auto client = std::make_unique<httplib::ClientImpl>(socket, 80);
      client->set_address_family(AF_UNIX);
      return client;
    }
    const auto paths = tls->of("client");
    auto client = std::make_unique<httplib::SSLClient>("127.0.0.1", port, paths.certificate, paths.key);
    client->set_ca_cert_path(paths.authority);
    return client;
  }
  EchoServer server_;
  const std::unique_ptr<httplib::ClientImpl> client_;
};

// A simulated cloud of one VM behind the protocol.
class DriverGround {
 public:
  DriverGround(const std::string& socket, const DriverCertificates* tls)
      : server_({.clock = clock_, .threads = threads_, .driver = cloud_},
                tls == nullptr ? remote::Endpoint{.socket = socket} : remote::Endpoint{.host = "127.0.0.1"},
                tls == nullptr ? remote::TlsPaths() : tls->of("server")) {
    must(server_.start());
    transport_ = std::make_unique<remote::HttpTransport>(
        remote::TransportDeps{.clock = clock_, .threads = threads_},
        remote::TransportOptions{
            .endpoint = tls == nullptr ? remote::Endpoint{.socket = socket}
                                       : remote::Endpoint{.host = "127.0.0.1", .port = server_.port()},
            .tls = tls == nullptr ? remote::TlsPaths() : tls->of("client")});
    driver_ = std::make_unique<remote::RemoteDriver>(*transport_, clock_);
    if (!driver_->create({.instance_key = "key", .name = "m1"}, {}, soon()))
      throw std::runtime_error("the driver makes no VM");
  }
  void call() {
    const auto vm = driver_->status({.instance_key = "key"}, {}, soon());
    if (!vm) throw std::runtime_error(vm.error().describe());
  }

 private:
  Deadline soon() const { return Deadline::in(clock_, seconds(20)); }
  SystemClock clock_;
  SystemThreads threads_;
  infrastructure::sim::SimCloud cloud_{{.clock = clock_, .threads = threads_}, {.latency = kNone}};
  remote::DriverServer server_;
  std::unique_ptr<remote::HttpTransport> transport_;
  std::unique_ptr<remote::RemoteDriver> driver_;
};

void time_calls(std::vector<double>& times, const std::function<void()>& call) {
  const SystemClock clock;
  for (int i = 0; i < kCallsPerRound; ++i) {
    const SteadyTime begun = clock.steady_now();
    call();
    times.push_back(std::chrono::duration<double, std::micro>(clock.steady_now() - begun).count());
  }
}

double p99(std::vector<double> times) {
  std::ranges::sort(times);
  return times[(times.size() - 1) * 99 / 100];
}

// As long as the answer of `status`.
const std::string kEchoed(250, 'x');

double call_ratio(const fs::path& folder, const DriverCertificates* tls) {
  DriverGround ground(folder / "driver.sock", tls);
  Echo echo(tls == nullptr ? (folder / "echo.sock").string() : std::string(), tls);
  std::vector<double> calls;
  std::vector<double> echoes;
  for (int round = 0; round < kRoundsOfCalls; ++round) {
    time_calls(echoes, [&] { echo.call(kEchoed); });
    time_calls(calls, [&] { ground.call(); });
  }
  say(fmt::format("{}: p99 of a call {:.0f} us, of an echo {:.0f} us", tls == nullptr ? "unix" : "https",
                  p99(calls), p99(echoes)));
  return p99(calls) / p99(echoes);
}

}  // namespace

Values driver_call_costs(const Place&) {
  const auto folder = must(envtest::ScratchFolder::create());
  const DriverCertificates tls(folder.path());
  return {{"driver.call_ratio.unix", call_ratio(folder.path(), nullptr)},
          {"driver.call_ratio.https", call_ratio(folder.path(), &tls)}};
}

}  // namespace capstan::bench
