// Any bytes: decoding never crashes, and what it accepts survives a round trip.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/base64.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto decoded = capstan::base64_decode(text);
  if (decoded && capstan::base64_decode(capstan::base64_encode(*decoded)) != decoded) std::abort();
  const auto url_decoded = capstan::base64url_decode(text);
  if (url_decoded && capstan::base64url_decode(capstan::base64url_encode(*url_decoded)) != url_decoded)
    std::abort();
  if (*capstan::base64_decode(capstan::base64_encode(text)) != text) std::abort();
  return 0;
}
