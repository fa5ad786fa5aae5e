#include "cmd/manager/cleanup_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "api/bootstrap/names.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/drain/cordon.h"
#include "controllers/lifecycle/node_template_rules.h"
#include "controllers/machinedeployment/own_condition.h"
#include "controllers/machinepool/drain_key.h"
#include "controllers/machinepool/own_condition.h"
#include "controllers/rollout/new_set.h"
#include "controllers/safety/deleted_for.h"
#include "controllers/topology/workers.h"
#include "webhooks/certificates/names.h"

namespace capstan::manager {
namespace {

namespace json = boost::json;

constexpr std::array kOwnKeys = {
    api::annotation::kConfirmRelease,
    api::annotation::kElectionScope,
    api::bootstrap::annotation::kApplied,
    api::bootstrap::annotation::kApplyError,
    api::bootstrap::annotation::kReleased,
    api::bootstrap::annotation::kReleasedSince,
    api::bootstrap::annotation::kRestartServices,
    api::bootstrap::annotation::kTokenId,
    api::bootstrap::finalizer::kNodeConfig,
    api::bootstrap::finalizer::kToken,
    api::bootstrap::label::kAccess,
    api::bootstrap::label::kClusterName,
    api::bootstrap::label::kClusterNamespace,
    api::bootstrap::label::kConfigName,
    api::bootstrap::label::kConfigNamespace,
    api::bootstrap::label::kConfigUid,
    api::bootstrap::label::kNodeConfigName,
    api::bootstrap::label::kNodeConfigNamespace,
    api::driver::annotation::kAbandonVm,
    api::driver::annotation::kAutoscaledTo,
    api::driver::annotation::kFailureDomain,
    api::driver::annotation::kMadeControlPlane,
    api::driver::annotation::kVictims,
    api::driver::finalizer::kCluster,
    api::driver::finalizer::kMachine,
    api::driver::finalizer::kMachinePool,
    api::policy::annotation::kAutoPreserved,
    api::policy::annotation::kConfirmDeletion,
    api::policy::annotation::kCreationTimeout,
    api::policy::annotation::kDeletionPriority,
    api::policy::annotation::kDrainTimeout,
    api::policy::annotation::kFleetGrant,
    api::policy::annotation::kFleetRequest,
    api::policy::annotation::kForceDeletion,
    api::policy::annotation::kFreeze,
    api::policy::annotation::kHandsOver,
    api::policy::annotation::kHealthTimeout,
    api::policy::annotation::kInPlaceUpdate,
    api::policy::annotation::kNodeTemplate,
    api::policy::annotation::kNotManaged,
    api::policy::annotation::kPreservationDrain,
    api::policy::annotation::kPreserve,
    api::policy::annotation::kPreserveFromNode,
    api::policy::annotation::kPreserveTimeout,
    api::policy::annotation::kPreserveUntil,
    api::policy::annotation::kReleased,
    api::policy::annotation::kRolledTo,
    api::policy::annotation::kReplace,
    api::policy::annotation::kReplacementGranted,
    api::policy::annotation::kResourceExhaustedUntil,
    api::policy::annotation::kRollbackTo,
    api::policy::annotation::kRolloutHash,
    api::policy::annotation::kScaleDownDisabledByUs,
    api::policy::annotation::kTakesOver,
    api::policy::annotation::kUnfreeze,
    api::policy::annotation::kUnfrozenAt,
    api::policy::annotation::kUpdateBootstrap,
    api::policy::annotation::kUpdateFailedReason,
    api::policy::annotation::kUpdateVersion,
    api::policy::annotation::kVictims,
    api::policy::kPreservedTaint,
    api::policy::condition::kFrozen,
    api::policy::condition::kLifecycle,
    api::policy::condition::kPreserved,
    api::policy::condition::kProgressing,
    api::policy::label::kCandidateForUpdate,
    api::policy::label::kReadyForUpdate,
    api::policy::label::kSelectedForUpdate,
    api::policy::label::kUpdateResult,
    controllers::drain::kCordonedBy,
    controllers::lifecycle::kNodeTemplateCondition,
    controllers::machinedeployment::kAvailableUnderPolicy,
    controllers::machinepool::kDrainStarted,
    controllers::machinepool::kHealthy,
    controllers::machinepool::kVolumeWaitStarted,
    controllers::rollout::kMadeForRolloutAfter,
    controllers::safety::kDeletedFor,
    controllers::topology::kWorkers,
    webhooks::certificates::annotation::kPhase,
    webhooks::certificates::annotation::kRotate,
};

bool is_ours(std::string_view key) { return std::ranges::find(kOwnKeys, key) != kOwnKeys.end(); }

// A table or list inside the object; null where there is none.
const json::value* at(const json::value& object, std::string_view section, std::string_view field) {
  const auto* outer = object.is_object() ? object.as_object().if_contains(section) : nullptr;
  return outer != nullptr && outer->is_object() ? outer->as_object().if_contains(field) : nullptr;
}

const json::object& table(const json::value& object, std::string_view field) {
  static const json::object kNone;
  const auto* found = at(object, "metadata", field);
  return found != nullptr && found->is_object() ? found->as_object() : kNone;
}

const json::array& list(const json::value& object, std::string_view section, std::string_view field) {
  static const json::array kNone;
  const auto* found = at(object, section, field);
  return found != nullptr && found->is_array() ? found->as_array() : kNone;
}

std::string_view text(const json::value& value) {
  return value.is_string() ? std::string_view(value.as_string()) : std::string_view();
}

std::string_view key_of_taint(const json::value& taint) {
  const auto* key = taint.is_object() ? taint.as_object().if_contains("key") : nullptr;
  return key == nullptr ? std::string_view() : text(*key);
}

std::string_view type_of_condition(const json::value& condition) {
  const auto* type = condition.is_object() ? condition.as_object().if_contains("type") : nullptr;
  return type == nullptr ? std::string_view() : text(*type);
}

// A drain marks the Node that it cordons in the same request: a cordon without the mark is a user's.
bool is_cordoned_by_us(const json::value& object) {
  const auto* cordoned = at(object, "spec", "unschedulable");
  return cordoned != nullptr && cordoned->is_bool() && cordoned->as_bool() &&
         table(object, "annotations").contains(controllers::drain::kCordonedBy);
}

// A pool marks its named Machines with a key of Cluster API: the value says that the mark is ours.
bool is_victims_mark(const json::object& present, std::string_view key) {
  const auto* value = key == api::annotation::kDeleteMachine ? present.if_contains(key) : nullptr;
  return value != nullptr && text(*value) == api::policy::annotation::kVictims;
}

// The autoscaler's annotation goes with the mark that says that it is ours.
bool is_ours_among(const json::object& present, std::string_view key) {
  const bool marked = key == api::policy::annotation::kScaleDownDisabled &&
                      present.contains(api::policy::annotation::kScaleDownDisabledByUs);
  return marked || is_victims_mark(present, key) || is_ours(key);
}

json::object without_ours(const json::object& present) {
  json::object patch;
  for (const auto& entry : present)
    if (is_ours_among(present, entry.key())) patch[entry.key()] = nullptr;
  return patch;
}

template <typename KeyOf>
bool drop_from(json::object& section, std::string_view field, const json::array& present, KeyOf key_of) {
  json::array left;
  for (const json::value& one : present)
    if (!is_ours(key_of(one))) left.push_back(one);
  if (left.size() == present.size()) return false;
  section[field] = std::move(left);
  return true;
}

}  // namespace

std::span<const std::string_view> own_keys() { return kOwnKeys; }

std::vector<std::string> found_on(const json::value& object) {
  std::vector<std::string> found;
  const auto note = [&](std::string_view place, std::string_view key) {
    if (is_ours(key)) found.push_back(fmt::format("{} {}", place, key));
  };
  for (const json::value& one : list(object, "metadata", "finalizers")) note("finalizer", text(one));
  for (const auto& entry : table(object, "labels")) note("label", entry.key());
  for (const auto& entry : table(object, "annotations"))
    if (is_ours_among(table(object, "annotations"), entry.key()))
      found.push_back(fmt::format("annotation {}", std::string_view(entry.key())));
  for (const json::value& one : list(object, "spec", "taints")) note("taint", key_of_taint(one));
  if (is_cordoned_by_us(object)) found.emplace_back("cordon");
  for (const json::value& one : list(object, "status", "conditions"))
    note("condition", type_of_condition(one));
  return found;
}

std::optional<json::value> status_removal_patch(const json::value& object) {
  json::object status;
  const auto* version = at(object, "metadata", "resourceVersion");
  if (!drop_from(status, "conditions", list(object, "status", "conditions"), type_of_condition))
    return std::nullopt;
  json::object patch{{"status", std::move(status)}};
  if (version != nullptr) patch["metadata"] = json::object{{"resourceVersion", *version}};
  return patch;
}

std::optional<json::value> removal_patch(const json::value& object) {
  json::object metadata;
  json::object spec;
  for (const std::string_view field : {"labels", "annotations"}) {
    json::object gone = without_ours(table(object, field));
    if (!gone.empty()) metadata[field] = std::move(gone);
  }
  bool bound = is_victims_mark(table(object, "annotations"), api::annotation::kDeleteMachine);
  bound = drop_from(metadata, "finalizers", list(object, "metadata", "finalizers"), text) || bound;
  bound = drop_from(spec, "taints", list(object, "spec", "taints"), key_of_taint) || bound;
  if (is_cordoned_by_us(object)) spec["unschedulable"] = nullptr;
  const auto* version = at(object, "metadata", "resourceVersion");
  if (metadata.empty() && spec.empty()) return std::nullopt;
  if ((bound || !spec.empty()) && version != nullptr) metadata["resourceVersion"] = *version;
  json::object patch{{"metadata", std::move(metadata)}};
  if (!spec.empty()) patch["spec"] = std::move(spec);
  return patch;
}

}  // namespace capstan::manager
