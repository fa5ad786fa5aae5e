#include "net/secure_randomness.h"

#include <openssl/rand.h>

#include <array>
#include <cstring>
#include <exception>

namespace capstan::net {

std::uint64_t SecureRandomness::next() {
  std::array<unsigned char, sizeof(std::uint64_t)> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) std::terminate();
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  return number;
}

}  // namespace capstan::net
