#include "net/openssl.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/pem.h>

#include <chrono>
#include <ctime>

namespace capstan::net {
namespace {

std::string text_of(const ASN1_STRING* value) {
  unsigned char* bytes = nullptr;
  const int length = ASN1_STRING_to_UTF8(&bytes, value);
  if (length < 0) return {};
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  OPENSSL_free(bytes);
  return text;
}

std::string address_text(const ASN1_OCTET_STRING* bytes) {
  char text[INET6_ADDRSTRLEN] = {};
  const int length = ASN1_STRING_length(bytes);
  const unsigned char* raw = ASN1_STRING_get0_data(bytes);
  if (length == 4) inet_ntop(AF_INET, raw, text, sizeof text);
  if (length == 16) inet_ntop(AF_INET6, raw, text, sizeof text);
  return text;
}

}  // namespace

std::string take_openssl_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "unknown error";
  const char* reason = ERR_reason_error_string(code);
  if (reason != nullptr) return reason;
  char text[256] = {};
  ERR_error_string_n(code, text, sizeof text);
  return text;
}

Failure openssl_failure(std::string_view doing) {
  return fail(Code::Invalid, fmt::format("{}: {}", doing, take_openssl_error()));
}

BioPtr memory_bio(std::string_view bytes) {
  return BioPtr(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

std::string contents(BIO* bio) {
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(bio, &bytes);
  return length > 0 ? std::string(bytes, static_cast<std::size_t>(length)) : std::string();
}

std::vector<CertificatePtr> certificates_from_pem(std::string_view pem) {
  std::vector<CertificatePtr> found;
  const BioPtr bio = memory_bio(pem);
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    X509_check_purpose(next, -1,
                       0);  // parses the extensions now: later, connections share it between threads
    found.emplace_back(next);
  }
  ERR_clear_error();  // "no start line" marks the end
  return found;
}

Result<KeyPtr> key_from_pem(std::string_view pem) {
  ERR_clear_error();
  const BioPtr bio = memory_bio(pem);
  // An encrypted key is refused: without this callback OpenSSL would ask on the terminal.
  const auto no_password = [](char*, int, int, void*) { return 0; };
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  if (!key) return openssl_failure("read private key");
  return key;
}

std::string name_text(const X509_NAME* name) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB));
  return contents(bio.get());
}

std::vector<std::string> name_entries(const X509_NAME* name, int nid) {
  std::vector<std::string> values;
  for (int at = -1; (at = X509_NAME_get_index_by_NID(name, nid, at)) >= 0;) {
    values.push_back(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at))));
  }
  return values;
}

std::vector<std::string> alternative_names(const X509* certificate, int type) {
  std::vector<std::string> values;
  const std::unique_ptr<GENERAL_NAMES, FreeWith<GENERAL_NAMES_free>> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != type) continue;
    values.push_back(type == GEN_IPADD ? address_text(name->d.iPAddress) : text_of(name->d.dNSName));
  }
  return values;
}

WallTime wall_time(const ASN1_TIME* time) {
  std::tm parts = {};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) return {};
  const auto day = std::chrono::year(parts.tm_year + 1900) / (parts.tm_mon + 1) / parts.tm_mday;
  return std::chrono::sys_days(day) + std::chrono::hours(parts.tm_hour) + std::chrono::minutes(parts.tm_min) +
         std::chrono::seconds(parts.tm_sec);
}

std::string utc_text(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace capstan::net
