// HTTP/1.1 requests and responses as whole messages: what the client is given and gives, what the server
// hands to a handler, what parser and renderer read and write. Plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace capstan::net {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // path and query, already encoded
  Headers headers = {};
  std::string body = {};
  std::size_t max_body_bytes = 64U << 20;  // of the response
};

struct HttpResponse {
  int status = 0;
  Headers headers = {};
  std::string body = {};
  std::optional<std::string_view> header(std::string_view name) const;  // case-insensitive
};

// The verified client certificate of a connection, if it sent one.
struct PeerIdentity {
  std::string common_name = {};
  std::vector<std::string> organizations = {};
};

struct ServerRequest {
  std::string method = {};
  std::string target = {};
  Headers headers = {};
  std::string body = {};
  std::optional<PeerIdentity> peer = {};
  std::string remote_address = {};
  std::stop_token closed = {};  // triggered when the connection is gone or the server stops
  std::optional<std::string_view> header(std::string_view name) const;
};

}  // namespace capstan::net
