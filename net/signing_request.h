// What a request for a certificate (PKCS #10, as PEM) says. Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capstan::net {

struct SigningRequestFacts {
  std::string common_name = {};
  std::vector<std::string> organizations = {};
  std::size_t subject_entries = 0;   // of every kind: more than the two above name something else, too
  bool asks_for_extensions = false;  // alternative names, key usages, or anything else beside the subject
};

// Of the first request in the text. Invalid when there is none, or it is not signed by its own key.
Result<SigningRequestFacts> read_signing_request(std::string_view pem);

}  // namespace capstan::net
