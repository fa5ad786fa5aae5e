#include <fmt/format.h>

#include <algorithm>

#include "apiserver/document.h"
#include "apiserver/selection.h"
#include "apiserver/verbs.h"
#include "apiserver/writing.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";
constexpr int kAttempts = 64;

struct DeleteWish {
  std::string uid = {};
  std::string version = {};
  std::string propagation = {};
  std::optional<std::int64_t> grace = {};
  bool dry_run = false;
};

// DeleteOptions from query and body.
Answer<DeleteWish> wish_of(const Request& request) {
  DeleteWish wish{.propagation = request.query.propagation_policy,
                  .grace = request.query.grace_period_seconds,
                  .dry_run = request.query.dry_run};
  if (const auto* body = request.body.value.if_object()) {
    const auto kind = text_at(*body, {"kind"});
    if (!kind.empty() && kind != "DeleteOptions") {
      return Refusal(bad_request(fmt::format(
          "the object provided is unrecognized (must be of type DeleteOptions): no kind \"{}\" is registered", kind)));
    }
    wish.uid = text_at(*body, {"preconditions", "uid"});
    wish.version = text_at(*body, {"preconditions", "resourceVersion"});
    if (const auto policy = text_at(*body, {"propagationPolicy"}); !policy.empty()) wish.propagation = policy;
    if (const auto grace = integer_at(*body, {"gracePeriodSeconds"})) wish.grace = grace;
    if (const auto* orphan = find(*body, {"orphanDependents"}); orphan != nullptr && orphan->is_bool()) {
      wish.propagation = orphan->get_bool() ? "Orphan" : "Background";
    }
    if (const auto* dry = array_at(*body, {"dryRun"}); dry != nullptr && !dry->empty()) wish.dry_run = true;
  }
  for (const std::string_view known : {"", "Orphan", "Background", "Foreground"}) {
    if (wish.propagation == known) return wish;
  }
  return Refusal(invalid({.group = "meta.k8s.io", .plural = "DeleteOptions"},
                         {unsupported_value("propagationPolicy", json::value(wish.propagation),
                                            {"Foreground", "Background", "Orphan", "nil"})}));
}

std::optional<Response> refuse_preconditions(const Core& core, const Target& target, const DeleteWish& wish,
                                             const json::object& live) {
  if (core.has(Defect::DeletePreconditionIgnored)) return {};
  StatusSubject subject = target.subject();
  subject.plural = target.type->kind;
  if (!wish.uid.empty() && wish.uid != uid_of(live)) {
    return conflict(subject, fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The "
                                         "object might have been deleted and then recreated",
                                         wish.uid, uid_of(live)));
  }
  const auto version = text_at(live, {"metadata", "resourceVersion"});
  if (!wish.version.empty() && wish.version != version) {
    return conflict(subject, fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                                         "ResourceVersion in record ({}). The object might have been modified",
                                         wish.version, version));
  }
  return {};
}

// The collector's two finalizers, as the policy asks; without a policy those that are there stay.
json::array wanted_finalizers(const DeleteWish& wish, const json::object& live) {
  json::array wanted;
  bool orphan = wish.propagation == "Orphan";
  bool foreground = wish.propagation == "Foreground";
  if (const auto* finalizers = array_at(live, {"metadata", "finalizers"})) {
    for (const auto& one : *finalizers) {
      const auto text = text_of(one);
      if (text == kOrphan) orphan = orphan || wish.propagation.empty();
      else if (text == kForeground) foreground = foreground || wish.propagation.empty();
      else wanted.push_back(one);
    }
  }
  if (orphan) wanted.emplace_back(kOrphan);
  if (foreground && !orphan) wanted.emplace_back(kForeground);
  return wanted;
}

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

// Seconds a pod gets to end; nothing for kinds without grace.
std::optional<std::int64_t> grace_of(const Target& target, const DeleteWish& wish, const json::object& live) {
  if (!target.strategy->graceful) return {};
  const auto phase = text_at(live, {"status", "phase"});
  if (text_at(live, {"spec", "nodeName"}).empty() || phase == "Failed" || phase == "Succeeded") return 0;
  auto grace = wish.grace.value_or(integer_at(live, {"spec", "terminationGracePeriodSeconds"}).value_or(30));
  return grace < 0 ? 1 : grace;
}

