// The groups of a MachineLifecyclePolicy that are about the life of a Machine: when it counts as unhealthy or
// failed, how many are replaced at once, which go first when fewer are wanted, how a rollout goes, which are
// kept although they have failed. Each is off while it is left out. Plain values; their defaults are in the
// schema.
#pragma once

#include "api/v1beta2/common.h"

namespace capstan::api {

// A condition of a Node, and the statuses of it that mean trouble.
struct BadNodeCondition {
  Text type = {};
  List<Text> bad_statuses = {};
  UnknownFields unknown = {};
  bool operator==(const BadNodeCondition&) const = default;
};
template <>
inline constexpr auto members<BadNodeCondition> = std::array{
    member<&BadNodeCondition::type>(
        "type",
        {.min_length = 1, .max_length = 316, .required = true, .doc = "Type of the condition of the Node."}),
    member<&BadNodeCondition::bad_statuses>("badStatuses", {.min_items = 1,
                                                            .max_items = 3,
                                                            .items = {.one_of = "True|False|Unknown"},
                                                            .list = ListType::Set,
                                                            .default_json = R"(["True","Unknown"])",
                                                            .doc = "The statuses that mean trouble."}),
};

// A taint by what makes it the same taint.
struct TaintIdentity {
  Text key = {};
  Text effect = {};
  UnknownFields unknown = {};
  bool operator==(const TaintIdentity&) const = default;
};
template <>
inline constexpr auto members<TaintIdentity> = std::array{
    member<&TaintIdentity::key>("key", {.min_length = 1,
                                        .max_length = 253,
                                        .pattern = pattern::kTaintKey,
                                        .required = true,
                                        .doc = "Key of the taint."}),
    member<&TaintIdentity::effect>(
        "effect",
        {.one_of = "NoSchedule|PreferNoSchedule|NoExecute", .required = true, .doc = "Effect of the taint."}),
};

// What makes a Machine unhealthy, and for how long it may be so.
struct NodeChecks {
  static constexpr std::int32_t kTimeoutSeconds = 600;

  List<BadNodeCondition> unhealthy_node_conditions = {};
  List<TaintIdentity> require_taints_gone = {};
  std::optional<std::int32_t> timeout_seconds = {};
  std::optional<bool> disable_timeout = {};
  UnknownFields unknown = {};
  bool operator==(const NodeChecks&) const = default;
};
template <>
inline constexpr auto members<NodeChecks> = std::array{
    member<&NodeChecks::unhealthy_node_conditions>(
        "unhealthyNodeConditions",
        {.min_items = 1,
         .max_items = 100,
         .list_keys = "type",
         .default_json = R"([{"type":"KernelDeadlock"},{"type":"ReadonlyFilesystem"},)"
                         R"({"type":"DiskPressure"},{"type":"NetworkUnavailable"}])",
         .doc = "Conditions of the Node of which one is enough to make the Machine Unhealthy, beside Ready, "
                "which has to be True, and the Node, which has to be there."}),
    member<&NodeChecks::require_taints_gone>(
        "requireTaintsGone",
        {.min_items = 1,
         .max_items = 50,
         .list_keys = "key|effect",
         .default_json =
             R"([{"key":"node.gardener.cloud/critical-components-not-ready","effect":"NoSchedule"}])",
         .doc = "Taints that a new Node has to lose before its Machine counts as Running. A Machine that was "
                "Running does not leave that because of them."}),
    member<&NodeChecks::timeout_seconds>(
        "timeoutSeconds",
        {.minimum = 1,
         .maximum = 604800,
         .default_json = "600",
         .doc = "How long a Machine may be Unhealthy, counted from the moment when it left Running, before "
                "it is to be replaced. A Machine's annotation capstan.dev/health-timeout-seconds wins."}),
    member<&NodeChecks::disable_timeout>(
        "disableTimeout",
        {.default_json = "false",
         .doc = "An Unhealthy Machine stays, whatever the time. One that never joins is still replaced."}),
};

struct PolicyCreation {
  static constexpr std::int32_t kTimeoutSeconds = 1200;
  static constexpr std::int32_t kResourceExhaustedRetrySeconds = 600;

