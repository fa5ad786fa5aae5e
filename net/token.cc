#include "net/token.h"

#include <fmt/format.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/pem.h>

#include <algorithm>

#include "base/base64.h"
#include "base/try.h"
#include "net/openssl.h"

namespace capstan::net {
namespace {

using SignaturePtr = std::unique_ptr<ECDSA_SIG, FreeWith<ECDSA_SIG_free>>;
using DigestPtr = std::unique_ptr<EVP_MD_CTX, FreeWith<EVP_MD_CTX_free>>;

constexpr std::size_t kHalfSignature = 32;  // r and s of ES256
constexpr std::string_view kHeaderBegin = R"({"alg":"ES256","kid":")";
constexpr std::string_view kHeaderEnd = R"(","typ":"JWT"})";

Result<std::string> es256(EVP_PKEY* key, std::string_view text) {
  ERR_clear_error();
  const DigestPtr digest(EVP_MD_CTX_new());
  std::size_t length = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
      EVP_DigestSign(digest.get(), nullptr, &length, bytes, text.size()) != 1) {
    return openssl_failure("sign token");
  }
  std::string der(length, '\0');
  if (EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(der.data()), &length, bytes,
                     text.size()) != 1) {
    return openssl_failure("sign token");
  }
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const SignaturePtr parsed(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(length)));
  if (!parsed) return fail(Code::Invalid, "sign token: the key is not a P-256 key");
  std::string raw(2 * kHalfSignature, '\0');
  auto* out = reinterpret_cast<unsigned char*>(raw.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(parsed.get()), out, kHalfSignature);
  BN_bn2binpad(ECDSA_SIG_get0_s(parsed.get()), out + kHalfSignature, kHalfSignature);
  return raw;
}

Result<void> check_es256(EVP_PKEY* key, std::string_view text, std::string_view raw) {
  if (raw.size() != 2 * kHalfSignature)
    return fail(Code::Unauthorized, "token: the signature has the wrong length");
  const auto* half = reinterpret_cast<const unsigned char*>(raw.data());
  const SignaturePtr signature(ECDSA_SIG_new());
  ECDSA_SIG_set0(signature.get(), BN_bin2bn(half, kHalfSignature, nullptr),
                 BN_bin2bn(half + kHalfSignature, kHalfSignature, nullptr));
  unsigned char* der = nullptr;
  const int length = i2d_ECDSA_SIG(signature.get(), &der);
  const DigestPtr digest(EVP_MD_CTX_new());
  const bool good = length > 0 &&
                    EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
                    EVP_DigestVerify(digest.get(), der, static_cast<std::size_t>(length),
                                     reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
  OPENSSL_free(der);
  ERR_clear_error();
  if (!good) return fail(Code::Unauthorized, "token: the signature is wrong");
  return {};
}

bool is_key_id(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

struct Parts {
  std::string header = {};
  std::string payload = {};
  std::string signature = {};
  std::string_view signed_text = {};
};

Result<Parts> split(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  if (first == token.npos || first == last || token.find('.', first + 1) != last) {
    return fail(Code::Unauthorized, "token: not three parts");
  }
  const auto decoded = [&](std::string_view part) -> Result<std::string> {
    auto bytes = base64url_decode(part);
    if (!bytes) return fail(Code::Unauthorized, "token: malformed base64");
    return bytes;
  };
  Parts parts;
  parts.header = TRY(decoded(token.substr(0, first)));
  parts.payload = TRY(decoded(token.substr(first + 1, last - first - 1)));
  parts.signature = TRY(decoded(token.substr(last + 1)));
  parts.signed_text = token.substr(0, last);
  return parts;
}

// Only headers exactly as we write them: a token does not get to choose an algorithm.
Result<std::string> key_id_of(std::string_view header) {
  if (!header.starts_with(kHeaderBegin) || !header.ends_with(kHeaderEnd) ||
      header.size() < kHeaderBegin.size() + kHeaderEnd.size()) {
    return fail(Code::Unauthorized, "token: not one of ours");
  }
  header.remove_prefix(kHeaderBegin.size());
  header.remove_suffix(kHeaderEnd.size());
  if (!is_key_id(header)) return fail(Code::Unauthorized, "token: not one of ours");
  return std::string(header);
}

}  // namespace

Result<std::string> sign_token(const Secret<std::string>& private_key_pem, std::string_view key_id,
                               std::string_view payload) {
  if (!is_key_id(key_id)) return fail(Code::Invalid, "token: the key id holds a blank or a quote");
  const KeyPtr key = TRY(key_from_pem(private_key_pem.reveal()));
  std::string text = base64url_encode(fmt::format("{}{}{}", kHeaderBegin, key_id, kHeaderEnd));
  text += '.';
  text += base64url_encode(payload);
  const std::string signature = TRY(es256(key.get(), text));
  return text + "." + base64url_encode(signature);
}

Result<std::string> verify_token(std::string_view public_key_pem, std::string_view token) {
  Parts parts = TRY(split(token));
  TRY(key_id_of(parts.header));
  ERR_clear_error();
  const BioPtr bio = memory_bio(public_key_pem);
  const KeyPtr key(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
  if (!key) return openssl_failure("read public key");
  TRY(check_es256(key.get(), parts.signed_text, parts.signature));
  return std::move(parts.payload);
}

Result<std::string> token_key_id(std::string_view token) {
  const Parts parts = TRY(split(token));
  return key_id_of(parts.header);
}

}  // namespace capstan::net
