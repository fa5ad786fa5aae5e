// What the agent asks of the workload cluster's API server: its certificate, the one Secret, and its own
// Node. Each blocks until the deadline; from any thread.
#pragma once

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
  std::string resource_version = {};
};
// Invalid: the Secret is there and not to be used; the agent reports that on its Node.
Result<Offer> read_offer(kube::Client& client, const std::string& secret, const Deadline& deadline);

struct OwnNode {
  Annotations annotations = {};
  std::string kubelet_version = {};
  std::string resource_version = {};
};
Result<OwnNode> read_node(kube::Client& client, const std::string& name, const Deadline& deadline);
// Nothing is sent when nothing changes. With a version: a Conflict when the Node has another one by then.
Result<void> annotate(kube::Client& client, const kube::ObjectKey& node, const AnnotationChanges& changes,
                      const Deadline& deadline, const std::string& version = {});

kube::ObjectKey secret_key(const std::string& secret);

}  // namespace capstan::agent
