#include "controllers/cluster/decide.h"

#include "api/names.h"

namespace capstan::controllers::cluster {

Plan decide(const Observation& seen) {
  Plan plan;
  const auto because = [&](std::string_view reason) {
    plan.paused = true;
    plan.why += (plan.why.empty() ? "" : ", ") + std::string(reason);
  };
  if (seen.cluster->spec.paused.value_or(false)) because("Cluster spec.paused is set to true");
  if (seen.cluster->metadata.annotations.contains(api::annotation::kPaused))
    because("Cluster has the cluster.x-k8s.io/paused annotation");
  return plan;
}

}  // namespace capstan::controllers::cluster
