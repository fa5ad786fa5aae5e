// The Secret "<cluster>-ca", under the name that the Cluster API book gives it ("Using Custom Certificates"):
// the authority that signs the client certificates of the workload cluster. Pure.
#pragma once

#include <boost/json/fwd.hpp>

#include "api/v1beta2/cluster.h"
#include "kube/resource.h"
#include "net/pki.h"

namespace capstan::infrastructure::cluster {

kube::ObjectKey authority_key(const kube::ObjectKey& cluster);
boost::json::value authority_secret(const api::Cluster& cluster, const net::KeyAndCertificate& authority);

}  // namespace capstan::infrastructure::cluster
