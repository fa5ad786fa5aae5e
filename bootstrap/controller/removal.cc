#include "bootstrap/controller/removal.h"

#include "api/bootstrap/names.h"
#include "bootstrap/controller/token_times.h"
#include "kube/kinds.h"

namespace capstan::bootstrap::controller {

void plan_removal(const Observation& seen, Plan& plan) {
  const bool cluster_leaves = !seen.cluster || seen.cluster->metadata.deleting();
  const bool unreachable = seen.live && seen.live->unreachable.has_value();
  const Time deleted = seen.object->metadata.deletion_timestamp;
  const bool patience_ends = deleted.is_set() && seen.now >= deleted + kPatienceAtTheEnd;
  if (unreachable && !cluster_leaves && !patience_ends) {
    plan.recheck = kLookAgain;
    return;
  }
  if (seen.live)
    for (const Token& token : seen.live->tokens)
      plan.actions.emplace_back(RemoveToken{.cluster = kube::key_of(*seen.cluster),
                                            .id = token.id,
                                            .may_fail = patience_ends || cluster_leaves});
  if (seen.object->status.bootstrap_token == api::bootstrap_token::kIssued)
    plan.actions.emplace_back(NoteRemoval{});
  if (seen.object->metadata.has_finalizer(api::bootstrap::finalizer::kToken))
    plan.actions.emplace_back(Release{});
}

}  // namespace capstan::bootstrap::controller
