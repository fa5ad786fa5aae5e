#include "net/signing_request.h"

#include <openssl/pem.h>

#include "base/try.h"
#include "net/openssl.h"

namespace capstan::net {
namespace {

using RequestPtr = std::unique_ptr<X509_REQ, FreeWith<X509_REQ_free>>;

Result<RequestPtr> parsed_request(std::string_view pem) {
  ERR_clear_error();
  const BioPtr bio = memory_bio(pem);
  RequestPtr request(PEM_read_bio_X509_REQ(bio.get(), nullptr, nullptr, nullptr));
  if (!request) return openssl_failure("read certificate request");
  return request;
}

// Who asks holds the key that the certificate will be for.
Result<void> check_signature(X509_REQ* request) {
  ERR_clear_error();
  EVP_PKEY* key = X509_REQ_get0_pubkey(request);
  if (key == nullptr || X509_REQ_verify(request, key) != 1)
    return openssl_failure("check the signature of a certificate request");
  return {};
}

}  // namespace

Result<SigningRequestFacts> read_signing_request(std::string_view pem) {
  const RequestPtr request = TRY(parsed_request(pem));
  TRY(check_signature(request.get()));
  const X509_NAME* subject = X509_REQ_get_subject_name(request.get());
  const auto names = name_entries(subject, NID_commonName);
  return SigningRequestFacts{.common_name = names.empty() ? std::string() : names.back(),
                             .organizations = name_entries(subject, NID_organizationName),
                             .subject_entries = static_cast<std::size_t>(X509_NAME_entry_count(subject)),
                             .asks_for_extensions = X509_REQ_get_attr_count(request.get()) > 0};
}

}  // namespace capstan::net
