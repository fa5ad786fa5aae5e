// What the agent asks of the workload cluster's API server, and what it makes of the answers: its
// certificate, the one Secret, and its own Node. What takes a deadline blocks until then; from any thread.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "agent/report.h"
#include "base/deadline.h"
#include "base/result.h"
#include "kube/client.h"

namespace capstan::agent {

// Asks for a certificate, or looks what became of the same request. Nothing: it is not signed yet. Invalid:
// it was denied or failed; another request is needed.
Result<std::optional<std::string>> signed_certificate(kube::Client& client, std::string_view request_pem,
                                                      const Deadline& deadline);

struct Offer {
  std::string text = {};  // the NodeConfig's spec as JSON
  std::string checksum = {};
  std::string release = {};
};
// Invalid: the Secret is not to be used; the agent reports that on its Node.
Result<Offer> offer_in(const boost::json::value& secret);

struct OwnNode {
  Annotations annotations = {};
  Annotations labels = {};
  std::string kubelet_version = {};
  std::string resource_version = {};
};
OwnNode own_node_in(const boost::json::value& node);
// The Node as it is afterwards. With a version: a Conflict when the Node has another one by then.
Result<OwnNode> mark_node(kube::Client& client, const kube::ObjectKey& node, const NodeMarks& marks,
                          const Deadline& deadline, const std::string& version = {});

kube::ObjectKey secret_key(const std::string& secret);
std::string version_of(const boost::json::value& object);

}  // namespace capstan::agent
