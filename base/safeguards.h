// Safeguards that simulations (scripts/sim --mutants) and stories take away one at a time, to see that it is
// noticed. Compiled in only with CAPSTAN_DEFECTS; otherwise all are in place for good, at no cost. Safe from
// any thread.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace capstan {

enum class Safeguard {
  ConsistencyGate,     // no turn before the caches have seen our own writes
  CreateExpectation,   // a create is remembered until the cache has it, also when its answer is lost
  OwnerUid,            // an owner is recognised by its uid, not by its name
  InstanceKey,         // a VM's key is written down before the VM is asked for
  ArrayVersions,       // a list that others write to is replaced only in the version it was read in
  SecondLook,          // a pool that lost all instances at once is believed when it says so again
  SharedCause,         // what strikes a whole crowd of Machines is no reason to replace them
  Evictions,           // Pods are made to go by evictions, which keep to budgets
  PoolDrain,           // where a policy asks for it, Nodes of a pool are emptied before they go
  LiveList,            // before a pool deletes a Node the server confirms that its instance is not listed
  NodeUid,             // a pool deletes the Node it saw, not another one of its name
  InFlight,            // no more sick Machines are replaced at once than maxInFlight says
  OutOfReach,          // no Machine is judged while its workload cluster can't be reached
  Finishing,           // a Machine whose making was cut short gets what it lacks
  RemediationRequest,  // a health check takes back only what was made from its template, for that Machine
  LostFinalizers,      // a finalizer that was taken off is put back while the object lives
  VmClaims,            // a VM that two objects name is removed only for the one whose name it carries
  OrphanFinalizer,     // an owner whose dependents are being orphaned deletes and adopts none of them
  ChildVersion,        // an owner on its way out deletes a child only in the version that names it as owner
  ConfirmRelease,      // a change of a selector that releases several Machines waits for a confirmation
  FirstOwner,          // a provider's object stays with the Cluster that owns it, whichever others name it
  Belonging,           // an object belongs to the Cluster that owns it, not to the one that its spec names
  UnreadableOwner,     // an object that only a live read can show is deleted by its owner alone
  UnreadableCounts,    // an object that can't be decoded is there: none is made in its place
  Claims,              // a Node or instance that two objects claim belongs to the one that has it
  CopiedProviderId,    // a Machine without an infrastructure object of its own touches no Node
  Contests,            // a field that another writer sets, too, is written once a minute
  OtherKinds,          // before a Machine goes, its infrastructure is looked for under every kind
  StillThere,          // before a Machine takes objects over the server confirms that it is there
  // Of the life cycle that a policy asks for.
  ReplacementLimit,      // no more Unhealthy Machines are given up at once than maxInFlight says
  PolicyContact,         // no time of a policy counts from before the workload cluster was reached again
  AsJudged,              // a Machine that has failed is deleted only in the version that says so
  VictimsAwaitReplicas,  // named victims go once their MachineSet has seen the replicas that came with them
  SlowStart,             // a new MachineSet stays small until its first Machine is available
  RevisionHistory,       // MachineSets of earlier templates are kept for a rollback
  ForcedPods,            // a drain by force deletes Pods of its Node alone, by the uids they were listed with
  AttachmentsOfNode,     // of VolumeAttachments those of its own Node alone are deleted with a Machine
  AttachmentsAwaitVm,    // ... once its VM is gone, or its Node is out of reach
  VolumesInTurn,         // where a policy wants it, one Pod with volumes goes after the other
  DrainedOnce,           // the Node of a preserved Machine is not drained again
  LostNode,              // a Machine without a Node is replaced at once when the server says there is none
  Preservation,          // a preserved Machine is not deleted
  UpdateLimit,           // no more Machines are updated in place at once than the strategy allows
  UpdateFailure,         // an update in place that failed stops the next ones
  UpdateTemplates,       // only other versions and bootstrap configurations are updated in place
  HandOver,              // a MachineSet counts a Machine that comes or goes as its annotation says
  LiveMoves,             // Machines change their place in its numbers once the server shows them as seen
  OneCount,              // what a health check has found takes a place of the policy's maxInFlight, too
  Recreate,              // with recreate no Machine is made while an old one is there
  Exhaustion,            // none is made for a while when the provider has no room for one
  RollbackTemplates,     // no rollback goes to a template that refers to what is gone
  UsersScaleDown,        // the autoscaler's annotation goes only where its mark says that it is ours
  NodeTemplateMemory,    // what a policy has given a Node is remembered there, and taken back from it
  LiveNotReady,          // a Node is drained by force for being not ready once the server says so, too
  GrantOfTrouble,        // a grant counts for the trouble that it was given for
  Rejoining,             // a Machine that was given up and is well again is kept
  NodesWish,             // what a Node has said of preservation counts while it can't be seen
  // Of the brakes.
  Freeze,         // what is frozen makes and deletes no Machine
  Ceiling,        // Machines that a change of labels released count until they are gone
  ApiLoss,        // nothing is made or deleted while a cluster is away, or was not reached yet
  Windows,        // deletions that can wait begin in a window alone
  DeletionGuard,  // a large share of the Machines goes at once only when a person has confirmed it
  FleetLimits,    // no more deletions begin in a while, over all Clusters, than the FleetPolicy says
  Account,        // a VM that an account does not know is gone only when the account is the right one
  OrphanChecks,   // a VM is deleted as an orphan after two complete lists and a look at it
  // Of machines that join.
  TokenOfData,    // the token that a machine's data name is kept before any other
  TokenDeadline,  // a token is extended while its machine has no Node
  Approval,       // a certificate is approved for that machine alone whose token asks
  Checksums,      // an agent takes up neither a configuration nor a program with another checksum
  AgentPaths,     // a configuration writes nothing of the agent's own
};
inline constexpr std::array kSafeguards = {
    Safeguard::ConsistencyGate, Safeguard::CreateExpectation, Safeguard::OwnerUid,
    Safeguard::InstanceKey,     Safeguard::ArrayVersions,     Safeguard::SecondLook,
    Safeguard::SharedCause,     Safeguard::Evictions,         Safeguard::PoolDrain,
    Safeguard::LiveList,        Safeguard::NodeUid,           Safeguard::InFlight,
    Safeguard::OutOfReach,      Safeguard::Finishing,         Safeguard::RemediationRequest,
    Safeguard::LostFinalizers,  Safeguard::VmClaims,          Safeguard::OrphanFinalizer,
    Safeguard::ChildVersion,    Safeguard::ConfirmRelease,    Safeguard::FirstOwner,
    Safeguard::Belonging,       Safeguard::UnreadableOwner,   Safeguard::UnreadableCounts,
    Safeguard::Claims,          Safeguard::CopiedProviderId,  Safeguard::Contests,
    Safeguard::OtherKinds,      Safeguard::StillThere};
