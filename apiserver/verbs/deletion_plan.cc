#include "apiserver/verbs/deletion_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "apiserver/document/conditions.h"
#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"
#include "apiserver/store/crd_names.h"
#include "base/time.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::int64_t kUsualGrace = 30;

void read_body(const json::object& body, DeleteWish& wish) {
  wish.uid = text_at(body, {"preconditions", "uid"});
  wish.version = text_at(body, {"preconditions", "resourceVersion"});
  if (const auto policy = text_at(body, {"propagationPolicy"}); !policy.empty()) wish.propagation = policy;
  if (const auto grace = integer_at(body, {"gracePeriodSeconds"})) wish.grace = grace;
  if (const auto* orphan = find(body, {"orphanDependents"}); orphan != nullptr && orphan->is_bool()) {
    wish.propagation = orphan->get_bool() ? "Orphan" : "Background";
  }
  if (const auto* dry = array_at(body, {"dryRun"}); dry != nullptr && !dry->empty()) wish.dry_run = true;
}

// The collector's two finalizers as the policy asks; without a policy those that are there stay.
json::array wanted_finalizers(const DeleteWish& wish, const json::object& object) {
  json::array wanted;
  bool orphan = wish.propagation == "Orphan";
  bool foreground = wish.propagation == "Foreground";
  if (const auto* finalizers = array_at(object, {"metadata", "finalizers"})) {
    for (const auto& one : *finalizers) {
      const auto text = text_of(one);
      if (text == kOrphan)
        orphan = orphan || wish.propagation.empty();
      else if (text == kForeground)
        foreground = foreground || wish.propagation.empty();
      else
        wanted.push_back(one);
    }
  }
  if (orphan) wanted.emplace_back(kOrphan);
  if (foreground && !orphan) wanted.emplace_back(kForeground);
  return wanted;
}

void set_finalizers(json::object& object, json::array finalizers) {
  auto& metadata = metadata_of(object);
  metadata.erase("finalizers");
  if (!finalizers.empty()) metadata["finalizers"] = std::move(finalizers);
}

// The first mark moves the generation: controllers that act on the spec should look again.
void mark_deleting(json::object& object, WallTime when, std::int64_t grace) {
  auto& metadata = metadata_of(object);
  if (!metadata.contains("deletionTimestamp")) {
    metadata["deletionTimestamp"] = timestamp(when);
    if (const auto generation = integer_at(metadata, {"generation"}); generation && *generation > 0) {
      metadata["generation"] = *generation + 1;
    }
  }
  metadata["deletionGracePeriodSeconds"] = grace;
}

Deletion stored(json::object object, const json::object& live) {
  if (object == live) return {};
  return {.step = DeletionStep::Store, .object = std::move(object)};
}

Deletion end_namespace(const json::object& live, WallTime now) {
  const auto* finalizers = array_at(live, {"spec", "finalizers"});
  if ((finalizers == nullptr || finalizers->empty()) && !has_finalizers(live))
    return {.step = DeletionStep::Erase};
  auto object = live;
  if (!is_deleting(live)) metadata_of(object)["deletionTimestamp"] = timestamp(now);
  object_in(object, "status")["phase"] = "Terminating";
  return stored(std::move(object), live);
}

// How long a pod may take to end. One that no node runs, or that has ended, is gone at once.
std::int64_t pod_grace(const DeleteWish& wish, const json::object& pod) {
  const auto phase = text_at(pod, {"status", "phase"});
  if (text_at(pod, {"spec", "nodeName"}).empty() || phase == "Failed" || phase == "Succeeded") return 0;
  const auto grace =
      wish.grace.value_or(integer_at(pod, {"spec", "terminationGracePeriodSeconds"}).value_or(kUsualGrace));
  return grace < 0 ? 1 : grace;
}

