#include "base/safeguards.h"

#include <atomic>

namespace capstan {

std::string_view to_string(Safeguard safeguard) {
  switch (safeguard) {
    case Safeguard::ConsistencyGate: return "consistency-gate";
    case Safeguard::CreateExpectation: return "create-expectation";
    case Safeguard::OwnerUid: return "owner-uid";
    case Safeguard::InstanceKey: return "instance-key";
    case Safeguard::ArrayVersions: return "array-versions";
    case Safeguard::SecondLook: return "second-look";
    case Safeguard::SharedCause: return "shared-cause";
    case Safeguard::Evictions: return "evictions";
    case Safeguard::PoolDrain: return "pool-drain";
    case Safeguard::LiveList: return "live-list";
    case Safeguard::NodeUid: return "node-uid";
    case Safeguard::InFlight: return "in-flight";
    case Safeguard::OutOfReach: return "out-of-reach";
    case Safeguard::Finishing: return "finishing";
    case Safeguard::RemediationRequest: return "remediation-request";
    case Safeguard::LostFinalizers: return "lost-finalizers";
    case Safeguard::VmClaims: return "vm-claims";
    case Safeguard::OrphanFinalizer: return "orphan-finalizer";
    case Safeguard::ChildVersion: return "child-version";
    case Safeguard::ConfirmRelease: return "confirm-release";
    case Safeguard::FirstOwner: return "first-owner";
    case Safeguard::Belonging: return "belonging";
    case Safeguard::UnreadableOwner: return "unreadable-owner";
    case Safeguard::UnreadableCounts: return "unreadable-counts";
    case Safeguard::Claims: return "claims";
    case Safeguard::CopiedProviderId: return "copied-provider-id";
    case Safeguard::Contests: return "contests";
    case Safeguard::OtherKinds: return "other-kinds";
    case Safeguard::StillThere: return "still-there";
    case Safeguard::ReplacementLimit: return "replacement-limit";
    case Safeguard::PolicyContact: return "policy-contact";
    case Safeguard::AsJudged: return "as-judged";
    case Safeguard::VictimsAwaitReplicas: return "victims-await-replicas";
    case Safeguard::SlowStart: return "slow-start";
    case Safeguard::RevisionHistory: return "revision-history";
    case Safeguard::ForcedPods: return "forced-pods";
    case Safeguard::AttachmentsOfNode: return "attachments-of-node";
    case Safeguard::AttachmentsAwaitVm: return "attachments-await-vm";
    case Safeguard::VolumesInTurn: return "volumes-in-turn";
    case Safeguard::DrainedOnce: return "drained-once";
    case Safeguard::LostNode: return "lost-node";
    case Safeguard::Preservation: return "preservation";
    case Safeguard::UpdateLimit: return "update-limit";
    case Safeguard::UpdateFailure: return "update-failure";
    case Safeguard::UpdateTemplates: return "update-templates";
    case Safeguard::HandOver: return "hand-over";
    case Safeguard::LiveMoves: return "live-moves";
    case Safeguard::OneCount: return "one-count";
    case Safeguard::Recreate: return "recreate";
    case Safeguard::Exhaustion: return "exhaustion";
    case Safeguard::RollbackTemplates: return "rollback-templates";
    case Safeguard::UsersScaleDown: return "users-scale-down";
    case Safeguard::NodeTemplateMemory: return "node-template-memory";
    case Safeguard::LiveNotReady: return "live-not-ready";
    case Safeguard::GrantOfTrouble: return "grant-of-trouble";
    case Safeguard::Rejoining: return "rejoining";
    case Safeguard::NodesWish: return "nodes-wish";
    case Safeguard::Freeze: return "freeze";
    case Safeguard::Ceiling: return "ceiling";
    case Safeguard::ApiLoss: return "api-loss";
    case Safeguard::Windows: return "windows";
    case Safeguard::DeletionGuard: return "deletion-guard";
    case Safeguard::FleetLimits: return "fleet-limits";
    case Safeguard::Account: return "account";
    case Safeguard::OrphanChecks: return "orphan-checks";
    case Safeguard::TokenOfData: return "token-of-data";
    case Safeguard::TokenDeadline: return "token-deadline";
    case Safeguard::Approval: return "approval";
    case Safeguard::Checksums: return "checksums";
    case Safeguard::AgentPaths: return "agent-paths";
  }
  return "";
}

#ifdef CAPSTAN_DEFECTS
namespace {

constexpr int kNone = -1;
std::atomic<int> missing = kNone;

}  // namespace

bool is_off(Safeguard safeguard) {
  return missing.load(std::memory_order_relaxed) == static_cast<int>(safeguard);
}

void switch_off(std::optional<Safeguard> safeguard) {
  missing.store(safeguard ? static_cast<int>(*safeguard) : kNone, std::memory_order_relaxed);
}
#endif

}  // namespace capstan
