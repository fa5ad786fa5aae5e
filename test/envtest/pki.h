// The certificates of one test control plane, made by the openssl program in a folder: a CA, leafs signed by
// it, and a key for service account tokens. All keys are P-256. Used by RealServers; not safe to share
// between threads.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace capstan::envtest {

struct KeyPair {
  std::filesystem::path certificate = {};
  std::filesystem::path key = {};
};

class Pki {
 public:
  // Makes the folder, ca.{crt,key} and sa.{key,pub}.
  static Result<Pki> create(const std::filesystem::path& folder);

  // For 127.0.0.1, localhost and kubernetes.
  Result<KeyPair> issue_server(std::string_view name) const;
  // What Kubernetes takes for user `user` of group `group` (empty: no group). Files are named after the user.
  Result<KeyPair> issue_client(std::string_view user, std::string_view group) const;

  KeyPair ca() const { return pair("ca"); }
  std::filesystem::path token_key() const { return folder_ / "sa.key"; }
  std::filesystem::path token_public_key() const { return folder_ / "sa.pub"; }

 private:
  explicit Pki(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> issue_ca() const;
  Result<void> make_token_key() const;
  Result<KeyPair> issue(std::string_view name, std::string_view subject, std::string_view extensions) const;
  KeyPair pair(std::string_view name) const;

  std::filesystem::path folder_;
};

}  // namespace capstan::envtest
