// Internal to net/: includes Asio and OpenSSL. One connected, non-blocking socket, plain or with TLS on its
// descriptor. It never blocks and never buffers: callers read into the io thread's own buffer and wait for
// readiness themselves: on an io thread with wait(), or, once alone, on their own with wait_here(). Used
// by one strand or one thread at a time.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "net/http_server.h"
#include "net/openssl.h"

namespace capstan::net {

namespace asio = boost::asio;

enum class IoStatus { Done, WantRead, WantWrite, Closed, Failed };

struct IoOutcome {
  IoStatus status = IoStatus::Done;
  std::size_t bytes = 0;
};

class Transport {
 public:
  explicit Transport(asio::ip::tcp::socket socket);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  Result<void> begin_tls(Result<SslPtr> ssl);
  IoOutcome handshake();
  IoOutcome read(std::span<char> into);
  IoOutcome write(std::string_view bytes);
  // After Failed: what went wrong. Unauthorized when certificates were the reason.
  const Error& failure() const { return failure_; }
  std::optional<PeerIdentity> peer_identity() const;

  // `ready()` runs on the socket's strand when it is worth trying again; not at all once the transport is
  // gone.
  template <typename Ready>
  void wait(IoStatus want, Ready ready) {
    const auto direction =
        want == IoStatus::WantWrite ? asio::ip::tcp::socket::wait_write : asio::ip::tcp::socket::wait_read;
    socket_.async_wait(direction, [ready = std::move(ready)](const boost::system::error_code& error) mutable {
      if (error != asio::error::operation_aborted) ready();
    });
  }

  // From the io threads to the one thread that drives it alone, and back. False: it is of no use any more.
  bool go_alone();
  bool come_back();
  // Alone only: blocks until it is worth trying again, but not longer than `span`.
  void wait_here(IoStatus want, Nanoseconds span) const;
  // Alone only, from any thread: the thread that waits here wakes and finds the connection closed.
  void cut() const;

  void give_up_tls() { ssl_.reset(); }  // after a failed handshake: what still comes is only thrown away
  void close_write();                   // "nothing more from us"; the other side may still send
  void close();
  bool open() const { return alone_ || socket_.is_open(); }

 private:
  void shut_down(int how) const;
  IoOutcome tls_outcome(int result);
  IoOutcome system_outcome(const char* doing);

  asio::ip::tcp::socket socket_;
  int descriptor_;  // the socket's
  bool alone_ = false;
  asio::ip::tcp protocol_ = asio::ip::tcp::v4();
  SslPtr ssl_;
  Error failure_;
};

// This io thread's read buffer. Its content is good until the handler returns.
std::span<char> read_buffer();

std::string endpoint_text(const asio::ip::tcp::endpoint& endpoint);  // "127.0.0.1:80", "[::1]:80"

}  // namespace capstan::net