// A deletion under way may only be made shorter.
std::optional<std::int64_t> shorten(json::object& pod, const DeleteWish& wish, std::int64_t current,
                                    WallTime now) {
  if (!wish.grace || *wish.grace >= current) return {};
  auto period = std::max<std::int64_t>(*wish.grace, 0);
  const auto old = Time::parse(text_at(pod, {"metadata", "deletionTimestamp"}));
  auto when = (old ? old->wall() : now) - std::chrono::seconds(current - period);
  if (when < now) {
    when = now;
    if (period != 0) period = 1;
  }
  auto& metadata = metadata_of(pod);
  metadata["deletionTimestamp"] = timestamp(when);
  metadata["deletionGracePeriodSeconds"] = period;
  return period;
}

Deletion end_pod(const DeleteWish& wish, const json::object& live, WallTime now) {
  auto pod = live;
  std::int64_t grace = 0;
  if (is_deleting(live)) {
    const auto current = integer_at(live, {"metadata", "deletionGracePeriodSeconds"}).value_or(0);
    if (current == 0) return has_finalizers(live) ? Deletion() : Deletion{.step = DeletionStep::Erase};
    const auto shorter = shorten(pod, wish, current, now);
    if (!shorter) return {};
    grace = *shorter;
  } else {
    grace = pod_grace(wish, live);
    mark_deleting(pod, now + std::chrono::seconds(grace), grace);
  }
  auto finalizers = wanted_finalizers(wish, pod);
  const bool waits = grace > 0 || !finalizers.empty();
  set_finalizers(pod, std::move(finalizers));
  return {.step = waits ? DeletionStep::Store : DeletionStep::StoreThenErase, .object = std::move(pod)};
}

// CRDs wait for their instances to go.
void hold_for_instances(json::object& crd, WallTime now) {
  if (is_deleting(crd)) return;
  auto& finalizers = array_in(metadata_of(crd), "finalizers");
  if (std::ranges::find(finalizers, json::value(kCrdFinalizer)) == finalizers.end())
    finalizers.emplace_back(kCrdFinalizer);
  set_condition(object_in(crd, "status"), "Terminating", true, "InstanceDeletionPending",
                "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", now);
}

}  // namespace

Answer<DeleteWish> delete_wish(const Request& request) {
  DeleteWish wish{.propagation = request.query.propagation_policy,
                  .grace = request.query.grace_period_seconds,
                  .dry_run = request.query.dry_run};
  if (const auto* body = request.body.value.if_object()) {
    const auto kind = text_at(*body, {"kind"});
    if (!kind.empty() && kind != "DeleteOptions") {
      return Refusal(bad_request(fmt::format(
          "the object provided is unrecognized (must be of type DeleteOptions): no kind {} is registered",
          quoted(kind))));
    }
    read_body(*body, wish);
  }
  for (const std::string_view known : {"", "Orphan", "Background", "Foreground"}) {
    if (wish.propagation == known) return wish;
  }
  return Refusal(invalid({.group = "meta.k8s.io", .plural = "DeleteOptions"},
                         {unsupported_value("propagationPolicy", json::value(wish.propagation),
                                            {"Foreground", "Background", "Orphan", "nil"})}));
}

bool is_released(std::string_view collection, const json::object& object) {
  if (!is_deleting(object) || has_finalizers(object)) return false;
  if (integer_at(object, {"metadata", "deletionGracePeriodSeconds"}).value_or(0) != 0) return false;
  if (collection != "namespaces") return true;
  const auto* finalizers = array_at(object, {"spec", "finalizers"});
  return finalizers == nullptr || finalizers->empty();
}

Deletion deletion_plan(const Target& target, const DeleteWish& wish, const json::object& live, WallTime now) {
  if (target.collection == "namespaces") return end_namespace(live, now);
  if (target.strategy->graceful) return end_pod(wish, live, now);
  auto object = live;
  if (target.collection == kCrdCollection) hold_for_instances(object, now);
  auto finalizers = wanted_finalizers(wish, object);
  if (finalizers.empty()) return {.step = DeletionStep::Erase};
  set_finalizers(object, std::move(finalizers));
  mark_deleting(object, now, 0);
  return stored(std::move(object), live);
}

}  // namespace capstan::apiserver
