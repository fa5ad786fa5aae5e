#include "net/pki.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>

#include "base/try.h"
#include "net/openssl.h"

namespace capstan::net {
namespace {

using NamePtr = std::unique_ptr<X509_NAME, FreeWith<X509_NAME_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>>;

Result<KeyPtr> new_key() {
  ERR_clear_error();
  KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return openssl_failure("make a key");
  return key;
}

Result<std::string> key_text(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_failure("write private key");
  }
  return contents(bio.get());
}

std::string certificate_text(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return contents(bio.get());
}

std::string public_key_text(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PUBKEY(bio.get(), key);
  return contents(bio.get());
}

Result<NamePtr> name_of(const Subject& subject) {
  NamePtr name(X509_NAME_new());
  const auto add = [&](const char* field, const std::string& text) {
    return X509_NAME_add_entry_by_txt(name.get(), field, MBSTRING_UTF8,
                                      reinterpret_cast<const unsigned char*>(text.data()),
                                      static_cast<int>(text.size()), -1, 0) == 1;
  };
  ERR_clear_error();
  for (const std::string& organization : subject.organizations) {
    if (!add("O", organization)) return openssl_failure("subject organization " + organization);
  }
  if (!subject.common_name.empty() && !add("CN", subject.common_name)) {
    return openssl_failure("subject common name " + subject.common_name);
  }
  return name;
}

void set_time(ASN1_TIME* into, WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  ASN1_TIME_adj(into, static_cast<time_t>(seconds), 0, 0);
}

// The extension text OpenSSL understands ("DNS:a,IP:127.0.0.1"). Names are checked first: a comma would add
// an entry.
Result<std::string> alternative_name_text(const CertificateUse& use) {
  std::string text;
  const auto add = [&](std::string_view kind, std::string_view name) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", kind, name);
  };
  for (const std::string& name : use.dns_names) {
    if (name.empty() || name.find_first_of(", \t\r\n") != name.npos)
      return fail(Code::Invalid, fmt::format("DNS name {:?}", name));
    add("DNS", name);
  }
  for (const std::string& address : use.ip_addresses) {
    std::array<unsigned char, 16> raw = {};
    if (inet_pton(AF_INET, address.c_str(), raw.data()) != 1 &&
        inet_pton(AF_INET6, address.c_str(), raw.data()) != 1) {
      return fail(Code::Invalid, fmt::format("IP address {:?}", address));
    }
    add("IP", address);
  }
  return text;
}

Result<ExtensionPtr> extension(int nid, const std::string& value, X509* issuer = nullptr,
                               X509* subject = nullptr) {
  X509V3_CTX context = {};
  X509V3_set_ctx(&context, issuer, subject, nullptr, nullptr, 0);
  ERR_clear_error();
  ExtensionPtr made(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  if (!made) return openssl_failure(fmt::format("extension {}", value));
  return made;
}

Result<void> add_extension(X509* certificate, int nid, const std::string& value, X509* issuer) {
  const ExtensionPtr made = TRY(extension(nid, value, issuer, certificate));
  X509_add_ext(certificate, made.get(), -1);
  return {};
}

Result<void> set_random_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes = {};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return openssl_failure("random serial");
  bytes[0] = (bytes[0] & 0x7fU) | 0x40U;  // positive, and always 16 bytes long
  const std::unique_ptr<BIGNUM, FreeWith<BN_free>> number(
      BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate));
  return {};
}

std::string purposes(const CertificateUse& use) {
  if (use.server && use.client) return "serverAuth,clientAuth";
  return use.server ? "serverAuth" : "clientAuth";
}

Result<CertificatePtr> blank(EVP_PKEY* key, const X509_NAME* subject, const CertificateUse& use) {
  CertificatePtr made(X509_new());
  X509_set_version(made.get(), X509_VERSION_3);
  TRY(set_random_serial(made.get()));
  set_time(X509_getm_notBefore(made.get()), use.not_before);
  set_time(X509_getm_notAfter(made.get()), use.not_after);
  X509_set_subject_name(made.get(), subject);
  X509_set_pubkey(made.get(), key);
  return made;
}

Result<void> sign(X509* certificate, EVP_PKEY* key) {
  ERR_clear_error();
  if (X509_sign(certificate, key, EVP_sha256()) == 0) return openssl_failure("sign certificate");
  return {};
}

