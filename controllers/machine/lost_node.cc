#include "controllers/machine/lost_node.h"

#include "base/safeguards.h"
#include "controllers/machine/lifecycle_report.h"
#include "kube/typed.h"

namespace capstan::controllers::machine {
namespace {

bool is_worth_asking(const Observation& seen) {
  if (!seen.policy || seen.node.node) return false;
  const auto rules = lifecycle::rules_for(seen.policy->spec, *seen.machine);
  return lifecycle::asks_for_lost_node(lifecycle_facts(seen, *seen.machine), rules);
}

bool is_gone(const ObserveContext& with, const Observation& seen) {
  const auto workload = with.deps.workload_clusters.get(kube::key_of(*seen.cluster));
  if (!workload) return false;
  const auto live = kube::get<api::Node>(
      (*workload)->client(), {.name = seen.machine->status.node_ref->name.str()}, with.context.deadline);
  return !live && live.error().code == Code::NotFound;
}

}  // namespace

void look_for_lost_node(const ObserveContext& with, Observation& seen) {
  if (is_worth_asking(seen)) seen.node.deleted = is_off(Safeguard::LostNode) || is_gone(with, seen);
}

}  // namespace capstan::controllers::machine
