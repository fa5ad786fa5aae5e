// Internal to net/: includes Asio and OpenSSL. One connected, non-blocking socket, plain or with TLS on its
// descriptor. It never blocks and never buffers: callers read into the io thread's own buffer and wait for
// readiness themselves. Used by one strand at a time.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

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

  void give_up_tls() { ssl_.reset(); }  // after a failed handshake: what still comes is only thrown away
  void close_write();                   // "nothing more from us"; the other side may still send
  void close();
  bool open() const { return socket_.is_open(); }

 private:
  IoOutcome tls_outcome(int result);
  IoOutcome system_outcome(const char* doing);

  asio::ip::tcp::socket socket_;
  SslPtr ssl_;
  Error failure_;
};

// This io thread's read buffer. Its content is good until the handler returns.
std::span<char> read_buffer();

std::string endpoint_text(const asio::ip::tcp::endpoint& endpoint);  // "127.0.0.1:80", "[::1]:80"

}  // namespace capstan::net