  std::optional<std::int32_t> timeout_seconds = {};
  std::optional<std::int32_t> resource_exhausted_retry_seconds = {};
  UnknownFields unknown = {};
  bool operator==(const PolicyCreation&) const = default;
};
template <>
inline constexpr auto members<PolicyCreation> = std::array{
    member<&PolicyCreation::timeout_seconds>(
        "timeoutSeconds",
        {.minimum = 1,
         .maximum = 604800,
         .default_json = "1200",
         .doc = "How long a Machine may take from its creation until it is Running. After that it is "
                "replaced, whatever is replaced besides. A Machine's annotation "
                "capstan.dev/creation-timeout-seconds wins."}),
    member<&PolicyCreation::resource_exhausted_retry_seconds>(
        "resourceExhaustedRetrySeconds",
        {.minimum = 1,
         .maximum = 604800,
         .default_json = "600",
         .doc = "How long a MachineSet makes no further Machine after a provider has said that there is no "
                "quota or no capacity for one, see the annotation capstan.dev/resource-exhausted-until."}),
};

// The API server of a cluster evaluates this, ours refuses the same in its validating webhook.
inline constexpr std::array kPositiveCountOrPercent = {
    CelRule{.rule = "type(self) == int ? self >= 1 : self.matches('^([1-9][0-9]?|100)%$')",
            .message = "must be a number from 1 on, or a percentage from 1% to 100%"},
};

struct PolicyReplacement {
  std::optional<IntOrString> max_in_flight = {};
  List<Text> count_states = {};
  UnknownFields unknown = {};
  bool operator==(const PolicyReplacement&) const = default;
};
template <>
inline constexpr auto members<PolicyReplacement> = std::array{
    member<&PolicyReplacement::max_in_flight>(
        "maxInFlight",
        {.minimum = 1,
         .default_json = "1",
         .cel = kPositiveCountOrPercent,
         .doc = "How many Machines of one MachineDeployment (or of one MachineSet without one) may be "
                "replaced at the same time because they are Unhealthy: a number, or a percentage of the "
                "replicas, rounded up. The smaller one of this and spec.remediation.maxInFlight counts."}),
    member<&PolicyReplacement::count_states>(
        "countStates",
        {.min_items = 1,
         .max_items = 9,
         .items = {.one_of = "Creating|CreateRetrying|Joining|Running|Unhealthy|InPlaceUpdating|"
                             "InPlaceUpdateFailed|Failed|Terminating"},
         .list = ListType::Set,
         .default_json =
             R"(["Creating","CreateRetrying","Joining","InPlaceUpdating","InPlaceUpdateFailed","Failed","Terminating"])",
         .doc = "Reasons of the condition capstan.dev/Lifecycle with which another Machine takes one place "
                "of maxInFlight; a Machine that is missing takes one as well."}),
};

struct PolicyScaleIn {
  static constexpr std::int32_t kExpirySeconds = 3600;

  std::optional<std::int32_t> expiry_seconds = {};
  UnknownFields unknown = {};
  bool operator==(const PolicyScaleIn&) const = default;
};
template <>
inline constexpr auto members<PolicyScaleIn> = std::array{
    member<&PolicyScaleIn::expiry_seconds>(
        "expirySeconds",
        {.minimum = 1,
         .maximum = 604800,
         .default_json = "3600",
         .doc = "For how long a Machine that the annotation capstan.dev/victims names is taken away."}),
};

// Nothing to choose: it is there or not.
struct PolicyRecreate {
  UnknownFields unknown = {};
  bool operator==(const PolicyRecreate&) const = default;
};
template <>
inline constexpr auto members<PolicyRecreate> = std::array<Member, 0>{};

// Machines that get another version or bootstrap configuration without being replaced.
struct PolicyInPlace {
  static constexpr std::string_view kManual = "Manual";
  static constexpr std::int32_t kTimeoutSeconds = 1200;

