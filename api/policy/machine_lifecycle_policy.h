// MachineLifecyclePolicy: what Cluster API does not do, switched on for the MachineDeployments, MachineSets
// and MachinePools it selects. An object that no policy selects behaves as upstream's. Read by
// the controllers of those kinds and by health checks; a plain value.
#pragma once

#include "api/meta/label_selector.h"
#include "api/policy/drain.h"
#include "api/policy/lifecycle.h"
#include "api/policy/names.h"
#include "api/policy/safety.h"
#include "api/v1beta2/common.h"

namespace capstan::api {

// When many targets turn unhealthy at once, something they share broke.
struct SharedCause {
  static constexpr std::int32_t kWindowSeconds = 300;
  static constexpr std::int32_t kThresholdPercent = 50;
  static constexpr std::int32_t kMinimumTargets = 3;

  std::optional<std::int32_t> window_seconds = {};
  std::optional<std::int32_t> threshold_percent = {};
  std::optional<std::int32_t> minimum_targets = {};
  UnknownFields unknown = {};
  bool operator==(const SharedCause&) const = default;
};
template <>
inline constexpr auto members<SharedCause> = std::array{
    member<&SharedCause::window_seconds>(
        "windowSeconds",
        {.minimum = 1,
         .maximum = 86400,
         .default_json = "300",
         .doc = "Troubles that began within so many seconds of each other count as one event. After the "
                "event the last target to recover has to stay well for as long before remediation goes "
                "on."}),
    member<&SharedCause::threshold_percent>(
        "thresholdPercent",
        {.minimum = 1,
         .maximum = 100,
         .default_json = "50",
         .doc = "The share of a domain's targets, in percent, that have to be in one event before it counts "
                "as the fault of the domain."}),
    member<&SharedCause::minimum_targets>(
        "minimumTargets",
        {.minimum = 2,
         .default_json = "3",
         .doc = "A domain with fewer targets is too small to tell its own fault from theirs: it never holds "
                "remediation back."}),
};

struct PolicyHealth {
  std::optional<SharedCause> shared_cause = {};
  std::optional<NodeChecks> node_checks = {};
  UnknownFields unknown = {};
  bool operator==(const PolicyHealth&) const = default;
};
template <>
inline constexpr auto members<PolicyHealth> = std::array{
    member<&PolicyHealth::shared_cause>(
        "sharedCause",
        {.doc = "Do not remediate while the trouble looks like that of a whole Cluster, failure domain or "
                "pool (MachineDeployment, MachineSet or MachinePool) and not like that of its machines. "
                "Off when left out; {} switches it on with its defaults."}),
    member<&PolicyHealth::node_checks>(
        "nodeChecks",
        {.doc = "Replace a Machine whose Node has not been well for some time, see the Machine's condition "
                "capstan.dev/Lifecycle. No MachineHealthCheck is needed for that, and one that looks at "
                "Nodes should not select the same Machines. Off when left out; {} switches it on with its "
                "defaults."}),
};

struct PolicyDrain {
  std::optional<bool> machine_pools = {};
  std::optional<DrainOnTimeout> on_timeout = {};
  std::optional<NotReadyForce> not_ready_force = {};
  std::optional<EvictionRetries> eviction_retries = {};
  std::optional<VolumesInTurn> volumes_in_turn = {};
  std::optional<AttachmentCleanup> attachment_cleanup = {};
  UnknownFields unknown = {};
  // Whether a drain of a Machine may turn into one by force.
  bool forces() const { return on_timeout.has_value() || not_ready_force.has_value(); }
  bool operator==(const PolicyDrain&) const = default;
};
template <>
inline constexpr auto members<PolicyDrain> = std::array{
    member<&PolicyDrain::machine_pools>(
        "machinePools",
        {.doc = "Drain the Nodes of a MachinePool that has no Machines: of each instance that the provider "
                "no longer lists, before its Node is removed, and of all when the pool is deleted. The "
                "timeouts are those of the pool, spec.template.spec.deletion. Pools with Machines drain "
                "without this."}),
    member<&PolicyDrain::on_timeout>(
        "onTimeout",
        {.doc = "What becomes of the Pods of a Machine's Node that are left when the drain timeout "
                "(spec.deletion.nodeDrainTimeoutSeconds, or the annotation capstan.dev/drain-timeout-seconds "
                "of the Machine, else timeoutSeconds) is over. Without it they are left running, as Cluster "
                "API does; {} deletes "
                "them."}),
    member<&PolicyDrain::not_ready_force>(
        "notReadyForce",
        {.doc = "Drain the Node of a Machine by force when it has not been ready for some time: no kubelet "
                "is there that could end Pods in peace. Volumes are not waited for then. Off when left out; "
                "{} switches it on with its defaults."}),
    member<&PolicyDrain::eviction_retries>(
        "evictionRetries",
        {.doc = "Delete Pods of a Machine's Node whose evictions have been refused for some time, before the "
                "drain timeout is over. Without it evictions are tried until then; {} switches it on with "
                "its defaults."}),
    member<&PolicyDrain::volumes_in_turn>(
        "volumesInTurn",
        {.doc = "Evict the Pods of a Machine's Node that have PersistentVolumeClaims one after the other, "
                "those of the highest priority first; each waits until the volumes of the one before are "
                "detached, and attached to another Node, or have taken too long. Pods without such volumes "
                "go at the same time. Without it all Pods go together; {} switches it on with its "
                "defaults."}),
    member<&PolicyDrain::attachment_cleanup>(
        "attachmentCleanup",
        {.doc = "Delete the VolumeAttachments that are left of a Machine's Node once its VM is gone, or "
                "after its drain when the Node is out of reach, so that other Nodes need not wait for its "
                "volumes. Machines with capstan.dev/force-deletion do so in any case. Off when left out; "
                "{} switches it on."}),
};

struct MachineLifecyclePolicySpec {
  LabelSelector selector = {};
  PolicyHealth health = {};
  PolicyDrain drain = {};
  std::optional<PolicyCreation> creation = {};
  std::optional<PolicyReplacement> replacement = {};
  std::optional<PolicyScaleIn> scale_in = {};
  std::optional<PolicyRollout> rollout = {};
  std::optional<PolicyPreservation> preservation = {};
  std::optional<PolicyNodeTemplate> node_template = {};
  std::optional<PolicyOvershoot> overshoot = {};
  List<PolicyWindow> windows = {};
  std::optional<PolicyDeletionGuard> deletion_guard = {};
  UnknownFields unknown = {};
  // Whether Machines get the condition capstan.dev/Lifecycle.
  bool reports_lifecycle() const {
    return health.node_checks || creation || replacement || scale_in || preservation;
  }
  bool operator==(const MachineLifecyclePolicySpec&) const = default;
};
template <>
inline constexpr auto members<MachineLifecyclePolicySpec> = std::array{
    member<&MachineLifecyclePolicySpec::selector>(
        "selector",
        {.required = true,
         .doc = "Labels of the MachineDeployments, MachineSets and MachinePools of this namespace that the "
                "policy is for; {} selects all of them. A MachineDeployment brings its MachineSets along. "
                "What two policies select is governed by none of them, see the condition Conflicting."}),
    member<&MachineLifecyclePolicySpec::health>("health", {.doc = "When machines count as sick."}),
    member<&MachineLifecyclePolicySpec::drain>("drain", {.doc = "How Nodes are emptied."}),
    member<&MachineLifecyclePolicySpec::creation>(
        "creation", {.doc = "How long a new Machine may take. For ever when left out; {} limits it with the "
                            "defaults."}),
    member<&MachineLifecyclePolicySpec::replacement>(
        "replacement",
        {.doc = "How many Unhealthy Machines are replaced at the same time; one when left out."}),
    member<&MachineLifecyclePolicySpec::scale_in>(
        "scaleIn",
        {.doc = "Choose the Machines that go when fewer are wanted by their condition capstan.dev/Lifecycle, "
                "the worst first, and without spec.deletion.order the oldest first. As Cluster API does it "
                "when left out; {} switches it on. The annotations capstan.dev/deletion-priority and "
                "capstan.dev/victims work without this."}),
    member<&MachineLifecyclePolicySpec::rollout>(
        "rollout",
        {.cel = kRolloutChoices,
         .doc = "Keep MachineSets of earlier templates, and tell by the condition capstan.dev/Progressing "
                "of a MachineDeployment whether its rollout comes on. As Cluster API does it when left out; "
                "{} switches it on with its defaults. The annotations capstan.dev/rollback-to and "
                "capstan.dev/rollout-hash work without this."}),
    member<&MachineLifecyclePolicySpec::preservation>(
        "preservation",
        {.doc = "Keep failed Machines for some time, so that a person can look at them. Off when left out; "
                "{} switches it on with its defaults, which keep no Machine without being asked. The "
                "annotation capstan.dev/preserve works without this."}),
    member<&MachineLifecyclePolicySpec::node_template>(
        "nodeTemplate",
        {.doc =
             "What the Nodes of its Machines have beside what the Machines' templates say. A change reaches "
             "the Nodes that are there and rolls nothing; what is taken out here goes from them, what "
             "others have put on them stays. Nothing when left out."}),
    member<&MachineLifecyclePolicySpec::overshoot>(
        "overshoot",
        {.doc = "Make no Machine while there are too many, whether they are counted as replicas or were lost "
                "by a change of labels; see the condition capstan.dev/Frozen. Off when left out; {} switches "
                "it on with its defaults. The annotation capstan.dev/freeze works without this."}),
    member<&MachineLifecyclePolicySpec::windows>(
        "windows", {.min_items = 1,
                    .max_items = 20,
                    .list = ListType::Atomic,
                    .doc = "When deletions may begin that can wait. At any time when left out."}),
    member<&MachineLifecyclePolicySpec::deletion_guard>(
        "deletionGuard",
        {.doc = "Wait for a person's word before a large share of the Machines is deleted by one decision. "
                "Off when left out; {} switches it on with its default."}),
};

// How many objects the policy selects, conflicting ones included.
struct SelectedCounts {
  std::int32_t machine_deployments = 0;
  std::int32_t machine_sets = 0;
  std::int32_t machine_pools = 0;
  UnknownFields unknown = {};
  std::int32_t all() const { return machine_deployments + machine_sets + machine_pools; }
  bool operator==(const SelectedCounts&) const = default;
};
template <>
inline constexpr auto members<SelectedCounts> = std::array{
    member<&SelectedCounts::machine_deployments>(
        "machineDeployments", {.keep_empty = true, .doc = "MachineDeployments with matching labels."}),
    member<&SelectedCounts::machine_sets>(
        "machineSets",
        {.keep_empty = true, .doc = "MachineSets with matching labels, or of such a MachineDeployment."}),
    member<&SelectedCounts::machine_pools>("machinePools",
                                           {.keep_empty = true, .doc = "MachinePools with matching labels."}),
};

struct MachineLifecyclePolicyStatus {
  Conditions conditions = {};
  SelectedCounts selected = {};
  Boxed<LifecycleStatus> lifecycle = {};
  std::int64_t observed_generation = 0;
  UnknownFields unknown = {};
  bool operator==(const MachineLifecyclePolicyStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<MachineLifecyclePolicyStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<MachineLifecyclePolicyStatus> = std::array{
    member<&MachineLifecyclePolicyStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&MachineLifecyclePolicyStatus::selected>(
        "selected", {.doc = "How many objects the policy selects, conflicting ones included."}),
    member<&MachineLifecyclePolicyStatus::lifecycle>(
        "lifecycle",
        {.doc = "How the Machines of what it governs are, where spec.health.nodeChecks, creation, "
                "replacement, scaleIn or preservation is given."}),
    member<&MachineLifecyclePolicyStatus::observed_generation>(
        "observedGeneration", {.minimum = 1, .doc = field_doc::kObservedGeneration}),
};

struct MachineLifecyclePolicy {
  ObjectMeta metadata = {};
  MachineLifecyclePolicySpec spec = {};
  MachineLifecyclePolicyStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const MachineLifecyclePolicy&) const = default;
};
inline constexpr std::array kMachineLifecyclePolicyColumns = {
    Column{.name = "Deployments",
           .json_path = ".status.selected.machineDeployments",
           .type = "integer",
           .description = "MachineDeployments it selects"},
    Column{.name = "Sets",
           .json_path = ".status.selected.machineSets",
           .type = "integer",
           .description = "MachineSets it selects, those of its MachineDeployments included"},
    Column{.name = "Pools",
           .json_path = ".status.selected.machinePools",
           .type = "integer",
           .description = "MachinePools it selects"},
    Column{.name = "Running",
           .json_path = ".status.lifecycle.machines.running",
           .type = "integer",
           .description = "Machines it governs whose Node is well"},
    Column{.name = "Unhealthy",
           .json_path = ".status.lifecycle.machines.unhealthy",
           .type = "integer",
           .description = "Machines it governs that were Running, and whose Node is not well"},
    Column{.name = "In-Flight",
           .json_path = ".status.lifecycle.inFlight",
           .type = "integer",
           .description = "Replacements under way"},
    Column{.name = "Failed",
           .json_path = ".status.lifecycle.machines.failed",
           .type = "integer",
           .priority = 10,
           .description = "Machines it governs that are about to be replaced"},
    Column{.name = "Frozen",
           .json_path = ".status.conditions[?(@.type==\"Frozen\")].status",
           .description = "Whether one of them is frozen: none of its Machines is made"},
    Column{.name = "Conflicting",
           .json_path = ".status.conditions[?(@.type==\"Conflicting\")].status",
           .description = "Whether another policy selects one of them too"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
template <>
inline constexpr ResourceInfo resource<MachineLifecyclePolicy> = {
    .group = policy::kGroup,
    .version = policy::kVersion,
    .kind = policy::kind::kMachineLifecyclePolicy,
    .plural = "machinelifecyclepolicies",
    .short_names = "mlp",
    .categories = kCategory,
    .columns = kMachineLifecyclePolicyColumns,
    .status_subresource = true,
    .doc = "Switches on, for the objects it selects, what Cluster API does not do by itself."};
template <>
inline constexpr auto members<MachineLifecyclePolicy> = std::array{
    member<&MachineLifecyclePolicy::metadata>("metadata", {.required = true, .doc = field_doc::kMetadata}),
    member<&MachineLifecyclePolicy::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
    member<&MachineLifecyclePolicy::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