// Shown by stories of test/scenarios/lifecycle and drain.
inline constexpr std::array kLifecycleSafeguards = {
    Safeguard::ReplacementLimit,   Safeguard::PolicyContact,
    Safeguard::AsJudged,           Safeguard::VictimsAwaitReplicas,
    Safeguard::SlowStart,          Safeguard::RevisionHistory,
    Safeguard::ForcedPods,         Safeguard::LostNode,
    Safeguard::Preservation,       Safeguard::AttachmentsOfNode,
    Safeguard::AttachmentsAwaitVm, Safeguard::VolumesInTurn,
    Safeguard::DrainedOnce,        Safeguard::UpdateLimit,
    Safeguard::UpdateFailure,      Safeguard::UpdateTemplates,
    Safeguard::HandOver,           Safeguard::LiveMoves,
    Safeguard::OneCount,           Safeguard::Recreate,
    Safeguard::Exhaustion,         Safeguard::RollbackTemplates,
    Safeguard::UsersScaleDown,     Safeguard::NodeTemplateMemory,
    Safeguard::LiveNotReady,       Safeguard::GrantOfTrouble,
    Safeguard::Rejoining,          Safeguard::NodesWish};
// Shown by stories of test/scenarios/lifecycle and, those of VMs, by tests of infrastructure/.
inline constexpr std::array kSafetySafeguards = {
    Safeguard::Freeze,        Safeguard::Ceiling,     Safeguard::ApiLoss, Safeguard::Windows,
    Safeguard::DeletionGuard, Safeguard::FleetLimits, Safeguard::Account, Safeguard::OrphanChecks};
// Shown by test/joining.
inline constexpr std::array kJoiningSafeguards = {Safeguard::TokenOfData, Safeguard::TokenDeadline,
                                                  Safeguard::Approval, Safeguard::Checksums,
                                                  Safeguard::AgentPaths};
std::string_view to_string(Safeguard safeguard);  // "consistency-gate"

#ifdef CAPSTAN_DEFECTS
bool is_off(Safeguard safeguard);
void switch_off(std::optional<Safeguard> safeguard);  // that one and no other; nothing: all are in place
#else
constexpr bool is_off(Safeguard) { return false; }
#endif

}  // namespace capstan
