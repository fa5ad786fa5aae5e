#include "infrastructure/remote/unix_client.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace capstan::infrastructure::remote {
namespace {

constexpr std::size_t kPiece = 4096;  // of an answer

// One request and its answer. What is written waits until the answer is read.
class Exchange final : public httplib::Stream {
 public:
  explicit Exchange(int socket) : socket_(socket) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t write(const char* bytes, std::size_t size) override {
    unsent_.append(bytes, size);
    return static_cast<ssize_t>(size);
  }
  ssize_t read(char* into, std::size_t size) override;
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  bool send_all();
  // As recv() answers.
  ssize_t receive();

  const int socket_;
  std::string unsent_ = {};
  std::array<char, kPiece> piece_ = {};
  std::string_view unread_ = {};  // of the piece
};

ssize_t Exchange::read(char* into, std::size_t size) {
  if (!send_all()) return -1;
  if (unread_.empty()) {
    const ssize_t received = receive();
    if (received <= 0) return received;
    unread_ = std::string_view(piece_.data(), static_cast<std::size_t>(received));
  }
  const std::size_t taken = unread_.copy(into, size);
  unread_.remove_prefix(taken);
  return static_cast<ssize_t>(taken);
}

bool Exchange::send_all() {
  for (std::string_view rest = unsent_; !rest.empty();) {
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
  unsent_.clear();
  return true;
}

ssize_t Exchange::receive() {
  ssize_t received = -1;
  do {
    received = ::recv(socket_, piece_.data(), piece_.size(), 0);
  } while (received < 0 && errno == EINTR);
  return received;
}

}  // namespace

UnixClient::UnixClient(const std::string& path) : ClientImpl(path) {
  set_address_family(AF_UNIX);
  set_default_headers({{"Host", "driver"}});  // instead of the path
}

bool UnixClient::process_socket(const Socket& socket, std::function<bool(httplib::Stream&)> callback) {
  Exchange exchange(socket.sock);
  return callback(exchange);
}

}  // namespace capstan::infrastructure::remote
