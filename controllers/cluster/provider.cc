#include "controllers/cluster/provider.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/contract/control_plane.h"
#include "api/contract/foreign_conditions.h"
#include "api/contract/infra_cluster.h"
#include "base/try.h"

namespace capstan::controllers::cluster {
namespace {

namespace contract = api::contract;
using contract::ContractVersion;

struct Fields {
  std::string_view reference = {};
  std::string_view condition = {};
  contract::Path flag = {};      // contract v1beta2
  contract::Path old_flag = {};  // contract v1beta1
};
constexpr Fields kInfrastructure = {"spec.infrastructureRef", api::condition::kReady,
                                    contract::path::kProvisioned, contract::path::kReady};
constexpr Fields kControlPlane = {"spec.controlPlaneRef", api::condition::kAvailable,
                                  contract::path::kControlPlaneInitialized, contract::path::kInitialized};

// An object that was made for the older contract under a CRD that promises the newer one: without a message
// the Cluster and its user would wait for ever.
std::string outdated(const contract::Foreign& object, const Fields& fields, const Referred& referred) {
  if (referred.contract != ContractVersion::V1Beta2 || object.at(fields.flag)) return {};
  const auto old = contract::read_bool(object, fields.old_flag);
  if (!old || !*old || !**old) return {};
  return fmt::format(
      "{} sets {}, the field of contract v1beta1, but not {}, which the label cluster.x-k8s.io/v1beta2 of "
      "its CustomResourceDefinition promises; update the provider or remove the label",
      referred.kind, fields.old_flag.str(), fields.flag.str());
}

void read_condition(Provider& provider, const contract::Foreign& object, const Fields& fields) {
  auto condition = contract::read_condition(object, fields.condition);
  if (condition) {
    provider.condition = std::move(*condition);
  } else {
    provider.condition_problem = condition.error().message;
  }
  provider.v1beta1_ready = contract::read_v1beta1_ready(object);
}

Result<void> read_infrastructure_fields(Provider& provider, const contract::InfraCluster& view) {
  provider.done = TRY(view.provisioned());
  provider.endpoint = TRY(view.control_plane_endpoint());
  provider.failure_domains = TRY(view.failure_domains());
  provider.failures = TRY(view.failures());
  return {};
}

Result<void> read_control_plane_fields(Provider& provider, const contract::ControlPlane& view) {
  provider.done = TRY(view.initialized());
  provider.endpoint = TRY(view.control_plane_endpoint());
  provider.failures = TRY(view.failures());
  return {};
}

std::string whose(const Fields& fields, const Referred& referred) {
  const Claim& claim = referred.claim;
  if (claim.other.empty())
    return fmt::format(
        "{}: {} {} belongs to Cluster {}, unless that is gone, which the API server is asked for",
        fields.reference, referred.kind, referred.key.name, claim.unseen.front());
  const std::string told = fmt::format("{}: {} {} belongs to Cluster {}, which {}", fields.reference,
                                       referred.kind, referred.key.name, claim.other,
                                       claim.other_owns ? "is its owner" : "names it, too, and comes first");
  if (!referred.also_owned.empty())
    return fmt::format("{}; this Cluster owns {} {}: point {} at it again", told, referred.kind,
                       referred.also_owned, fields.reference);
  return told +
         "; point the reference at an object of this Cluster's own, or delete this Cluster: that object "
         "stays";
}

bool is_of_another(const Referred& referred) {
  return !referred.claim.other.empty() || (referred.claim.is_free() && !referred.claim.unseen.empty());
}

template <typename View>
Provider read(const Referred& referred, const Fields& fields,
              Result<void> (*read_fields)(Provider&, const View&)) {
  Provider provider{.kind = referred.kind};
  if (!referred.wanted) return provider;
  if (!referred.problem.empty()) {
    provider.presence = Presence::Unreadable;
    provider.problem = fmt::format("{}: {}", fields.reference, referred.problem);
    return provider;
  }
  if (is_of_another(referred)) {
    provider.presence = Presence::OfAnother;
    provider.problem = whose(fields, referred);
    return provider;
  }
  if (!referred.object) {
    provider.presence = Presence::Missing;
    return provider;
  }
  provider.presence = Presence::Present;
  const contract::Foreign object(*referred.object);
  provider.deleting = object.deleting();
  provider.described = fmt::format("{}, Kind={} with name \"{}\"", referred.resource.api_version(),
                                   referred.kind, referred.key.name);
  if (!referred.also_owned.empty()) {
    provider.also_owned = fmt::format(
        "this Cluster owns {0} {1}, too, which {2} does not name any more: it goes when the "
        "Cluster is gone; point {2} at it again if it is the one in use",
        referred.kind, referred.also_owned, fields.reference);
  }
  read_condition(provider, object, fields);
  provider.outdated = outdated(object, fields, referred);
  const auto complete = read_fields(provider, View(object, referred.contract));
  if (!complete) {
    provider.presence = Presence::Unreadable;
    provider.problem = fmt::format("{}: {}", fields.reference, complete.error().message);
  }
  return provider;
}

}  // namespace

Provider read_infrastructure(const Referred& referred) {
  return read<contract::InfraCluster>(referred, kInfrastructure, read_infrastructure_fields);
}

Provider read_control_plane(const Referred& referred) {
  return read<contract::ControlPlane>(referred, kControlPlane, read_control_plane_fields);
}

}  // namespace capstan::controllers::cluster
