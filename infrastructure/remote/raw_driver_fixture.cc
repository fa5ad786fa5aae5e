#include "infrastructure/remote/raw_driver_fixture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

namespace capstan::infrastructure::remote {
namespace {

constexpr int kLookForStop = 10;  // milliseconds

std::size_t length_in(std::string_view head) {
  constexpr std::string_view kName = "Content-Length: ";
  const auto at = head.find(kName);
  std::size_t length = 0;
  if (at != std::string_view::npos)
    std::from_chars(head.data() + at + kName.size(), head.data() + head.size(), length);
  return length;
}

}  // namespace

std::string socket_path(std::string_view name) {
  return fmt::format("{}capstan-{}-{}.sock", testing::TempDir(), ::getpid(), name);
}

// True: there is something to read, or the peer is gone.
bool RawConnection::wait(int milliseconds) {
  pollfd look{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return ::poll(&look, 1, milliseconds) > 0;
}

std::string RawConnection::read_request() {
  std::string all;
  while (!stop_.stop_requested()) {
    const auto head = all.find("\r\n\r\n");
    if (head != std::string::npos && all.size() >= head + 4 + length_in(all)) return all;
    if (!wait(kLookForStop)) continue;
    std::array<char, 4096> bytes;
    const ssize_t got = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (got <= 0) return {};
    all.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return {};
}

bool RawConnection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawConnection::answer(int status, std::string_view body) {
  write(fmt::format("HTTP/1.1 {} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", status,
                    body.size(), body));
}

void RawConnection::hang() {
  while (!stop_.stop_requested() && !wait(kLookForStop)) {
  }
}

void RawConnection::drip(char byte) {
  while (!stop_.stop_requested() && write(std::string_view(&byte, 1))) {
    if (wait(kLookForStop)) return;
  }
}

RawDriver::RawDriver(std::string path, std::function<void(RawConnection&)> with_each)
    : path_(std::move(path)), with_each_(std::move(with_each)), listener_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, path_.c_str(), sizeof(address.sun_path) - 1);
  ::unlink(path_.c_str());
  EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0) << path_;
  ::listen(listener_, 64);
  thread_ = threads_.spawn("raw driver", [this](const std::stop_token& stop) { run(stop); });
}

RawDriver::~RawDriver() {
  thread_.reset();
  ::close(listener_);
  ::unlink(path_.c_str());
}

void RawDriver::run(const std::stop_token& stop) {
  std::vector<std::unique_ptr<Thread>> peers;
  while (!stop.stop_requested()) {
    pollfd look{.fd = listener_, .events = POLLIN, .revents = 0};
    if (::poll(&look, 1, kLookForStop) <= 0) continue;
    const int accepted = ::accept(listener_, nullptr, nullptr);
    peers.push_back(threads_.spawn("raw peer", [this, accepted](const std::stop_token& until) {
      RawConnection connection(accepted, until);
      with_each_(connection);
      ::close(accepted);
    }));
  }
}

DriverAt::DriverAt(TransportOptions options)
    : transport({.clock = clock, .threads = threads}, std::move(options)), driver(transport, clock) {}

}  // namespace capstan::infrastructure::remote
