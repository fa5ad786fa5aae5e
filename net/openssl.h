// Internal to net/: includes OpenSSL, so only net/*.cc may include it. Owning pointers for OpenSSL's objects,
// and its error queue as text.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace capstan::net {

template <auto Free>
struct FreeWith {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, FreeWith<X509_free>>;
using StorePtr = std::unique_ptr<X509_STORE, FreeWith<X509_STORE_free>>;
using SslPtr = std::unique_ptr<SSL, FreeWith<SSL_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>>;

// The oldest error in this thread's queue, in words; the queue is empty afterwards.
std::string take_openssl_error();
Failure openssl_failure(std::string_view doing);

BioPtr memory_bio(std::string_view bytes);
std::string contents(BIO* bio);
std::vector<CertificatePtr> certificates_from_pem(std::string_view pem);
Result<KeyPtr> key_from_pem(std::string_view pem);

std::string name_text(const X509_NAME* name);                           // "CN=a,O=b"
std::vector<std::string> name_entries(const X509_NAME* name, int nid);  // every CN, every O
std::vector<std::string> alternative_names(const X509* certificate,
                                           int type);  // GEN_DNS or GEN_IPADD, as text
WallTime wall_time(const ASN1_TIME* time);
std::string utc_text(WallTime time);  // "2020-01-02T03:04:05Z"

}  // namespace capstan::net