  Text mode = {};
  std::optional<std::int32_t> timeout_seconds = {};
  UnknownFields unknown = {};
  bool operator==(const PolicyInPlace&) const = default;
};
template <>
inline constexpr auto members<PolicyInPlace> = std::array{
    member<&PolicyInPlace::mode>(
        "mode",
        {.one_of = "Auto|Manual",
         .default_json = R"("Auto")",
         .doc = "Which old Machines are updated next: those that the controller chooses (Auto), or those "
                "whose Node a user has labelled with capstan.dev/selected-for-update: \"true\" (Manual). "
                "Never more at a time than the strategy of the MachineDeployment allows to be unavailable."}),
    member<&PolicyInPlace::timeout_seconds>(
        "timeoutSeconds",
        {.minimum = 1,
         .maximum = 604800,
         .default_json = "1200",
         .doc = "How long the agent on a drained Node may take to report a result, before the update of its "
                "Machine has failed."}),
};

// The API server of a cluster evaluates this, ours refuses the same in its validating webhook.
inline constexpr std::array kRolloutChoices = {
    CelRule{.rule = "!has(self.slowStart) || !has(self.recreate)",
            .message = "slowStart is for rolling updates: leave out slowStart or recreate"},
    CelRule{.rule = "!has(self.inPlace) || !has(self.recreate)",
            .message = "inPlace keeps Machines and recreate replaces them: leave out inPlace or recreate"},
};

struct PolicyRollout {
  static constexpr std::int32_t kRevisionHistoryLimit = 10;
  static constexpr std::int32_t kProgressDeadlineSeconds = 600;

  std::optional<std::int32_t> revision_history_limit = {};
  std::optional<std::int32_t> progress_deadline_seconds = {};
  std::optional<std::int32_t> slow_start = {};
  std::optional<bool> scale_down_disabled = {};
  std::optional<PolicyRecreate> recreate = {};
  std::optional<PolicyInPlace> in_place = {};
  UnknownFields unknown = {};
  bool operator==(const PolicyRollout&) const = default;
};
template <>
inline constexpr auto members<PolicyRollout> = std::array{
    member<&PolicyRollout::revision_history_limit>(
        "revisionHistoryLimit",
        {.minimum = 0,
         .maximum = 100,
         .default_json = "10",
         .doc = "How many MachineSets of earlier templates are kept, without Machines, once a rollout is "
                "complete: those to which the annotation capstan.dev/rollback-to can go back."}),
    member<&PolicyRollout::progress_deadline_seconds>(
        "progressDeadlineSeconds",
        {.minimum = 1,
         .maximum = 604800,
         .default_json = "600",
         .doc = "How long a rollout may go on without progress before the condition capstan.dev/Progressing "
                "of the MachineDeployment is False. Nothing else follows from that: the rollout goes on as "
                "soon as it can."}),
    member<&PolicyRollout::slow_start>(
        "slowStart",
        {.minimum = 1,
         .doc = "How many Machines a new MachineSet gets before its first one is Available, and by how many "
                "the old ones shrink meanwhile at most. As many as maxSurge and maxUnavailable allow when "
                "left out. Only for rolling updates."}),
    member<&PolicyRollout::scale_down_disabled>(
        "scaleDownDisabled",
        {.default_json = "true",
         .doc = "Keep cluster-autoscaler from removing Nodes of the MachineDeployment while it rolls, those "
                "of earlier templates and of the new one. A mark that somebody else has put on a Node stays "
                "as it is."}),
    member<&PolicyRollout::recreate>(
        "recreate",
        {.doc = "Make the first Machine of a new template when the last one of the earlier templates is "
                "gone, whatever spec.rollout.strategy of the MachineDeployment says. Off when left out; {} "
                "switches it on."}),
    member<&PolicyRollout::in_place>(
        "inPlace",
        {.doc = "Update Machines in place where a new template differs in its version and bootstrap "
                "configuration alone: the Node is drained, an agent on it makes the update, and the Machine "
                "moves to the new MachineSet. Other changes roll. Not with the strategy OnDelete. Off when "
                "left out; {} switches it on."}),
};

// The Node of a Machine that is preserved because it has failed is emptied, once.
struct PreservationDrain {
  UnknownFields unknown = {};
  bool operator==(const PreservationDrain&) const = default;
};
template <>
inline constexpr auto members<PreservationDrain> = std::array<Member, 0>{};

struct PolicyPreservation {
  static constexpr std::int32_t kTimeoutSeconds = 259200;
  static constexpr std::string_view kRelease = "Release";

