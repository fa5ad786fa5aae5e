#include <fmt/format.h>

#include "apiserver/document/document.h"
#include "apiserver/verbs/deletion_plan.h"
#include "apiserver/verbs/selection.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/writing.h"

namespace capstan::apiserver {
namespace {

constexpr int kAttempts = 64;

// Some namespaces stay.
std::optional<Response> refuse_by_name(const Target& target) {
  if (target.collection != "namespaces") return {};
  for (const std::string_view kept : {"default", "kube-system", "kube-public"}) {
    if (target.key.name == kept) return forbidden(target.subject(), "this namespace may not be deleted");
  }
  return {};
}

std::optional<Response> refuse_preconditions(const Core& core, const Target& target, const DeleteWish& wish,
                                             const json::object& live) {
  if (core.has(Defect::DeletePreconditionIgnored)) return {};
  StatusSubject subject = target.subject();
  subject.plural = target.type->kind;
  if (!wish.uid.empty() && wish.uid != uid_of(live)) {
    return conflict(subject,
                    fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The "
                                "object might have been deleted and then recreated",
                                wish.uid, uid_of(live)));
  }
  const auto version = text_at(live, {"metadata", "resourceVersion"});
  if (!wish.version.empty() && wish.version != version) {
    return conflict(subject,
                    fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                                "ResourceVersion in record ({}). The object might have been modified",
                                wish.version, version));
  }
  return {};
}

// The object as it is afterwards; null when another write came in between.
ObjectPtr carried_out(Core& core, const Target& target, const ObjectPtr& stored, Deletion deletion) {
  auto& storage = core.storage;
  switch (deletion.step) {
    case DeletionStep::Nothing: return stored;
    case DeletionStep::Store:
      return storage.replace(target.collection, target.key, stored, std::move(deletion.object));
    case DeletionStep::Erase: return storage.erase(target.collection, target.key, stored);
    case DeletionStep::StoreThenErase: {
      const auto marked = storage.replace(target.collection, target.key, stored, std::move(deletion.object));
      return marked ? storage.erase(target.collection, target.key, marked) : nullptr;
    }
  }
  return nullptr;
}

Response deletion_answer(const Core& core, const Target& target, const ObjectPtr& shown, bool gone) {
  if (gone && !target.strategy->returns_deleted) return success(target.subject(), uid_of(*shown));
  auto converted = as_requested(core, target, shown);
  if (!converted) return std::move(converted).error();
  return answer(target, std::move(*converted));
}

}  // namespace

Response delete_object(Core& core, const Target& target, const Request& request) {
  if (!target.type->allows("delete")) return method_not_allowed("delete");
  if (auto refusal = refuse_by_name(target)) return *refusal;
  const auto wish = delete_wish(request);
  if (!wish) return wish.error();
  for (int i = 0; i < kAttempts; ++i) {
    Warnings warnings;
    const auto stored = core.storage.find(target.collection, target.key);
    if (!stored) return not_found(target.subject());
    if (auto refusal = refuse_preconditions(core, target, *wish, *stored)) return *refusal;
    if (auto refusal = refused_deletion(core, target, request, stored, warnings)) return *refusal;

    auto deletion = deletion_plan(target, *wish, *stored, core.options.clock.now());
    if (core.has(Defect::FinalizerIgnored)) deletion.step = DeletionStep::Erase;
    const bool gone = deletion.step == DeletionStep::Erase || deletion.step == DeletionStep::StoreThenErase;
    ObjectPtr shown;
    if (wish->dry_run && !core.has(Defect::DryRunPersists)) {
      shown =
          deletion.object.empty() ? stored : std::make_shared<const json::object>(std::move(deletion.object));
    } else {
      shown = carried_out(core, target, stored, std::move(deletion));
      if (!shown) continue;
    }
    auto response = deletion_answer(core, target, shown, gone);
    response.warnings = std::move(warnings);
    return response;
  }
  return conflict(
      target.subject(),
      "the object has been modified; please apply your changes to the latest version and try again");
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
