#include "agent/enrolment.h"

#include "agent/memory.h"
#include "agent/places.h"
#include "base/try.h"
#include "net/certificate_request.h"
#include "net/pki.h"

namespace capstan::agent {
namespace {

constexpr std::string_view kBeginRequest = "-----BEGIN CERTIFICATE REQUEST-----";

// Behind the key; empty when there is none.
std::string request_in(std::string_view text) {
  const auto begin = text.find(kBeginRequest);
  return begin == std::string_view::npos ? std::string() : std::string(text.substr(begin));
}

Result<std::string> make_request(const Root& root, const net::Subject& subject, const Mark& own) {
  const auto key = TRY(net::new_private_key());
  std::string request = TRY(net::certificate_request(subject, key));
  TRY(write_own(root, kNextFile, key.reveal() + request, own));
  return request;
}

// None when it can't be read, or is for another key.
std::optional<Validity> read_validity(const std::string& text) {
  const auto facts = net::read_certificate(text);
  if (!facts || !net::belong_together(text, Secret(text))) return {};
  return Validity{.not_before = facts->not_before, .not_after = facts->not_after};
}

}  // namespace

OwnCertificate own_certificate(const Root& root, const OwnCertificate& known, WallTime received,
                               WallTime now) {
  const auto text = root.read(kCertificateFile);
  if (!text || !*text) return {};
  auto validity = **text == known.text ? known.validity : read_validity(**text);
  if (!validity) return {};
  validity->received = received;
  return {.text = **text, .validity = validity, .standing = standing(*validity, now)};
}

Result<std::string> next_request(const Root& root, const net::Subject& subject, const Mark& own) {
  const auto known = TRY(root.read(kNextFile));
  std::string request = known ? request_in(*known) : std::string();
  if (!request.empty()) return request;
  return make_request(root, subject, own);
}

// One that stays costs a request that is answered with a certificate that is old already.
void drop_request(const Root& root) {
  if (root.exists(kNextFile)) static_cast<void>(root.remove(kNextFile));
}

Result<std::string> with_its_key(const Root& root, const std::string& certificate_pem) {
  const std::string known = TRY(root.read(kNextFile)).value_or("");
  const std::string key = known.substr(0, known.find(kBeginRequest));
  if (!net::belong_together(certificate_pem, Secret(key)))
    return fail(Code::Invalid, "the certificate that came is for another key");
  return key + certificate_pem;
}

Result<void> take_certificate(const Root& root, const std::string& key_and_certificate, const Mark& own) {
  TRY(write_own(root, kCertificateFile, key_and_certificate, own));
  drop_request(root);
  return {};
}

}  // namespace capstan::agent
