#include "net/digest.h"

#include <openssl/sha.h>

namespace capstan::net {

Sha256 sha256(std::string_view bytes) {
  Sha256 digest = {};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

}  // namespace capstan::net
