#include "controllers/cluster/kubeconfig_keeper.h"

#include <boost/json.hpp>

#include "api/core/secret.h"
#include "api/names.h"
#include "base/base64.h"
#include "base/try.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/issue.h"
#include "kubeconfig/secret.h"
#include "runtime/ownership.h"

namespace capstan::controllers::cluster {
namespace {

namespace json = boost::json;

constexpr Seconds kLookAgain{30};
// A Secret that works is still deleted now and then, to have it reissued.
constexpr Seconds kGlance = std::chrono::hours(1);

// What stands under the name of the Secret.
struct Present {
  bool exists = false;
  bool ours = false;
  std::string version = {};
  std::optional<WallTime> ends = {};
};

Result<Present> look(kube::Client& client, const api::Cluster& cluster, const Deadline& deadline) {
  const kube::ObjectKey key = kubeconfig::secret_key_of(kube::key_of(cluster));
  const auto answer = client.get(kube::resources::secrets(), key, deadline);
  if (!answer && answer.error().code == Code::NotFound) return Present{};
  if (!answer) return fail(answer.error().context("get secret " + key.describe()));
  const auto metadata = TRY(api::from_json<api::ObjectMeta>(answer->at("metadata")));
  Present present{.exists = true,
                  .ours = runtime::is_owned_by(metadata, cluster.metadata.uid),
                  .version = metadata.resource_version.str()};
  const auto content = TRY(api::read_secret(*answer));
  const auto config = kubeconfig::kubeconfig_in(content);
  if (config) present.ends = kubeconfig::certificate_end(*config);
  return present;
}

// Nothing while there is no CA.
Result<std::optional<kubeconfig::Kubeconfig>> issue(kube::Client& client, const api::Cluster& cluster,
                                                    WallTime now, const Deadline& deadline) {
  const kube::ObjectKey key = kubeconfig::ca_key_of(kube::key_of(cluster));
  const auto answer = client.get(kube::resources::secrets(), key, deadline);
  if (!answer && answer.error().code == Code::NotFound) return std::nullopt;
  if (!answer) return fail(answer.error().context("get secret " + key.describe()));
  const auto ca = TRY(api::read_secret(*answer));
  const auto& endpoint = cluster.spec.control_plane_endpoint;
  return TRY(kubeconfig::issue_admin(ca, {.cluster_name = cluster.metadata.name.str(),
                                          .host = endpoint.host.str(),
                                          .port = endpoint.port.value_or(0),
                                          .now = now}));
}

Result<void> write(kube::Client& client, const api::Cluster& cluster, const Present& present,
                   const kubeconfig::Kubeconfig& config, const Deadline& deadline) {
  const kube::ObjectKey cluster_key = kube::key_of(cluster);
  const kube::ObjectKey key = kubeconfig::secret_key_of(cluster_key);
  const auto text = TRY(kubeconfig::render(config));
  Result<json::value> written = fail(Code::Internal, {});
  if (present.exists) {
    json::object content;
    content[api::secret::kValueKey] = base64_encode(text.reveal());
    const json::value body = {{"metadata", {{"resourceVersion", present.version}}},
                              {"data", std::move(content)}};
    written = client.patch(kube::resources::secrets(), key, body,
                           {.field_manager = std::string(api::field_manager::kManager)}, deadline);
  } else {
    const kubeconfig::Owner owner{.api_version = std::string(api::kApiVersion),
                                  .kind = std::string(api::kind::kCluster),
                                  .name = cluster_key.name,
                                  .uid = cluster.metadata.uid.str()};
    written =
        client.create(kube::resources::secrets(), key, kubeconfig::secret_object(cluster_key, owner, text),
                      {.field_manager = std::string(api::field_manager::kManager)}, deadline);
    // Somebody was faster: whoever it was, there is one now.
    if (!written && written.error().code == Code::AlreadyExists) return {};
  }
  if (!written) return fail(written.error().context("write secret " + key.describe()));
  return {};
}

}  // namespace

std::optional<KubeconfigKeeper::Known> KubeconfigKeeper::known(const api::Cluster& cluster) const {
  const auto found = known_.with([&](const auto& all) -> std::optional<Known> {
    const auto at = all.find(kube::key_of(cluster));
    return at == all.end() ? std::nullopt : std::optional<Known>(at->second);
  });
  return found && found->cluster == cluster.metadata.uid ? found : std::nullopt;
}

Result<KubeconfigKeeper::Kept> KubeconfigKeeper::keep(const api::Cluster& cluster, bool connected,
                                                      const Deadline& deadline) {
  const SteadyTime now = clock_.steady_now();
  const auto before = known(cluster);
  if (before && now - before->checked < before->patience(connected))
    return Kept{.look_again = before->look_again(now)};

  Known after{.cluster = cluster.metadata.uid, .checked = now};
  Kept kept;
  const WallTime date = clock_.now();
  const Present present = TRY(look(client_, cluster, deadline));
  const bool ends_soon = present.ours && present.ends && *present.ends - date < kubeconfig::kRenewBefore;
  if (present.exists && !ends_soon) {
    // It is as it should be; what somebody else put there is theirs to renew.
  } else if (const auto issued = TRY(issue(client_, cluster, date, deadline))) {
    TRY(write(client_, cluster, present, *issued, deadline));
    kept.made = true;
  } else {
    after.lacks_ca = true;
    kept.lacks_ca = !before || !before->lacks_ca;
  }
  known_.with([&](auto& all) { all[kube::key_of(cluster)] = after; });
  kept.look_again = after.look_again(now);
  return kept;
}

Seconds KubeconfigKeeper::Known::patience(bool connected) const {
  return connected && !lacks_ca ? kGlance : kLookAgain;
}

std::optional<Seconds> KubeconfigKeeper::Known::look_again(SteadyTime now) const {
  if (!lacks_ca) return std::nullopt;  // the periodic resync brings turns enough
  return std::chrono::ceil<Seconds>(kLookAgain - (now - checked));
}

void KubeconfigKeeper::forget(const kube::ObjectKey& cluster) {
  known_.with([&](auto& all) { all.erase(cluster); });
}

}  // namespace capstan::controllers::cluster
