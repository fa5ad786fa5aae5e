// Manifests on their way to an API server: read from files, matched with the kinds the server has, applied
// like kubectl apply --server-side. Used by `up` and `demo`.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "kube/client.h"

namespace capstan::dev {

// All documents of a file. Errors name the file and the line.
Result<std::vector<boost::json::value>> read_manifests(const std::string& path);

// Which collection an object goes to, by the server's own discovery.
Result<kube::Resource> resource_of(kube::Client& client, const boost::json::value& object,
                                   const Deadline& deadline);

// The name of what was applied, "MachineDeployment default/workers".
Result<std::string> apply_manifest(kube::Client& client, const boost::json::value& object,
                                   const Deadline& deadline);

}  // namespace capstan::dev
