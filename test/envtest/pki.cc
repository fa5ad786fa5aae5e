#include "test/envtest/pki.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include "base/try.h"
#include "test/envtest/child_process.h"

namespace capstan::envtest {
namespace {

constexpr auto kOpensslPatience = std::chrono::seconds(20);
const std::vector<std::string> kFreshKey = {"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"};

Result<void> openssl(std::vector<std::string> arguments, const std::vector<std::string>& more = {}) {
  arguments.insert(arguments.begin(), "openssl");
  arguments.insert(arguments.end(), more.begin(), more.end());
  TRY(output_of({.argv = std::move(arguments)}, kOpensslPatience));
  return {};
}

// "system:kube-controller-manager" is a fine user and a poor file name.
std::string file_name_for(std::string_view user) {
  std::string name(user);
  std::ranges::replace_if(name, [](char c) { return c == ':' || c == '/'; }, '-');
  return name;
}

}  // namespace

Result<Pki> Pki::create(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return fail(Code::Internal, fmt::format("{}: {}", folder.string(), failed.message()));
  Pki pki(folder);
  TRY(pki.issue_ca());
  TRY(pki.make_token_key());
  return pki;
}

Result<void> Pki::issue_ca() const {
  return openssl({"req", "-x509", "-days", "3650", "-subj", "/CN=capstan-envtest-ca", "-keyout", ca().key,
                  "-out", ca().certificate, "-addext", "basicConstraints=critical,CA:TRUE", "-addext",
                  "keyUsage=critical,keyCertSign,cRLSign,digitalSignature"},
                 kFreshKey);
}

Result<void> Pki::make_token_key() const {
  TRY(openssl({"genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", token_key()}));
  return openssl({"pkey", "-in", token_key(), "-pubout", "-out", token_public_key()});
}

Result<KeyPair> Pki::issue_server(std::string_view name) const {
  return issue(name, fmt::format("/CN={}", name),
               "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes\nextendedKeyUsage=serverAuth\n");
}

Result<KeyPair> Pki::issue_client(std::string_view user, std::string_view group) const {
  const std::string organisation = group.empty() ? "" : fmt::format("/O={}", group);
  return issue(file_name_for(user), fmt::format("{}/CN={}", organisation, user),
               "extendedKeyUsage=clientAuth\n");
}

Result<KeyPair> Pki::issue(std::string_view name, std::string_view subject,
                           std::string_view extensions) const {
  KeyPair issued = pair(name);
  const std::string request = folder_ / fmt::format("{}.csr", name);
  TRY(openssl({"req", "-new", "-subj", std::string(subject), "-keyout", issued.key, "-out", request},
              kFreshKey));
  TRY(output_of(
      {.argv = {"openssl", "x509", "-req", "-in", request, "-CA", ca().certificate, "-CAkey", ca().key,
                "-CAcreateserial", "-days", "3650", "-extfile", "/dev/stdin", "-out", issued.certificate},
       .input = std::string(extensions)},
      kOpensslPatience));
  return issued;
}

KeyPair Pki::pair(std::string_view name) const {
  return {.certificate = folder_ / fmt::format("{}.crt", name), .key = folder_ / fmt::format("{}.key", name)};
}

}  // namespace capstan::envtest
