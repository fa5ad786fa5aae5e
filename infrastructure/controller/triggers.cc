#include "infrastructure/controller/triggers.h"

namespace capstan::infrastructure {

bool concerns_vms(const runtime::Change<api::Cluster>& change) {
  if (!change.before || !change.after) return true;
  return change.before->spec.paused != change.after->spec.paused ||
         !(change.before->status.initialization == change.after->status.initialization);
}

bool gets_its_key(const runtime::Change<api::DriverCluster>& change) {
  if (!change.after || change.after->spec.cluster_key.empty()) return false;
  return !change.before || change.before->spec.cluster_key.empty();
}

}  // namespace capstan::infrastructure
