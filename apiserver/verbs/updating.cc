#include <fmt/format.h>

#include <algorithm>

#include "apiserver/admission/metadata_rules.h"
#include "apiserver/admission/validation.h"
#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"
#include "apiserver/verbs/deletion_plan.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/writing.h"

namespace capstan::apiserver {
namespace {

constexpr int kAttempts = 64;
constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

bool same_entries_but_for_times(const json::value& left, const json::value& right) {
  if (!left.is_array() || !right.is_array()) return left == right;
  const auto timeless = [](json::value entry) {
    if (auto* fields = entry.if_object()) fields->erase("time");
    return entry;
  };
  return std::ranges::equal(left.get_array(), right.get_array(), {}, timeless, timeless);
}

bool same_metadata_but_for_times(const json::object& left, const json::object& right) {
  constexpr auto kVersion = "resourceVersion";
  if (left.size() - left.count(kVersion) != right.size() - right.count(kVersion)) return false;
  return std::ranges::all_of(left, [&](const auto& field) {
    if (field.key() == kVersion) return true;
    const auto* other = right.if_contains(field.key());
    if (other == nullptr) return false;
    return field.key() == "managedFields" ? same_entries_but_for_times(field.value(), *other)
                                          : field.value() == *other;
  });
}

// Same in everything but the times in managedFields (and the resourceVersion, which only storing changes)?
bool same_but_for_times(const json::object& left, const json::object& right) {
  if (left.size() != right.size()) return false;
  return std::ranges::all_of(left, [&](const auto& field) {
    const auto* other = right.if_contains(field.key());
    if (other == nullptr) return false;
    if (field.key() != "metadata" || !field.value().is_object() || !other->is_object())
      return field.value() == *other;
    return same_metadata_but_for_times(field.value().get_object(), other->get_object());
  });
}

// Where the real server would keep the object; its messages say so.
std::string storage_key(const Target& target) {
  auto key =
      "/registry/" + (target.type->custom ? target.type->group + "/" : std::string()) + target.type->plural;
  if (target.type->namespaced) key += "/" + target.key.namespace_;
  return key + "/" + target.key.name;
}

std::optional<Response> refuse_preconditions(const Core& core, const Target& target, json::object& object,
                                             const json::object& live, bool replacing) {
  const auto uid = text_at(object, {"metadata", "uid"});
  if (replacing && !uid.empty() && uid != uid_of(live)) {
    return conflict(
        target.subject(),
        fmt::format("StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: "
                    "Precondition failed: UID in precondition: {}, UID in object meta: {}",
                    storage_key(target), uid, uid_of(live)));
  }
  const auto version = text_at(object, {"metadata", "resourceVersion"});
  if (version.find_first_not_of("0123456789") != std::string_view::npos) {
    return status_error(500, "",
                        fmt::format("strconv.ParseUint: parsing {}: invalid syntax", quoted(version)));
  }
  if (version.empty() || version == "0") {
    if (!target.strategy->unconditional_update) {
      return invalid(target.subject(),
                     {invalid_value("metadata.resourceVersion", 0, "must be specified for an update")});
    }
  } else if (version != text_at(live, {"metadata", "resourceVersion"}) &&
             !core.has(Defect::StaleUpdateAccepted)) {
    return conflict(target.subject(), kModified);
  }
  metadata_of(object)["resourceVersion"] = live.at("metadata").at("resourceVersion");
  return {};
}

// A write to the object leaves the status alone; a write to the status leaves everything else alone.
void keep_other_half(const Core& core, const Target& target, json::object& object, const json::object& live) {
  if (!target.version->has_status) return;
  if (!target.status()) {
    if (core.has(Defect::SpecWriteChangesStatus)) return;
    object.erase("status");
    if (const auto* status = live.if_contains("status")) object["status"] = *status;
    return;
  }
  if (core.has(Defect::StatusWriteChangesSpec)) return;
  auto kept = live;
  kept.erase("status");
  if (const auto* status = object.if_contains("status")) kept["status"] = *status;
  if (target.type->custom) {
    auto& metadata = metadata_of(kept);
    metadata.erase("managedFields");
    if (const auto* owned = find(object, {"metadata", "managedFields"})) metadata["managedFields"] = *owned;
  } else {
    kept["metadata"] =
        object["metadata"];  // built-in kinds let the status endpoint write labels and annotations
  }
  object = std::move(kept);
}

void advance_generation(const Core& core, const Target& target, json::object& object,
                        const json::object& live) {
  if (!target.strategy->has_generation || target.status()) return;
  const bool bump =
      core.has(Defect::MetadataBumpsGeneration) ? object != live : changes_spec(target, object, live);
  if (bump) metadata_of(object)["generation"] = integer_at(live, {"metadata", "generation"}).value_or(0) + 1;
}

Answer<Response> written(Core& core, const Target& target, const ObjectPtr& stored, ObjectPtr object,
                         bool dry_run) {
  auto at_storage = at_version(core, *target.type, target.type->storage_version().name, object);
  if (!at_storage) return Refusal(std::move(at_storage).error());
  if (dry_run && !core.has(Defect::DryRunPersists)) return answer(target, std::move(object));
  if (is_released(target.collection, *object)) {
    if (!core.storage.erase(target.collection, target.key, stored)) return Response{.status = 0};
    return answer(target, std::move(object));
  }
  auto result = core.storage.replace(target.collection, target.key, stored, **at_storage);
  if (!result) return Response{.status = 0};
  auto shown = as_requested(core, target, result);
  if (!shown) return Refusal(std::move(shown).error());
  return answer(target, std::move(*shown));
}

// One attempt; status 0 means that another write came in between.
Response attempt(Core& core, const Target& target, const Request& request, const ObjectPtr& stored,
                 const Edit& edit, Warnings& warnings) {
  const auto live = as_requested(core, target, stored);
  if (!live) return live.error();
  auto edited = edit(*live, warnings);
  if (!edited) return std::move(edited).error();
  auto object = std::move(*edited);
  if (auto refusal = match_path(target, object, true)) return *refusal;
  if (auto refusal = refuse_preconditions(core, target, object, **live, request.verb == Verb::Update))
    return *refusal;

  auto admitted_object = admitted(core, target, request, std::move(object), *live, warnings);
  if (!admitted_object) return std::move(admitted_object).error();
  object = std::move(*admitted_object);
  keep_system_fields(object, **live);
  keep_other_half(core, target, object, **live);
  if (target.strategy->prepare_update != nullptr && !target.status())
    target.strategy->prepare_update(object, **live);
  advance_generation(core, target, object, **live);
  const auto errors = update_errors(core, target, object, **live);
  if (!errors.empty()) return invalid(target.kind_subject(), errors);
  const auto shared = std::make_shared<const json::object>(std::move(object));
  if (auto refusal = refused_by_validation(core, target, request, shared, *live, warnings)) return *refusal;

  if (same_but_for_times(*shared, **live) && !is_released(target.collection, *shared) &&
      !core.has(Defect::NoopWriteBumpsVersion)) {
    return answer(target, *live);
  }
  auto response = written(core, target, stored, shared, request.query.dry_run);
  return response ? std::move(*response) : std::move(response).error();
}

}  // namespace

Response update(Core& core, const Target& target, const Request& request, const Edit& edit) {
  for (int i = 0; i < kAttempts; ++i) {
    Warnings warnings;
    const auto stored = core.storage.find(target.collection, target.key);
    if (!stored) return not_found(target.subject());
    auto response = attempt(core, target, request, stored, edit, warnings);
    if (response.status == 0) continue;
    response.warnings = std::move(warnings);
    return response;
  }
  return conflict(target.subject(), kModified);
}

Response replace_object(Core& core, const Target& target, const Request& request) {
  if (!target.type->allows("update")) return method_not_allowed("update");
  if (auto refusal = refuse_manager(request)) return *refusal;
  Warnings warnings;
  auto body = expected_object(target, request.body);
  if (!body) return std::move(body).error();
  auto object = shaped(core, target, std::move(*body), request, warnings);
  if (!object) return std::move(object).error();
  if (auto refusal = match_path(target, *object, true)) return *refusal;
  if (target.strategy->create_on_update && target.subresource.empty() &&
      !core.storage.find(target.collection, target.key)) {
    return insert(core, target, request, std::move(*object), std::move(warnings));
  }
  auto response =
      update(core, target, request, [&](const ObjectPtr& live, Warnings&) -> Answer<json::object> {
        auto fresh = *object;
        own_update(core, target, request, fresh, live.get());
        return fresh;
      });
  response.warnings.insert(response.warnings.begin(), warnings.begin(), warnings.end());
  return response;
}

}  // namespace capstan::apiserver
