#include "infrastructure/controller/triggers.h"

namespace capstan::infrastructure {

bool concerns_vms(const runtime::Change<api::Cluster>& change) {
  if (!change.before || !change.after) return true;
  return change.before->spec.paused != change.after->spec.paused ||
         !(change.before->status.initialization == change.after->status.initialization);
}

}  // namespace capstan::infrastructure
