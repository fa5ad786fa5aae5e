// Which permissions of a role an audit log shows in use, and which not. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "test/envtest/audit.h"

namespace capstan::envtest {

// "patch machines/status.cluster.x-k8s.io" for each verb and resource of these rules (of a Role or
// ClusterRole) that no entry needed, in the order of the rules. A "*" counts as used when any resource of the
// group was asked for with that verb.
std::vector<std::string> unused_permissions(const boost::json::value& rules,
                                            const std::vector<AuditEntry>& entries);

// Those of `permissions` that `others` does not have, in their order.
std::vector<std::string> without(std::vector<std::string> permissions,
                                 const std::vector<std::string>& others);

}  // namespace capstan::envtest