Result<std::string> signed_leaf(const KeyAndCertificate& ca, EVP_PKEY* key, const X509_NAME* subject,
                                const CertificateUse& use) {
  const auto issuers = certificates_from_pem(ca.certificate_pem);
  if (issuers.empty()) return fail(Code::Invalid, "read CA certificate: no certificate in the PEM text");
  const KeyPtr ca_key = TRY(key_from_pem(ca.private_key_pem.reveal()));
  X509* issuer = issuers.front().get();
  CertificatePtr made = TRY(blank(key, subject, use));
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
  TRY(add_extension(made.get(), NID_basic_constraints, "critical,CA:FALSE", issuer));
  TRY(add_extension(made.get(), NID_key_usage, "critical,digitalSignature", issuer));
  if (use.server || use.client) TRY(add_extension(made.get(), NID_ext_key_usage, purposes(use), issuer));
  TRY(add_extension(made.get(), NID_authority_key_identifier, "keyid", issuer));
  const std::string names = TRY(alternative_name_text(use));
  if (!names.empty()) TRY(add_extension(made.get(), NID_subject_alt_name, names, issuer));
  TRY(sign(made.get(), ca_key.get()));
  return certificate_text(made.get());
}

}  // namespace

Result<KeyAndCertificate> new_ca(std::string_view common_name, WallTime not_before, WallTime not_after) {
  const KeyPtr key = TRY(new_key());
  const NamePtr name = TRY(name_of({.common_name = std::string(common_name)}));
  const CertificatePtr made =
      TRY(blank(key.get(), name.get(), {.not_before = not_before, .not_after = not_after}));
  X509_set_issuer_name(made.get(), name.get());
  TRY(add_extension(made.get(), NID_basic_constraints, "critical,CA:TRUE", made.get()));
  TRY(add_extension(made.get(), NID_key_usage,
                    "critical,digitalSignature,keyEncipherment,keyCertSign,cRLSign", made.get()));
  TRY(add_extension(made.get(), NID_subject_key_identifier, "hash", made.get()));
  TRY(sign(made.get(), key.get()));
  return KeyAndCertificate{.certificate_pem = certificate_text(made.get()),
                           .private_key_pem = Secret(TRY(key_text(key.get())))};
}

Result<KeyAndCertificate> issue(const KeyAndCertificate& ca, const CertificateUse& use) {
  const KeyPtr key = TRY(new_key());
  const NamePtr name = TRY(name_of(use.subject));
  std::string certificate = TRY(signed_leaf(ca, key.get(), name.get(), use));
  return KeyAndCertificate{.certificate_pem = std::move(certificate),
                           .private_key_pem = Secret(TRY(key_text(key.get())))};
}

Result<CertificateFacts> read_certificate(std::string_view pem) {
  const auto found = certificates_from_pem(pem);
  if (found.empty()) return fail(Code::Invalid, "read certificate: no certificate in the PEM text");
  X509* certificate = found.front().get();
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const auto names = name_entries(subject, NID_commonName);
  return CertificateFacts{.subject = name_text(subject),
                          .issuer = name_text(X509_get_issuer_name(certificate)),
                          .common_name = names.empty() ? std::string() : names.back(),
                          .organizations = name_entries(subject, NID_organizationName),
                          .dns_names = alternative_names(certificate, GEN_DNS),
                          .ip_addresses = alternative_names(certificate, GEN_IPADD),
                          .not_before = wall_time(X509_get0_notBefore(certificate)),
                          .not_after = wall_time(X509_get0_notAfter(certificate)),
                          .is_ca = X509_check_ca(certificate) == 1,
                          .public_key_pem = public_key_text(X509_get0_pubkey(certificate))};
}

Result<void> check_issued_by(std::string_view certificate_pem, std::string_view ca_pem) {
  const auto certificates = certificates_from_pem(certificate_pem);
  const auto authorities = certificates_from_pem(ca_pem);
  if (certificates.empty() || authorities.empty())
    return fail(Code::Invalid, "no certificate in the PEM text");
  const bool signed_by_one = std::ranges::any_of(authorities, [&](const CertificatePtr& ca) {
    return X509_verify(certificates.front().get(), X509_get0_pubkey(ca.get())) == 1;
  });
  ERR_clear_error();
  if (signed_by_one) return {};
  return fail(Code::Unauthorized, fmt::format("certificate \"{}\" is not signed by the given CA",
                                              name_text(X509_get_subject_name(certificates.front().get()))));
}

}  // namespace capstan::net