struct Deletion {
  json::object object = {};  // what to store, or the last state
  bool now = false;          // gone at once
  bool nothing = false;      // a deletion that takes its course already
};

// What deleting means for this object at this moment.
Deletion planned(const Core& core, const Target& target, const DeleteWish& wish, const json::object& live) {
  Deletion plan{.object = live};
  const auto now = core.options.clock.now();
  const auto grace = grace_of(target, wish, live);
  if (grace && is_deleting(live)) {
    const auto current = integer_at(live, {"metadata", "deletionGracePeriodSeconds"}).value_or(0);
    if (current > 0 && (!wish.grace || *grace >= current)) {
      plan.nothing = true;
      return plan;
    }
  }
  auto finalizers = wanted_finalizers(wish, live);
  const bool pending = !finalizers.empty() && !core.has(Defect::FinalizerIgnored);
  auto& metadata = metadata_of(plan.object);
  metadata.erase("finalizers");
  if (!finalizers.empty()) metadata["finalizers"] = std::move(finalizers);
  if (grace && !is_deleting(live)) {
    mark_deleting(plan.object, now + std::chrono::seconds(*grace), *grace);
  } else if (grace) {
    metadata["deletionTimestamp"] = timestamp(now + std::chrono::seconds(*grace));
    metadata["deletionGracePeriodSeconds"] = *grace;
  } else if (pending) {
    mark_deleting(plan.object, now, 0);
  }
  plan.now = !pending && grace.value_or(0) == 0;
  return plan;
}

}  // namespace

Response delete_object(Core& core, const Target& target, const Request& request) {
  if (!target.type->allows("delete")) return method_not_allowed("delete");
  auto wish = wish_of(request);
  if (!wish) return std::move(wish).error();
  for (int i = 0; i < kAttempts; ++i) {
    Warnings warnings;
    const auto stored = core.storage.find(target.collection, target.key);
    if (!stored) return not_found(target.subject());
    if (auto refusal = refuse_preconditions(core, target, *wish, *stored)) return *refusal;
    if (auto refusal = refused_deletion(core, target, request, stored, warnings)) return *refusal;

    auto plan = planned(core, target, *wish, *stored);
    ObjectPtr shown = stored;
    if (!plan.nothing && plan.object != *stored && !(plan.now && !target.strategy->graceful)) {
      shown = std::make_shared<const json::object>(plan.object);
    }
    if (!wish->dry_run && !plan.nothing) {
      if (plan.now) {
        shown = core.storage.erase(target.collection, target.key, stored);
      } else if (plan.object != *stored) {
        shown = core.storage.replace(target.collection, target.key, stored, std::move(plan.object));
      }
      if (!shown) continue;
    }
    Response response;
    if (plan.now && !target.strategy->returns_deleted) {
      response = success(target.subject(), uid_of(*stored));
    } else {
      auto converted = as_requested(core, target, shown);
      if (!converted) return std::move(converted).error();
      response = answer(target, std::move(*converted));
    }
    response.warnings = std::move(warnings);
    return response;
  }
  return conflict(target.subject(), "the object has been modified; please apply your changes to the latest version");
}

Response delete_collection(Core& core, const Target& target, const Request& request) {
  if (!target.type->allows("deletecollection")) return method_not_allowed("deletecollection");
  auto listed = list_objects(core, target, request);
  if (!listed.ok()) return listed;
  for (const auto& object : listed.items) {
    Target one = target;
    one.key = {.namespace_ = std::string(namespace_of(*object)), .name = std::string(name_of(*object))};
    Request single = request;
    single.verb = Verb::Delete;
    auto response = delete_object(core, one, single);
    if (!response.ok() && response.status != 404) return response;
  }
  return listed;
}

}  // namespace capstan::apiserver
