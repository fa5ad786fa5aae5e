// From a kubeconfig to the settings RemoteClient is made of: the manager's own cluster and workload clusters.
// Pure, but for load(), which reads a file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/connection.h"
#include "kubeconfig/kubeconfig.h"

namespace capstan::kubeconfig {

struct Choice {
  std::string context = {};  // empty: the kubeconfig's current one
  // Relative paths in the kubeconfig start here.
  std::string directory = {};
  // Files are our own machine's. A kubeconfig that came out of a Secret must not name any, or a user who may
  // write the Secret could have our token sent to a server of their own.
  bool allow_files = true;
};

// Errors name the context, cluster or user entry that does not fit. An empty name is a name, as for
// client-go.
Result<kube::Connection> connection(const Kubeconfig& config, const Choice& choice = {});

// A kubeconfig file; its folder is where relative paths start.
Result<kube::Connection> load(const std::string& path, const std::string& context = {});

}  // namespace capstan::kubeconfig
