// Where a driver listens: "unix:/run/driver.sock" or "https://driver.example:8443", with the certificates
// that https needs. A plain value; plain TCP can't be said.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace capstan::infrastructure::remote {

struct Endpoint {
  std::string socket = {};  // path of a unix socket; empty: https
  std::string host = {};
  std::uint16_t port = 0;

  std::string describe() const;
  bool operator==(const Endpoint&) const = default;
};

// Files in PEM, read again when they change.
struct TlsPaths {
  std::string authority = {};    // who must have signed the other side's certificate
  std::string certificate = {};  // this side's own, with its key
  std::string key = {};
  bool operator==(const TlsPaths&) const = default;
};

// Says by which contents of the files a connection was made; of no files: always the same.
std::string stamp_of(const TlsPaths& paths);

// Invalid says what is allowed.
Result<Endpoint> parse_endpoint(std::string_view text);

}  // namespace capstan::infrastructure::remote
