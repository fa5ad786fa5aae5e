#include "infrastructure/remote/url_encoding.h"

#include <fmt/format.h>

namespace capstan::infrastructure::remote {
namespace {

constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

}  // namespace

std::string url_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (kPlain.contains(c))
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

}  // namespace capstan::infrastructure::remote
