#include "test/envtest/reserved_port.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace capstan::envtest {

Result<ReservedPort> ReservedPort::reserve() {
  ReservedPort reserved(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), 0);
  const int yes = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (reserved.socket_ < 0 ||
      ::setsockopt(reserved.socket_, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes)) < 0 ||
      ::bind(reserved.socket_, generic, size) < 0 || ::getsockname(reserved.socket_, generic, &size) < 0) {
    return fail(Code::Internal, fmt::format("reserve a port: {}", std::strerror(errno)));
  }
  reserved.number_ = ntohs(address.sin_port);
  return reserved;
}

ReservedPort::ReservedPort(ReservedPort&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), number_(other.number_) {}

ReservedPort& ReservedPort::operator=(ReservedPort&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(number_, other.number_);
  return *this;
}

ReservedPort::~ReservedPort() {
  if (socket_ >= 0) ::close(socket_);
}

}  // namespace capstan::envtest
