#include "infrastructure/controller/cluster/authority_secret.h"

#include <boost/json.hpp>

#include "api/names.h"
#include "base/base64.h"
#include "runtime/snapshot.h"

namespace capstan::infrastructure::cluster {

namespace json = boost::json;

kube::ObjectKey authority_key(const kube::ObjectKey& cluster) {
  return {.namespace_ = cluster.namespace_, .name = cluster.name + std::string(api::secret::kCaSuffix)};
}

json::value authority_secret(const api::Cluster& cluster, const net::KeyAndCertificate& authority) {
  const kube::ObjectKey key = authority_key(runtime::key_of(cluster));
  json::object labels;
  labels[api::label::kClusterName] = cluster.metadata.name.view();
  json::object data;
  data[api::secret::kTlsCertificateKey] = base64_encode(authority.certificate_pem);
  data[api::secret::kTlsPrivateKey] = base64_encode(authority.private_key_pem.reveal());
  json::array owners;
  owners.push_back(json::object{{"apiVersion", api::kApiVersion},
                                {"kind", api::kind::kCluster},
                                {"name", cluster.metadata.name.view()},
                                {"uid", cluster.metadata.uid.str()}});
  return json::object{{"apiVersion", "v1"},
                      {"kind", "Secret"},
                      {"metadata", json::object{{"name", key.name},
                                                {"namespace", key.namespace_},
                                                {"labels", std::move(labels)},
                                                {"ownerReferences", std::move(owners)}}},
                      {"type", api::secret::kType},
                      {"data", std::move(data)}};
}

}  // namespace capstan::infrastructure::cluster
