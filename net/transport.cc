#include "net/transport.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <limits>
#include <system_error>
#include <utility>

#include "base/try.h"
#include "net/tls_context.h"

namespace capstan::net {
namespace {

constexpr std::size_t kReadBufferBytes = 64U << 10;

int clamped(std::size_t bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes, std::numeric_limits<int>::max()));
}

// The peer refused our certificate (or the lack of one).
bool is_certificate_alert(unsigned long error) {
  if (ERR_GET_LIB(error) != ERR_LIB_SSL) return false;
  switch (ERR_GET_REASON(error)) {
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: return true;
    default: return false;
  }
}

}  // namespace

Transport::Transport(asio::ip::tcp::socket socket)
    : socket_(std::move(socket)), descriptor_(socket_.native_handle()) {
  boost::system::error_code ignored;
  socket_.native_non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  ::fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
}

Transport::~Transport() { close(); }

Result<void> Transport::begin_tls(Result<SslPtr> ssl) {
  ssl_ = TRY(std::move(ssl));
  if (SSL_set_fd(ssl_.get(), descriptor_) != 1) return openssl_failure("start TLS");
  return {};
}

IoOutcome Transport::handshake() {
  ERR_clear_error();
  errno = 0;
  const int result = SSL_do_handshake(ssl_.get());
  return result == 1 ? IoOutcome{} : tls_outcome(result);
}

IoOutcome Transport::read(std::span<char> into) {
  if (!open()) return {.status = IoStatus::Closed};
  if (ssl_) {
    ERR_clear_error();
    errno = 0;
    const int result = SSL_read(ssl_.get(), into.data(), clamped(into.size()));
    if (result > 0) return {.bytes = static_cast<std::size_t>(result)};
    return tls_outcome(result);
  }
  const ssize_t result = ::recv(descriptor_, into.data(), into.size(), MSG_DONTWAIT);
  if (result > 0) return {.bytes = static_cast<std::size_t>(result)};
  if (result == 0) return {.status = IoStatus::Closed};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {.status = IoStatus::WantRead};
  return system_outcome("read");
}

IoOutcome Transport::write(std::string_view bytes) {
  if (!open()) return {.status = IoStatus::Closed};
  if (ssl_) {
    ERR_clear_error();
    errno = 0;
    const int result = SSL_write(ssl_.get(), bytes.data(), clamped(bytes.size()));
    if (result > 0) return {.bytes = static_cast<std::size_t>(result)};
    return tls_outcome(result);
  }
  const ssize_t result = ::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (result >= 0) return {.bytes = static_cast<std::size_t>(result)};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {.status = IoStatus::WantWrite};
  return system_outcome("write");
}

IoOutcome Transport::tls_outcome(int result) {
  const int system_error = errno;
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ: return {.status = IoStatus::WantRead};
    case SSL_ERROR_WANT_WRITE: return {.status = IoStatus::WantWrite};
    case SSL_ERROR_ZERO_RETURN: return {.status = IoStatus::Closed};
    case SSL_ERROR_SYSCALL:
      if (system_error == 0) return {.status = IoStatus::Closed};
      errno = system_error;
      return system_outcome("tls");
    default: break;
  }
  const unsigned long error = ERR_peek_error();
  if (ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    ERR_clear_error();
    return {.status = IoStatus::Closed};
  }
  const bool refused_us = is_certificate_alert(error);
  const std::string why = refusal(ssl_.get());
  const std::string text = take_openssl_error();
  failure_ = {.code = refused_us || !why.empty() ? Code::Unauthorized : Code::Unavailable,
              .message = !why.empty() ? why
                         : refused_us ? fmt::format("the peer did not accept our certificate: {}", text)
                                      : text};
  return {.status = IoStatus::Failed};
}

IoOutcome Transport::system_outcome(const char*) {
  const int error = errno;
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  failure_ = {.code = error == ETIMEDOUT ? Code::Timeout : Code::Unavailable, .message = std::move(text)};
  return {.status = IoStatus::Failed};
}

std::optional<PeerIdentity> Transport::peer_identity() const {
  if (!ssl_ || SSL_get_verify_result(ssl_.get()) != X509_V_OK) return std::nullopt;
  const X509* certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr) return std::nullopt;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const auto names = name_entries(subject, NID_commonName);
  return PeerIdentity{.common_name = names.empty() ? std::string() : names.back(),
                      .organizations = name_entries(subject, NID_organizationName)};
}

bool Transport::go_alone() {
  boost::system::error_code wrong;
  protocol_ = socket_.local_endpoint(wrong).protocol();
  if (!wrong) socket_.release(wrong);
  alone_ = !wrong;
  return alone_;
}

bool Transport::come_back() {
  boost::system::error_code wrong;
  socket_.assign(protocol_, descriptor_, wrong);
  alone_ = !!wrong;
  return !wrong;
}

void Transport::wait_here(IoStatus want, Nanoseconds span) const {
  const auto events = static_cast<short>(want == IoStatus::WantWrite ? POLLIN | POLLOUT : POLLIN);
  pollfd socket = {.fd = descriptor_, .events = events, .revents = 0};
  const Nanoseconds left = std::max(span, Nanoseconds::zero());
  const auto whole = std::chrono::floor<std::chrono::seconds>(left);
  const timespec most = {.tv_sec = whole.count(), .tv_nsec = (left - whole).count()};
  ::ppoll(&socket, 1, &most, nullptr);
}

void Transport::cut() const { shut_down(SHUT_RDWR); }

void Transport::shut_down(int how) const { ::shutdown(descriptor_, how); }

void Transport::close_write() {
  if (!open()) return;
  if (ssl_ && SSL_is_init_finished(ssl_.get())) {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
    ERR_clear_error();
  }
  shut_down(SHUT_WR);
}

void Transport::close() {
  if (!open()) return;
  close_write();
  if (std::exchange(alone_, false)) {
    ::close(descriptor_);
  } else {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }
  ssl_.reset();
}

std::span<char> read_buffer() {
  static thread_local const std::unique_ptr<std::array<char, kReadBufferBytes>> buffer =
      std::make_unique<std::array<char, kReadBufferBytes>>();
  return *buffer;
}

std::string endpoint_text(const asio::ip::tcp::endpoint& endpoint) {
  const auto address = endpoint.address();
  return address.is_v6() ? fmt::format("[{}]:{}", address.to_string(), endpoint.port())
                         : fmt::format("{}:{}", address.to_string(), endpoint.port());
}

}  // namespace capstan::net
