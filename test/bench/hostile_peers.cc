#include "test/bench/hostile_peers.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "net/file_limit.h"
#include "test/bench/bench_fleet.h"

namespace capstan::bench {
namespace {

using std::chrono::milliseconds;

// In the order of their turns.
enum class Kind { Idle, HalfOpen, EndlessHeader, ChunkedBody, SlowReader };
constexpr int kKinds = 5;

constexpr std::uint64_t kBodyBytes = 200'000'000;
constexpr std::size_t kChunkBytes = 64U << 10;
constexpr auto kDripEvery = milliseconds(100);
constexpr std::string_view kDrip = "xxxxxxxxxx";
constexpr int kSlowWindowBytes = 4096;  // that the kernel takes of an answer
constexpr std::size_t kSip = 16;        // bytes of it that are read at a time
constexpr std::size_t kMostEvents = 512;

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

enum class Stage { Connecting, Handshake, Sending, Waiting };

struct Peer {
  Kind kind = Kind::Idle;
  Stage stage = Stage::Connecting;
  std::unique_ptr<SSL, FreeSsl> ssl = {};
  std::string out = {};     // to be sent next
  std::size_t sent = 0;     // of it
  std::uint64_t total = 0;  // of everything
};

class Crowd {
 public:
  explicit Crowd(const Attack& attack);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  void run();

 private:
  void open_next();
  void on_events(int socket, std::uint32_t events);
  void go_on(int socket, Peer& peer);
  void shake_hands(int socket, Peer& peer);
  void send_more(int socket, Peer& peer);
  void drip();
  void await(int socket, std::uint32_t events, int how = EPOLL_CTL_MOD);
  void drop(int socket);
  std::string first_words(Kind kind) const;
  std::string tally(Nanoseconds took) const;

