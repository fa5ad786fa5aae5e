#include <fmt/format.h>

#include "apiserver/admission/metadata_rules.h"
#include "apiserver/admission/validation.h"
#include "apiserver/document/document.h"
#include "apiserver/schema/decode.h"
#include "apiserver/schema/prune.h"
#include "apiserver/store/crd_kinds.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/writing.h"

namespace capstan::apiserver {
namespace {

constexpr int kNameAttempts = 8;

Response reworded(Response response, std::string_view message) {
  auto status = *response.object;
  status["message"] = message;
  response.object = std::make_shared<const json::object>(std::move(status));
  return response;
}

Response taken(const Core& core, const Target& target, const json::object& object) {
  auto response = already_exists(target.subject());
  const std::string message(text_at(*response.object, {"message"}));
  const auto present = core.storage.find(target.collection, target.key);
  if (present && is_deleting(*present))
    return reworded(std::move(response), "object is being deleted: " + message);
  if (text_at(object, {"metadata", "generateName"}).empty()) return response;
  auto status = *response.object;
  object_in(status, "details")["retryAfterSeconds"] = 1;
  response.object = std::make_shared<const json::object>(std::move(status));
  return reworded(std::move(response),
                  message + ", the server was not able to generate a unique name for the object");
}

// The status of a new object is the server's business.
void clear_status(const Target& target, json::object& object) {
  object.erase("status");
  const auto* schema = target.version->schema->field("status");
  if (target.type->custom || schema == nullptr) return;
  json::value status = json::object();
  normalise_builtin(status.get_object(), *schema);
  apply_defaults(status, *schema);
  object["status"] = std::move(status);
}

ObjectPtr share(json::object object) { return std::make_shared<const json::object>(std::move(object)); }

}  // namespace

std::optional<Response> refuse_namespace(const Core& core, const Target& target) {
  if (!target.type->namespaced) return {};
  const auto& name = target.key.namespace_;
  const auto ns = core.storage.find("namespaces", {.name = name});
  if (!ns) return not_found({.plural = "namespaces", .name = name});
  if (!is_deleting(*ns)) return {};
  const auto why =
      fmt::format("unable to create new content in namespace {} because it is being terminated", name);
  auto response = forbidden(target.subject(), why);
  auto status = *response.object;
  object_in(status, "details")["causes"] =
      json::array{json::object{{"reason", "NamespaceTerminating"},
                               {"message", fmt::format("namespace {} is being terminated", name)},
                               {"field", "metadata.namespace"}}};
  response.object = share(std::move(status));
  return response;
}

namespace {

// A CRD that is being deleted gets no new instances.
std::optional<Response> refuse_ending_kind(const Core& core, const Target& target) {
  if (!target.type->custom) return {};
  const auto crd = core.storage.find(kCrdCollection, {.name = target.collection});
  if (!crd || !is_deleting(*crd)) return {};
  return method_not_supported(target.subject(),
                              "create not allowed while custom resource definition is terminating");
}

}  // namespace

Response create_object(Core& core, const Target& target, const Request& request) {
  if (!target.type->allows("create")) return method_not_allowed("create");
  if (auto refusal = refuse_manager(request)) return *refusal;
  Warnings warnings;
  auto body = expected_object(target, request.body);
  if (!body) return std::move(body).error();
  auto object = shaped(core, target, std::move(*body), request, warnings);
  if (!object) return std::move(object).error();
  if (!text_at(*object, {"metadata", "resourceVersion"}).empty() && !request.query.dry_run) {
    return status_error(500, "", "resourceVersion should not be set on objects to be created");
  }
  own_update(core, target, request, *object, nullptr);
  return insert(core, target, request, std::move(*object), std::move(warnings));
}

Response insert(Core& core, Target target, const Request& request, json::object object, Warnings warnings) {
  if (auto refusal = match_path(target, object, !target.key.name.empty())) return *refusal;
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    auto fresh = object;
    auto& metadata = metadata_of(fresh);
    const auto prefix = text_at(metadata, {"generateName"});
    if (name_of(object).empty() && !prefix.empty()) metadata["name"] = core.identities.generated_name(prefix);
    target.key.name = name_of(fresh);

    if (auto refusal = refuse_namespace(core, target)) return *refusal;
    if (auto refusal = refuse_ending_kind(core, target)) return *refusal;
    auto admitted_object = admitted(core, target, request, std::move(fresh), nullptr, warnings);
    if (!admitted_object) return std::move(admitted_object).error();
    fresh = std::move(*admitted_object);

    stamp_new({.uid = core.identities.uid(), .at = core.options.clock.now()}, target, fresh);
    if (target.version->has_status && !target.strategy->keeps_status_on_create) clear_status(target, fresh);
    if (target.strategy->prepare_create != nullptr) target.strategy->prepare_create(fresh);
    const auto errors = creation_errors(core, target, fresh);
    if (!errors.empty()) return invalid(target.kind_subject(), errors);
    const auto shared = share(std::move(fresh));
    if (auto refusal = refused_by_validation(core, target, request, shared, nullptr, warnings))
      return *refusal;

    const auto stored = at_version(core, *target.type, target.type->storage_version().name, shared);
    if (!stored) return stored.error();
    ObjectPtr written;
    if (request.query.dry_run && !core.has(Defect::DryRunPersists)) {
      if (!core.storage.find(target.collection, target.key)) written = *stored;
    } else {
      written = core.storage.create(target.collection, target.key, **stored);
    }
    if (!written) {
      if (name_of(object).empty()) continue;
      return taken(core, target, object);
    }
    auto shown = as_requested(core, target, written);
    if (!shown) return std::move(shown).error();
    auto response = answer(target, *shown, 201);
    response.warnings = std::move(warnings);
    return response;
  }
  return taken(core, target, object);
}

}  // namespace capstan::apiserver
