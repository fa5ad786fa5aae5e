// FleetPolicy: how many Machines of a Cluster, and of all Clusters of this management cluster, may be deleted
// by controllers within a time. One object for all namespaces, called "fleet". Read by the controllers that
// delete Machines and by the infrastructure provider; a plain value.
#pragma once

#include <limits>

#include "api/policy/fleet_grants.h"
#include "api/policy/names.h"
#include "api/policy/safety.h"
#include "api/v1beta2/common.h"

namespace capstan::api {

// So many deletions within a time.
struct FleetLimit {
  static constexpr std::string_view kPerCluster = "Cluster";
  static constexpr std::int32_t kWindowSeconds = 600;
  static constexpr std::int32_t kLongestWindow = 86400;

  Text scope = {};  // empty: the default of its schema
  List<Text> reasons = {};
  IntOrString max = {};
  std::optional<std::int32_t> window_seconds = {};
  UnknownFields unknown = {};
  bool is_per_cluster() const { return scope == kPerCluster; }
  Seconds window() const { return Seconds(window_seconds.value_or(kWindowSeconds)); }
  bool operator==(const FleetLimit&) const = default;
};
template <>
inline constexpr auto members<FleetLimit> = std::array{
    member<&FleetLimit::scope>("scope", {.one_of = "Fleet|Cluster",
                                         .default_json = R"("Fleet")",
                                         .doc = "Whether the limit is one for all Clusters together (Fleet), "
                                                "or holds for each of them (Cluster)."}),
    member<&FleetLimit::reasons>(
        "reasons",
        {.min_items = 1,
         .max_items = 5,
         .items = {.one_of = "Remediation|Rollout|ScaleIn|PreservationEnded|Orphans"},
         .list = ListType::Set,
         .default_json = R"(["Remediation","Rollout","ScaleIn","PreservationEnded","Orphans"])",
         .doc = "Why Machines are deleted that count and wait: they are unhealthy or have failed "
                "(Remediation), their template is an earlier one (Rollout), fewer are wanted (ScaleIn), or "
                "they have failed and the time is over for which they were preserved (PreservationEnded). "
                "Orphans counts VMs that are deleted because no object has them."}),
    member<&FleetLimit::max>(
        "max",
        {.minimum = 0,
         .maximum = std::numeric_limits<std::int32_t>::max(),
         .pattern = "^(0|[1-9][0-9]?|100)%$",
         .required = true,
         .doc = "How many deletions may begin within the window: a number, or a percentage of the "
                "worker Machines of the Cluster or of all Clusters, rounded up, and of one where there "
                "are none. 0 lets none begin."}),
    member<&FleetLimit::window_seconds>(
        "windowSeconds",
        {.minimum = 60,
         .maximum = FleetLimit::kLongestWindow,
         .default_json = "600",
         .doc = "The time within which deletions are counted, back from now, in whole minutes. A Machine "
                "that is still on its way out counts beyond that."}),
};

// What becomes of VMs that no Machine has.
struct FleetOrphans {
  static constexpr std::string_view kDelete = "Delete";
  static constexpr std::int32_t kPeriodSeconds = 900;

  Text action = {};  // empty: the default of its schema
  std::optional<std::int32_t> period_seconds = {};
  UnknownFields unknown = {};
  bool deletes() const { return action == kDelete; }
  bool operator==(const FleetOrphans&) const = default;
};
template <>
inline constexpr auto members<FleetOrphans> = std::array{
    member<&FleetOrphans::action>(
        "action", {.one_of = "Report|Delete",
                   .default_json = R"("Report")",
                   .doc = "Report names them in the status of the DriverCluster; Delete deletes them, too."}),
    member<&FleetOrphans::period_seconds>(
        "periodSeconds", {.minimum = 60,
                          .maximum = 86400,
                          .default_json = "900",
                          .doc = "How often the VMs of an account are listed to find them."}),
};

struct FleetPolicySpec {
  List<FleetLimit> limits = {};
  std::optional<FleetOrphans> orphans = {};
  List<PolicyWindow> windows = {};
  UnknownFields unknown = {};
  bool operator==(const FleetPolicySpec&) const = default;
};
template <>
inline constexpr auto members<FleetPolicySpec> = std::array{
    member<&FleetPolicySpec::limits>(
        "limits", {.min_items = 1,
                   .max_items = 20,
                   .list = ListType::Atomic,
                   .doc = "How many Machines may be deleted within a time. A deletion needs a place in each "
                          "limit that counts its reason. Deletions by a user need none, and Machines of a "
                          "control plane are not counted. No limit when left out."}),
    member<&FleetPolicySpec::orphans>(
        "orphans", {.doc = "What becomes of VMs that no Machine has. They are reported when left out."}),
    member<&FleetPolicySpec::windows>(
        "windows", {.min_items = 1,
                    .max_items = 20,
                    .list = ListType::Atomic,
                    .doc = "When deletions may begin that can wait. At any time when left out."}),
};

struct FleetPolicyStatus {
  static constexpr std::int64_t kMostGrants = 1000;
  static constexpr std::int64_t kMostBuckets = 2000;

