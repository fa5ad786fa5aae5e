// Any bytes sent to a listening server by a peer that then closes its sending side: the server answers in
// HTTP or not at all, hangs up by itself, and serves the next one.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "net/http_server.h"
#include "net/io_pool.h"

namespace {

using capstan::net::HttpServer;
using capstan::net::Responder;
using capstan::net::ServerRequest;

void answer(const ServerRequest& request, Responder& responder) {
  if (!request.target.starts_with("/s")) return responder.respond({.status = 200, .body = request.body});
  const auto stream = responder.begin_stream(200, {});
  stream->write(request.target);
  stream->write(request.body);
}

std::uint16_t port_of_server() {
  static capstan::net::IoPool io(1);
  static const auto server = HttpServer::listen(
      io, {.workers = 1, .limits = {.max_header_bytes = 2048, .max_headers = 16, .max_body_bytes = 4096}},
      answer);
  return (*server)->port();
}

std::string exchange(std::string_view bytes) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{.tv_sec = 5, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(port_of_server());
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) std::abort();
  [[maybe_unused]] const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  ::shutdown(fd, SHUT_WR);
  std::string answered;
  std::array<char, 4096> buffer = {};
  ssize_t got = 0;
  while ((got = ::recv(fd, buffer.data(), buffer.size(), 0)) > 0)
    answered.append(buffer.data(), static_cast<std::size_t>(got));
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) std::abort();  // neither an answer nor a hang-up
  ::close(fd);
  return answered;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string answered = exchange({reinterpret_cast<const char*>(bytes), size});
  if (!answered.empty() && !answered.starts_with("HTTP/1.1 ")) std::abort();
  return 0;
}
