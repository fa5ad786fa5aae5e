// The agent's certificate on disk: the one it has, and the one it asks for. One thread.
#pragma once

#include <optional>
#include <string>

#include "agent/identity.h"
#include "agent/root.h"
#include "base/instant.h"
#include "base/result.h"

namespace capstan::agent {

struct OwnCertificate {
  std::string text = {};  // key and certificate
  std::optional<Validity> validity = {};
  Standing standing = Standing::Missing;
};
// `received`: when it came, by this machine's clock. What can't be read is missing. One with the text of the
// `known` is not read again.
OwnCertificate own_certificate(const Root& root, const OwnCertificate& known, WallTime received,
                               WallTime now);

// PEM of a new request, or of the one that a process before this made and had no answer to.
Result<std::string> next_request(const Root& root, const net::Subject& subject, const Mark& own);
void drop_request(const Root& root);
// The answer to it behind its key. Invalid: it is for another one.
Result<std::string> with_its_key(const Root& root, const std::string& certificate_pem);
// That takes the place of the certificate.
Result<void> take_certificate(const Root& root, const std::string& key_and_certificate, const Mark& own);

}  // namespace capstan::agent