  Conditions conditions = {};
  std::int32_t waiting = 0;
  std::int32_t in_flight = 0;
  List<FleetGrant> grants = {};
  List<FleetBucket> buckets = {};
  std::int64_t observed_generation = 0;
  UnknownFields unknown = {};
  bool operator==(const FleetPolicyStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<FleetPolicyStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<FleetPolicyStatus> = std::array{
    member<&FleetPolicyStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = field_doc::kConditions}),
    member<&FleetPolicyStatus::waiting>(
        "waiting", {.keep_empty = true, .doc = "Machines whose deletion waits for a place in the limits."}),
    member<&FleetPolicyStatus::in_flight>(
        "inFlight", {.keep_empty = true, .doc = "Machines whose deletion was granted, and that are there."}),
    member<&FleetPolicyStatus::grants>(
        "grants", {.max_items = FleetPolicyStatus::kMostGrants,
                   .list = ListType::Atomic,
                   .doc = "The Machines whose deletion was granted, and that are there. With a thousand of "
                          "them no more is granted."}),
    member<&FleetPolicyStatus::buckets>(
        "buckets", {.max_items = FleetPolicyStatus::kMostBuckets,
                    .list = ListType::Atomic,
                    .doc = "How many Machines are gone whose deletion was granted, by the minute in which "
                           "it began, Cluster and reason, as far back as the longest window. With two "
                           "thousand entries no more is "
                           "granted."}),
    member<&FleetPolicyStatus::observed_generation>("observedGeneration",
                                                    {.minimum = 1, .doc = field_doc::kObservedGeneration}),
};

struct FleetPolicy {
  ObjectMeta metadata = {};
  FleetPolicySpec spec = {};
  FleetPolicyStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const FleetPolicy&) const = default;
};
inline constexpr std::array kFleetPolicyColumns = {
    Column{.name = "Applied",
           .json_path = ".status.conditions[?(@.type==\"Applied\")].status",
           .description = "Whether it is the one that counts"},
    Column{.name = "Waiting",
           .json_path = ".status.waiting",
           .type = "integer",
           .description = "Machines whose deletion waits for a place in the limits"},
    Column{.name = "In-Flight",
           .json_path = ".status.inFlight",
           .type = "integer",
           .description = "Machines whose deletion was granted, and that are there"},
    Column{.name = "Frozen",
           .json_path = ".status.conditions[?(@.type==\"Frozen\")].status",
           .description = "Whether no Machine of any Cluster is made or deleted"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
template <>
inline constexpr ResourceInfo resource<FleetPolicy> = {
    .group = policy::kGroup,
    .version = policy::kVersion,
    .kind = policy::kind::kFleetPolicy,
    .plural = "fleetpolicies",
    .categories = kCategory,
    .scope = Scope::Cluster,
    .columns = kFleetPolicyColumns,
    .status_subresource = true,
    .doc =
        "Limits how many Machines of this management cluster are deleted within a time. The one that is "
        "called fleet counts, any other is ignored."};
template <>
inline constexpr auto members<FleetPolicy> = std::array{
    member<&FleetPolicy::metadata>("metadata", {.required = true, .doc = field_doc::kMetadata}),
    member<&FleetPolicy::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
    member<&FleetPolicy::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
