#include "net/certificate_request.h"

#include <openssl/ec.h>
#include <openssl/pem.h>

#include "base/try.h"
#include "net/openssl.h"

namespace capstan::net {
namespace {

using RequestPtr = std::unique_ptr<X509_REQ, FreeWith<X509_REQ_free>>;

Result<void> set_subject(X509_REQ* request, const Subject& subject) {
  X509_NAME* name = X509_REQ_get_subject_name(request);  // the request keeps it
  const auto add = [&](const char* field, const std::string& text) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                      reinterpret_cast<const unsigned char*>(text.data()),
                                      static_cast<int>(text.size()), -1, 0) == 1;
  };
  ERR_clear_error();
  for (const std::string& organization : subject.organizations)
    if (!add("O", organization)) return openssl_failure("subject organization " + organization);
  if (!add("CN", subject.common_name)) return openssl_failure("subject common name " + subject.common_name);
  return {};
}

}  // namespace

Result<Secret<std::string>> new_private_key() {
  ERR_clear_error();
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return openssl_failure("make a key");
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PKCS8PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return openssl_failure("write private key");
  return Secret(contents(bio.get()));
}

Result<std::string> certificate_request(const Subject& subject, const Secret<std::string>& private_key_pem) {
  const KeyPtr key = TRY(key_from_pem(private_key_pem.reveal()));
  const RequestPtr request(X509_REQ_new());
  TRY(set_subject(request.get(), subject));
  X509_REQ_set_pubkey(request.get(), key.get());
  ERR_clear_error();
  if (X509_REQ_sign(request.get(), key.get(), EVP_sha256()) == 0)
    return openssl_failure("sign certificate request");
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509_REQ(bio.get(), request.get());
  return contents(bio.get());
}

bool belong_together(std::string_view certificate_pem, const Secret<std::string>& private_key_pem) {
  const auto certificates = certificates_from_pem(certificate_pem);
  const auto key = key_from_pem(private_key_pem.reveal());
  if (certificates.empty() || !key) return false;
  const bool same = X509_check_private_key(certificates.front().get(), key->get()) == 1;
  ERR_clear_error();
  return same;
}

}  // namespace capstan::net
