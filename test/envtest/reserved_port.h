// A free loopback port that no other process can take: bound here without listening, and left to a server
// that binds it with SO_REUSEPORT. Keeps the number over restarts of that server. Move-only value.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace capstan::envtest {

class ReservedPort {
 public:
  static Result<ReservedPort> reserve();

  ReservedPort(ReservedPort&& other) noexcept;
  ReservedPort& operator=(ReservedPort&& other) noexcept;
  ~ReservedPort();

  std::uint16_t number() const { return number_; }

 private:
  ReservedPort(int socket, std::uint16_t number) : socket_(socket), number_(number) {}
  int socket_;
  std::uint16_t number_;
};

}  // namespace capstan::envtest
