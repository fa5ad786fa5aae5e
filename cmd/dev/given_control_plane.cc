#include "cmd/dev/given_control_plane.h"

#include <boost/json.hpp>

#include "api/names.h"
#include "api/v1beta2/cluster.h"
#include "base/try.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/connect.h"
#include "kubeconfig/secret.h"
#include "net/url.h"

namespace capstan::dev {

Result<std::unique_ptr<GivenControlPlane>> GivenControlPlane::make(const kube::RemoteClient::Seams& seams,
                                                                   kube::Client& management,
                                                                   Secret<std::string> kubeconfig) {
  const auto config = TRY(kubeconfig::parse(kubeconfig.reveal()));
  auto connection = TRY(kubeconfig::connection(config));
  const auto url = TRY(net::parse_url(connection.server));
  std::unique_ptr<GivenControlPlane> given(new GivenControlPlane(management, std::move(kubeconfig)));
  given->plane_.host = url.host;
  given->plane_.port = std::stoi(url.port);
  given->plane_.authority.certificate_pem = connection.ca_pem;
  given->client_ =
      TRY(kube::RemoteClient::make(seams, std::move(connection), {.user_agent = "simulated-kubelets"}));
  return given;
}

Result<infrastructure::sim::ControlPlane> GivenControlPlane::ensure(const kube::ObjectKey& cluster,
                                                                    const Deadline& deadline) {
  const auto owner = TRY(kube::get<api::Cluster>(management_, cluster, deadline));
  const auto secret = kubeconfig::secret_object(cluster,
                                                {.api_version = std::string(api::kApiVersion),
                                                 .kind = std::string(api::kind::kCluster),
                                                 .name = cluster.name,
                                                 .uid = owner.metadata.uid.str()},
                                                kubeconfig_);
  const auto created = management_.create(kube::resources::secrets(), kubeconfig::secret_key_of(cluster),
                                          secret, {}, deadline);
  if (!created && created.error().code != Code::AlreadyExists)
    return fail(created.error().context("create the kubeconfig Secret of cluster " + cluster.describe()));
  return plane_;
}

}  // namespace capstan::dev
