// The files by which a kubelet joins: the certificate of the cluster's CA, and for a worker a kubeconfig with
// the bootstrap token, which the kubelet exchanges for a certificate of its own; with a NodeConfig what
// capstan-agent needs instead, which writes that kubeconfig. Pure.
#pragma once

#include <vector>

#include "bootstrap/user_data.h"

namespace capstan::bootstrap {

// Of facts that have `join`.
Result<std::vector<UserDataFile>> join_files(const api::CloudConfigJoin& join, const MachineFacts& facts);

}  // namespace capstan::bootstrap