  const Attack attack_;
  const std::string chunk_;
  std::unique_ptr<SSL_CTX, FreeSsl> context_;
  int events_ = -1;
  std::unordered_map<int, Peer> peers_;  // by socket
  int opened_ = 0;
  int unreachable_ = 0;
  int cut_off_ = 0;  // by the server
  std::uint64_t bytes_ = 0;
};

Crowd::Crowd(const Attack& attack)
    : attack_(attack),
      chunk_(fmt::format("{:x}\r\n{}\r\n", kChunkBytes, std::string(kChunkBytes, 'x'))),
      context_(SSL_CTX_new(TLS_client_method())),
      events_(::epoll_create1(EPOLL_CLOEXEC)) {
  SSL_CTX_set_mode(context_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

Crowd::~Crowd() {
  for (auto& [socket, peer] : peers_) ::close(socket);
  ::close(events_);
}

void Crowd::run() {
  const SystemClock clock;
  const SteadyTime begun = clock.steady_now();
  SteadyTime dripped = begun;
  std::array<epoll_event, kMostEvents> happened{};
  const auto pace = std::chrono::nanoseconds(std::chrono::seconds(1)) / attack_.per_second;
  while (opened_ < attack_.connections) {
    const SteadyTime now = clock.steady_now();
    if (now - begun > attack_.at_most)
      throw std::runtime_error(
          fmt::format("only {} hostile connections in {}", opened_, attack_.at_most.count()));
    while (opened_ < attack_.connections && begun + opened_ * pace <= now) open_next();
    if (now - dripped >= kDripEvery) {
      dripped = now;
      drip();
    }
    const int count = ::epoll_wait(events_, happened.data(), static_cast<int>(happened.size()), 1);
    for (int i = 0; i < count; ++i) {
      const epoll_event& one = happened[static_cast<std::size_t>(i)];
      on_events(one.data.fd, one.events);
    }
  }
  say(tally(clock.steady_now() - begun));
}

void Crowd::open_next() {
  const auto kind = static_cast<Kind>(opened_++ % kKinds);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) throw std::runtime_error("no socket is left");
  if (kind == Kind::SlowReader)
    ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &kSlowWindowBytes, sizeof kSlowWindowBytes);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(attack_.port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 && errno != EINPROGRESS) {
    ++unreachable_;
    ::close(socket);
    return;
  }
  peers_.emplace(socket, Peer{.kind = kind});
  await(socket, EPOLLOUT, EPOLL_CTL_ADD);
}

void Crowd::on_events(int socket, std::uint32_t events) {
  const auto found = peers_.find(socket);
  if (found == peers_.end()) return;
  if ((events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0) {
    ++cut_off_;
    return drop(socket);
  }
  go_on(socket, found->second);
}

void Crowd::go_on(int socket, Peer& peer) {
  switch (peer.stage) {
    case Stage::Connecting:
      if (peer.kind == Kind::Idle) {
        peer.stage = Stage::Waiting;
        return await(socket, EPOLLRDHUP);
      }
      peer.ssl.reset(SSL_new(context_.get()));
      SSL_set_fd(peer.ssl.get(), socket);
      SSL_set_connect_state(peer.ssl.get());
      peer.stage = Stage::Handshake;
      return shake_hands(socket, peer);
    case Stage::Handshake: return shake_hands(socket, peer);
    case Stage::Sending: return send_more(socket, peer);
    case Stage::Waiting: return;
  }
}

void Crowd::shake_hands(int socket, Peer& peer) {
  ERR_clear_error();
  const int result = SSL_do_handshake(peer.ssl.get());
  if (peer.kind == Kind::HalfOpen) {  // the server has heard the first message, and hears no other
    peer.stage = Stage::Waiting;
    return await(socket, EPOLLRDHUP);
  }
  if (result == 1) {
    peer.stage = Stage::Sending;
    peer.out = first_words(peer.kind);
    return send_more(socket, peer);
  }
  switch (SSL_get_error(peer.ssl.get(), result)) {
    case SSL_ERROR_WANT_READ: return await(socket, EPOLLIN | EPOLLRDHUP);
    case SSL_ERROR_WANT_WRITE: return await(socket, EPOLLOUT | EPOLLRDHUP);
    default: ++cut_off_; return drop(socket);
  }
}

std::string Crowd::first_words(Kind kind) const {
  const auto head = [&](std::string_view last) {
    return fmt::format("POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n{}", attack_.path,
                       last);
  };
  switch (kind) {
    case Kind::EndlessHeader: return head("X: ");
    case Kind::ChunkedBody: return head("Transfer-Encoding: chunked\r\n\r\n");
    case Kind::SlowReader:
      return head(fmt::format("Content-Length: {}\r\n\r\n{}", attack_.body.size(), attack_.body));
    case Kind::Idle:
    case Kind::HalfOpen: break;
  }
  return {};
}

// One write, then the others get their turn. A body goes on after the server's refusal, until no byte is
// taken any more.
void Crowd::send_more(int socket, Peer& peer) {
  const std::string& out = peer.out.empty() ? chunk_ : peer.out;
  ERR_clear_error();
  const int result =
      SSL_write(peer.ssl.get(), out.data() + peer.sent, static_cast<int>(out.size() - peer.sent));
  if (result <= 0) {
    const int why = SSL_get_error(peer.ssl.get(), result);
    if (why == SSL_ERROR_WANT_WRITE) return await(socket, EPOLLOUT);
    ++cut_off_;
    return drop(socket);
  }
  const auto written = static_cast<std::size_t>(result);
  bytes_ += written;
  peer.total += written;
  peer.sent += written;
  const bool all = peer.sent == out.size();
  if (all) {
    peer.sent = 0;
    peer.out.clear();
  }
  const bool more = !all || (peer.kind == Kind::ChunkedBody && peer.total < kBodyBytes);
  if (!more) peer.stage = Stage::Waiting;
  await(socket, more ? EPOLLOUT : EPOLLRDHUP);
}

// A few bytes more of each header, and of each answer.
void Crowd::drip() {
  std::array<char, kSip> read{};
  for (auto& [socket, peer] : peers_) {
    if (peer.stage != Stage::Waiting) continue;
    ERR_clear_error();
    if (peer.kind == Kind::EndlessHeader)
      SSL_write(peer.ssl.get(), kDrip.data(), static_cast<int>(kDrip.size()));
    if (peer.kind == Kind::SlowReader) ::recv(socket, read.data(), read.size(), MSG_DONTWAIT);
  }
}

void Crowd::await(int socket, std::uint32_t events, int how) {
  epoll_event wanted{.events = events, .data = {.fd = socket}};
  ::epoll_ctl(events_, how, socket, &wanted);
}

void Crowd::drop(int socket) {
  peers_.erase(socket);
  ::close(socket);
}

std::string Crowd::tally(Nanoseconds took) const {
  return fmt::format(
      "hostile: {} connections in {:.1f} s, {} could not connect, {} were cut off, {} are open at the end, "
      "{} MB sent",
      opened_, std::chrono::duration<double>(took).count(), unreachable_, cut_off_, peers_.size(),
      bytes_ / 1'000'000);
}

[[noreturn]] void be_hostile(const Attack& attack, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::signal(SIGPIPE, SIG_IGN);
  try {
    const auto files = net::raise_file_limit(65536);
    if (!files) throw std::runtime_error(files.error().describe());
    Crowd(attack).run();
  } catch (const std::exception& error) {
    say(error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

HostileProcess::HostileProcess(const Attack& attack) {
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0) throw std::runtime_error("can't fork");
  if (child_ == 0) be_hostile(attack, parent);
}

HostileProcess::~HostileProcess() {
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

bool HostileProcess::has_ended() {
  if (child_ < 0) return true;
  int status = 0;
  if (::waitpid(child_, &status, WNOHANG) == 0) return false;
  child_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("the hostile process did not open all of its connections");
  return true;
}

}  // namespace capstan::bench
