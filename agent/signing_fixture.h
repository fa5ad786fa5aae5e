// A signer of certificates for tests: what kube-controller-manager does with a request that was approved.
#pragma once

#include <openssl/pem.h>

#include <string>

#include "base/instant.h"
#include "net/openssl.h"
#include "net/pki.h"

namespace capstan::agent {

// The certificate of the request's subject and key, as PEM.
inline std::string sign_request(const net::KeyAndCertificate& ca, std::string_view request_pem,
                                WallTime not_before, WallTime not_after) {
  using RequestPtr = std::unique_ptr<X509_REQ, net::FreeWith<X509_REQ_free>>;
  const auto seconds = [](WallTime time) {
    return static_cast<time_t>(std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count());
  };
  const net::BioPtr text = net::memory_bio(request_pem);
  const RequestPtr request(PEM_read_bio_X509_REQ(text.get(), nullptr, nullptr, nullptr));
  const auto issuer = net::certificates_from_pem(ca.certificate_pem);
  const auto key = net::key_from_pem(ca.private_key_pem.reveal());
  const net::CertificatePtr made(X509_new());
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 7);
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_TIME_set(X509_getm_notBefore(made.get()), seconds(not_before));
  ASN1_TIME_set(X509_getm_notAfter(made.get()), seconds(not_after));
  X509_set_subject_name(made.get(), X509_REQ_get_subject_name(request.get()));
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer.front().get()));
  X509_set_pubkey(made.get(), X509_REQ_get0_pubkey(request.get()));
  X509_sign(made.get(), key->get(), EVP_sha256());
  const net::BioPtr written(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(written.get(), made.get());
  return net::contents(written.get());
}

}  // namespace capstan::agent
