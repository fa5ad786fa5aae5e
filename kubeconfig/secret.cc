#include "kubeconfig/secret.h"

#include <boost/json.hpp>

#include "api/names.h"
#include "base/base64.h"
#include "base/try.h"
#include "kube/resources.h"

namespace capstan::kubeconfig {
namespace json = boost::json;

api::ObjectKey secret_key_of(const api::ObjectKey& cluster) {
  return {cluster.namespace_, cluster.name + std::string(api::secret::kKubeconfigSuffix)};
}

Result<Kubeconfig> kubeconfig_in(const api::SecretContent& secret) {
  const std::string which = "secret " + secret.namespace_ + "/" + secret.name;
  const Secret<std::string>* content = secret.find(api::secret::kValueKey);
  if (content == nullptr)
    return fail(Code::Invalid, which + " has no key \"" + std::string(api::secret::kValueKey) + "\"");
  auto config = parse(content->reveal());
  if (!config) return fail(config.error().context(which));
  return config;
}

Result<api::SecretContent> read(kube::Client& client, const api::ObjectKey& cluster,
                                const Deadline& deadline) {
  const api::ObjectKey key = secret_key_of(cluster);
  const auto answer = client.get(kube::resources::secrets(), key, deadline);
  if (!answer) return fail(answer.error().context("get secret " + key.describe()));
  return api::read_secret(*answer);
}

json::value secret_object(const api::ObjectKey& cluster, const Owner& owner,
                          const Secret<std::string>& kubeconfig) {
  const api::ObjectKey key = secret_key_of(cluster);
  json::object labels;
  labels[api::label::kClusterName] = cluster.name;
  json::object owner_reference = {
      {"apiVersion", owner.api_version}, {"kind", owner.kind}, {"name", owner.name}, {"uid", owner.uid}};
  json::object content;
  content[api::secret::kValueKey] = base64_encode(kubeconfig.reveal());
  json::array owners;
  owners.push_back(std::move(owner_reference));
  return json::object{{"apiVersion", "v1"},
                      {"kind", "Secret"},
                      {"metadata", json::object{{"name", key.name},
                                                {"namespace", key.namespace_},
                                                {"labels", std::move(labels)},
                                                {"ownerReferences", std::move(owners)}}},
                      {"type", api::secret::kType},
                      {"data", std::move(content)}};
}

}  // namespace capstan::kubeconfig
