// A peer without manners, for net's tests: plain blocking sockets that send what no library would send. Reads
// and accepts give up after 20 s, so that a broken test fails instead of hanging.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/threads.h"

namespace capstan::net {

class RawSocket {
 public:
  explicit RawSocket(int fd) : fd_(fd) {
    const timeval patience{.tv_sec = 20};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }
  RawSocket(RawSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  RawSocket& operator=(RawSocket&&) = delete;
  ~RawSocket() { close(); }

  static RawSocket connect(std::uint16_t port) {
    RawSocket made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in to = loopback(port);
    if (::connect(made.fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) made.close();
    return made;
  }
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  bool connected() const { return fd_ >= 0; }
  // False when the peer will take no more.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void finish_sending() { ::shutdown(fd_, SHUT_WR); }
  // The next bytes; empty when the peer has closed (or patience ended, which fails the test).
  std::string read_some() {
    std::string bytes(64U << 10, '\0');
    const ssize_t got = ::recv(fd_, bytes.data(), bytes.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) ADD_FAILURE() << "nothing came for 20 s";
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
  std::string read_all() {
    std::string all;
    for (std::string more = read_some(); !more.empty(); more = read_some()) all += more;
    return all;
  }
  std::string read_until(std::string_view end) {
    std::string all;
    while (all.find(end) == std::string::npos) {
      const std::string more = read_some();
      if (more.empty()) break;
      all += more;
    }
    return all;
  }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  // The peer sees a reset instead of an orderly end.
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }

 private:
  int fd_ = -1;
};

// Runs `serve` for every connection, one after the other, on a thread of its own.
class RawServer {
 public:
  using Serve = std::function<void(RawSocket&, int number)>;

  explicit RawServer(Serve serve) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = RawSocket::loopback(0);
    socklen_t length = sizeof address;
    ::bind(fd_, reinterpret_cast<sockaddr*>(&address), length);
    ::listen(fd_, 64);
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    thread_ = SystemThreads().spawn("raw-server", [this, serve = std::move(serve)](const std::stop_token&) {
      for (int number = 0;; ++number) {
        RawSocket connection(::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC));
        if (!connection.connected()) return;
        serve(connection, number);
      }
    });
  }
  ~RawServer() {
    ::shutdown(fd_, SHUT_RDWR);  // wakes accept
    thread_.reset();
    ::close(fd_);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  int fd_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::net
