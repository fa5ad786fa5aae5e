// A request for an agent's certificate: a CertificateSigningRequest of a workload cluster whose subject says
// that it is for capstan-agent. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/object_key.h"
#include "kube/resource.h"
#include "net/signing_request.h"

namespace capstan::bootstrap::approval {

// The signer of client certificates.
inline constexpr std::string_view kSigner = "kubernetes.io/kube-apiserver-client";

const kube::Resource& signing_requests();

struct Request {
  std::string name = {};
  std::string version = {};
  std::string requester = {};  // user name of who asks
  std::vector<std::string> groups = {};
  std::vector<std::string> usages = {};
  bool decided = false;  // it was approved or denied
  bool approved = false;
  net::SigningRequestFacts subject = {};
};
// Nothing for requests to another signer, of another subject, or that can't be read.
std::optional<Request> read_request(const boost::json::value& object);

// Whom the certificate would be of.
struct Identity {
  std::string namespace_ = {};
  std::string machine = {};  // of an instance of a pool: its host name
  std::string node_config = {};
  bool operator==(const Identity&) const = default;
};
// Nothing when common name and organization do not fit each other, or the request says more than these.
std::optional<Identity> identity_in(const Request& request);

// "abcdef" of a requester that has shown bootstrap token abcdef; "" for others.
std::string token_id_of(const Request& request);
// "n1" of the kubelet of Node n1; "" for others.
std::string node_of(const Request& request);

enum class Decision { Approve, Deny };
// The patch of the subresource "approval" of a request that is of that version.
boost::json::value decision_patch(Decision decision, std::string_view message, std::string_view version);

}  // namespace capstan::bootstrap::approval
