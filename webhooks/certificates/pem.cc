#include "webhooks/certificates/pem.h"

#include <algorithm>

#include "net/pki.h"

namespace capstan::webhooks::certificates {
namespace {

constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kEnd = "-----END CERTIFICATE-----";

}  // namespace

std::vector<std::string> certificates_in(std::string_view text) {
  std::vector<std::string> found;
  for (auto begin = text.find(kBegin); begin != text.npos; begin = text.find(kBegin, begin)) {
    const auto end = text.find(kEnd, begin);
    if (end == text.npos) break;
    found.push_back(std::string(text.substr(begin, end + kEnd.size() - begin)) + "\n");
    begin = end;
  }
  return found;
}

std::vector<std::string> usable_certificates_in(std::string_view text, WallTime now) {
  auto found = certificates_in(text);
  std::erase_if(found, [&](const std::string& one) {
    const auto facts = net::read_certificate(one);
    return !facts || facts->not_after <= now;
  });
  return found;
}

std::string one_text(const std::vector<std::string>& certificates) {
  std::string text;
  for (const std::string& one : certificates) text += one;
  return text;
}

void add_missing(std::vector<std::string>& certificates, const std::vector<std::string>& more) {
  for (const std::string& one : more) {
    if (std::ranges::find(certificates, one) == certificates.end()) certificates.push_back(one);
  }
}

}  // namespace capstan::webhooks::certificates
