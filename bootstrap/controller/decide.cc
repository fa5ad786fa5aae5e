#include "bootstrap/controller/decide.h"

#include "api/names.h"
#include "bootstrap/cloud_config.h"

namespace capstan::bootstrap::controller {
namespace {

namespace reason = api::bootstrap_reason;

// Handing over takes a moment in every healthy creation; a condition for it would be a write for nothing.
constexpr Seconds kPatience{10};

void wait(const Observation& seen, std::string_view why, std::string message, Plan& plan) {
  plan.step = Step::Wait;
  plan.reason = why;
  plan.message = std::move(message);
  const Time created = seen.object->metadata.creation_timestamp;
  const Seconds age = created.is_set() && seen.now > created ? seen.now - created : Seconds(0);
  plan.report_wait = age >= kPatience;
  if (!plan.report_wait) plan.recheck = kPatience - age;
}

MachineFacts facts_of(const Owner& owner, const api::Cluster& cluster) {
  const auto& endpoint = cluster.spec.control_plane_endpoint;
  return {.cluster = cluster.metadata.name.str(),
          .namespace_ = cluster.metadata.namespace_.str(),
          .machine = owner.is_pool() ? std::string() : owner.name,
          .machine_pool = owner.is_pool() ? owner.name : std::string(),
          .kubernetes_version = owner.version,
          .endpoint =
              endpoint.valid() ? endpoint.host.str() + ":" + std::to_string(*endpoint.port) : std::string(),
          .control_plane = owner.control_plane};
}

void create(const Observation& seen, Plan& plan) {
  auto text = render(seen.object->spec, facts_of(*seen.owner, *seen.cluster));
  if (!text) {
    plan.step = Step::Wait;
    plan.reason = reason::kInvalid;
    plan.message = text.error().message;
    plan.report_wait = true;
    return;
  }
  plan.step = Step::Create;
  plan.secret_name = seen.object->metadata.name.str();
  plan.value = Secret(std::move(*text));
}

void provide(const Observation& seen, Plan& plan) {
  if (!seen.owner)
    return wait(seen, reason::kWaitingForOwner, "waiting for a Machine or MachinePool to own this object",
                plan);
  // After a move the owner still knows its data, only our status is new.
  if (!seen.owner->data_secret.empty()) {
    plan.step = Step::Restore;
    plan.secret_name = seen.owner->data_secret;
    return;
  }
  if (seen.owner->deleting) return;
  if (!seen.cluster)
    return wait(seen, reason::kWaitingForCluster, "waiting for Cluster " + seen.owner->cluster, plan);
  if (seen.cluster->metadata.deleting()) return;
  if (!seen.cluster->status.initialization.infrastructure_provisioned.value_or(false))
    return wait(seen, reason::kWaitingForClusterInfrastructure,
                "waiting for Cluster " + seen.cluster->metadata.name.str() +
                    " to have its infrastructure provisioned",
                plan);
  create(seen, plan);
}

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  plan.paused = runtime::paused(cluster_paused, seen.object->metadata, api::bootstrap_kind::kCloudConfig);
  if (plan.paused.paused || !seen.fresh || seen.object->metadata.deleting()) return plan;
  if (!seen.object->status.initialization.data_secret_created.value_or(false)) provide(seen, plan);
  return plan;
}

}  // namespace capstan::bootstrap::controller