  std::optional<std::int32_t> auto_max = {};
  std::optional<std::int32_t> timeout_seconds = {};
  Text on_recovery = {};
  std::optional<PreservationDrain> drain = {};
  UnknownFields unknown = {};
  bool operator==(const PolicyPreservation&) const = default;
};
template <>
inline constexpr auto members<PolicyPreservation> = std::array{
    member<&PolicyPreservation::auto_max>(
        "autoMax",
        {.minimum = 0,
         .maximum = 10000,
         .default_json = "0",
         .doc = "How many failed Machines are kept for a look at them without being asked for, the newest "
                "first. Shared out in whole numbers among the MachineDeployments, and the MachineSets "
                "without one, that the policy governs: the first by name get one more where it does not "
                "come out even. When it is lowered the oldest Machines are released."}),
    member<&PolicyPreservation::timeout_seconds>(
        "timeoutSeconds",
        {.minimum = 1,
         .maximum = 2592000,
         .default_json = "259200",
         .doc = "For how long a Machine is preserved, counted from when that begins. A change is for "
                "Machines that are preserved later; of one that is preserved already the annotation "
                "capstan.dev/preserve-until can be edited."}),
    member<&PolicyPreservation::on_recovery>(
        "onRecovery",
        {.one_of = "Keep|Release",
         .default_json = R"("Keep")",
         .doc = "What becomes of a Machine that was preserved because it had failed, and is well again: it "
                "is preserved until its time is over (Keep), or not any longer (Release)."}),
    member<&PolicyPreservation::drain>(
        "drain",
        {.doc = "Empty the Node of a Machine that is preserved because it has failed: a taint keeps new Pods "
                "off it, and it is drained once, as for a deletion but without a cordon; the condition "
                "capstan.dev/Preserved of the Node tells of it. Off when left out; {} switches it on."}),
};

// A taint that a Node is to have.
struct TemplateTaint {
  Text key = {};
  Text value = {};
  Text effect = {};
  UnknownFields unknown = {};
  bool operator==(const TemplateTaint&) const = default;
};
template <>
inline constexpr auto members<TemplateTaint> = std::array{
    member<&TemplateTaint::key>("key", {.min_length = 1,
                                        .max_length = 253,
                                        .pattern = pattern::kTaintKey,
                                        .required = true,
                                        .doc = "Key of the taint."}),
    member<&TemplateTaint::value>("value", {.max_length = 63, .doc = "Value of the taint."}),
    member<&TemplateTaint::effect>(
        "effect",
        {.one_of = "NoSchedule|PreferNoSchedule|NoExecute", .required = true, .doc = "Effect of the taint."}),
};

// What Nodes are to have whatever template their Machines are of.
struct PolicyNodeTemplate {
  TextMap labels = {};
  TextMap annotations = {};
  List<TemplateTaint> taints = {};
  TextMap virtual_capacity = {};
  UnknownFields unknown = {};
  bool operator==(const PolicyNodeTemplate&) const = default;
};
template <>
inline constexpr auto members<PolicyNodeTemplate> = std::array{
    member<&PolicyNodeTemplate::labels>("labels", {.doc = "Labels of the Nodes."}),
    member<&PolicyNodeTemplate::annotations>("annotations", {.doc = "Annotations of the Nodes."}),
    member<&PolicyNodeTemplate::taints>(
        "taints", {.max_items = 64, .list_keys = "key|effect", .doc = "Taints of the Nodes."}),
    member<&PolicyNodeTemplate::virtual_capacity>(
        "virtualCapacity",
        {.doc = "Extended resources that no device plugin reports, in status.capacity of the Nodes: a "
                "quantity by the name of the resource, for example \"example.com/licence\": \"4\"."}),
};

// Machines by the reason of their condition capstan.dev/Lifecycle.
struct LifecycleCounts {
  std::int32_t creating = 0;
  std::int32_t create_retrying = 0;
  std::int32_t joining = 0;
  std::int32_t running = 0;
  std::int32_t unhealthy = 0;
  std::int32_t in_place_updating = 0;
  std::int32_t in_place_update_failed = 0;
  std::int32_t failed = 0;
  std::int32_t terminating = 0;
  UnknownFields unknown = {};
  bool operator==(const LifecycleCounts&) const = default;
};
template <>
inline constexpr auto members<LifecycleCounts> = std::array{
    member<&LifecycleCounts::creating>("creating", {.keep_empty = true, .doc = "No VM yet."}),
    member<&LifecycleCounts::create_retrying>(
        "createRetrying",
        {.keep_empty = true, .doc = "The provider could not make the VM, and tries again."}),
    member<&LifecycleCounts::joining>("joining", {.keep_empty = true, .doc = "A VM, and no good Node yet."}),
    member<&LifecycleCounts::running>("running", {.keep_empty = true, .doc = "The Node is well."}),
    member<&LifecycleCounts::unhealthy>(
        "unhealthy", {.keep_empty = true, .doc = "It was Running, and the Node is not well."}),
    member<&LifecycleCounts::in_place_updating>("inPlaceUpdating",
                                                {.keep_empty = true, .doc = "Being updated in place."}),
    member<&LifecycleCounts::in_place_update_failed>(
        "inPlaceUpdateFailed", {.keep_empty = true, .doc = "Their update in place has failed."}),
    member<&LifecycleCounts::failed>("failed", {.keep_empty = true, .doc = "About to be replaced."}),
    member<&LifecycleCounts::terminating>("terminating", {.keep_empty = true, .doc = "Being deleted."}),
};

struct LifecycleStatus {
  static constexpr std::size_t kNames = 20;

