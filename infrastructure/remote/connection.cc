#include "infrastructure/remote/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "infrastructure/remote/unix_client.h"

namespace capstan::infrastructure::remote {
namespace {

// The word of the library for that alone says nothing.
std::string in_words(httplib::Error error) {
  if (error == httplib::Error::Connection) return "nothing takes connections there; see that the driver runs";
  return httplib::to_string(error);
}

constexpr std::string_view kJson = "application/json";
// The cutter ends a call at its deadline; a timeout of the library a moment before would look like a failure.
constexpr Nanoseconds kCutBefore = std::chrono::seconds(1);

std::unique_ptr<httplib::ClientImpl> client_for(const Endpoint& endpoint, const TlsPaths& tls) {
  if (!endpoint.socket.empty()) return std::make_unique<UnixClient>(endpoint.socket);
  auto client = std::make_unique<httplib::SSLClient>(endpoint.host, endpoint.port, tls.certificate, tls.key);
  client->set_ca_cert_path(tls.authority);
  client->enable_server_certificate_verification(true);
  client->set_tcp_nodelay(true);
  return client;
}

// A body that grows beyond `most` ends the call.
httplib::Request request_of(std::string_view verb, const std::string& body, std::string& into,
                            std::size_t most) {
  httplib::Request request;
  request.method = "POST";
  request.path = std::string(kPathPrefix) + std::string(verb);
  request.headers = {{"Content-Type", std::string(kJson)}, {"Accept", std::string(kJson)}};
  request.body = body;
  request.content_receiver = [&into, most](const char* bytes, std::size_t size, std::uint64_t,
                                           std::uint64_t) {
    if (size > most - into.size()) return false;
    into.append(bytes, size);
    return true;
  };
  return request;
}

}  // namespace

Connection::Connection(const Endpoint& endpoint, const TlsPaths& tls)
    : where_(endpoint.describe()), stamp_(stamp_of(tls)), client_(client_for(endpoint, tls)) {
  client_->set_keep_alive(true);
  client_->set_socket_options([socket = socket_](int descriptor) { socket->watch(descriptor); });
}

DriverResult<Answer> Connection::post(std::string_view verb, const std::string& body, Nanoseconds left) {
  if (!client_->is_valid())
    return driver_failure(
        DriverCode::Unavailable,
        fmt::format("driver at {}: the client certificate or its key can't be read", where_));
  client_->set_connection_timeout(left);
  client_->set_read_timeout(left + kCutBefore);
  client_->set_write_timeout(left + kCutBefore);
  Answer answer;
  const std::size_t most = most_bytes(verb);
  const auto result = client_->send(request_of(verb, body, answer.body, most));
  if (result) {
    answer.status = result->status;
    return answer;
  }
  if (result.error() == httplib::Error::Canceled)  // by what received the body
    return driver_failure(DriverCode::Unknown,
                          fmt::format("the driver's answer has more than {} bytes", most));
  return std::unexpected(error_of(result.error()));
}

// An error before the request was written: the driver has seen nothing of the call.
DriverError Connection::error_of(httplib::Error error) const {
  using httplib::Error;
  constexpr std::array kBefore = {Error::Connection, Error::ConnectionTimeout, Error::SSLConnection,
                                  Error::SSLLoadingCerts, Error::SSLServerVerification};
  return {.code = std::ranges::find(kBefore, error) != kBefore.end() ? DriverCode::Unavailable
                                                                     : DriverCode::Unknown,
          .message = fmt::format("driver at {}: {}", where_, in_words(error))};
}

}  // namespace capstan::infrastructure::remote