  LifecycleCounts machines = {};
  std::int32_t in_flight = 0;
  List<Text> failed_machines = {};
  List<Text> preserved_machines = {};
  UnknownFields unknown = {};
  bool operator==(const LifecycleStatus&) const = default;
};
template <>
inline constexpr auto members<LifecycleStatus> = std::array{
    member<&LifecycleStatus::machines>(
        "machines", {.doc = "Machines by the reason of their condition capstan.dev/Lifecycle."}),
    member<&LifecycleStatus::in_flight>(
        "inFlight",
        {.keep_empty = true,
         .doc = "Replacements under way: Machines that were given up and are still there, and those that "
                "take their places, as spec.replacement.countStates counts them."}),
    member<&LifecycleStatus::failed_machines>(
        "failedMachines", {.max_items = static_cast<std::int64_t>(LifecycleStatus::kNames),
                           .items = {.min_length = 1, .max_length = 253},
                           .list = ListType::Atomic,
                           .doc = "Names of Machines that have failed, sorted; the first twenty of them."}),
    member<&LifecycleStatus::preserved_machines>(
        "preservedMachines",
        {.max_items = static_cast<std::int64_t>(LifecycleStatus::kNames),
         .items = {.min_length = 1, .max_length = 253},
         .list = ListType::Atomic,
         .doc = "Names of Machines that are preserved, sorted; the first twenty of them."}),
};

}  // namespace capstan::api
