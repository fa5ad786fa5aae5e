#include <fmt/format.h>

#include <algorithm>

#include "apiserver/admission/metadata_rules.h"
#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"
#include "apiserver/fields/ownership.h"
#include "apiserver/fields/typed_value.h"
#include "apiserver/schema/decode.h"
#include "apiserver/verbs/writing.h"

namespace capstan::apiserver {
namespace {

constexpr std::size_t kManagerLimit = 128;

// What the endpoint does not write: status where it has its own, everything else of the other half on
// /status.
FieldSet ignored_by(const Target& target) {
  FieldSet ignored;
  if (!target.version->has_status) return ignored;
  if (!target.status()) {
    ignored.insert({"f:status"});
    return ignored;
  }
  ignored.insert({"f:spec"});
  if (target.type->custom) ignored.insert({"f:metadata"});
  return ignored;
}

Ownership ownership_for(const Core& core, const Target& target, const Request& request) {
  Ownership ownership{
      .schema = *target.version->schema,
      .api_version = target.api_version(),
      .manager = manager_of(request),
      .subresource = target.subresource,
      .now = target.subresource == "scale" ? std::string() : timestamp(core.options.clock.now()),
      .ignored = ignored_by(target),
      .drops_others_fields = core.has(Defect::ApplyDropsOthersFields),
      .ignores_conflicts = core.has(Defect::ApplyIgnoresConflicts),
      .keeps_dropped_fields = core.has(Defect::ApplyKeepsDroppedFields),
      .replaces_lists = core.has(Defect::ListMapReplaced)};
  ownership.at_version = [&core, &target](const json::object& object, const std::string& api_version)
      -> std::optional<std::pair<json::object, const Schema*>> {
    for (const auto& version : target.type->versions) {
      if (target.type->api_version(version.name) != api_version) continue;
      const auto converted =
          at_version(core, *target.type, version.name, std::make_shared<const json::object>(object));
      if (!converted) return {};
      return std::pair{**converted, version.schema.get()};
    }
    return {};
  };
  return ownership;
}

Response conflict_response(const Conflicts& conflicts) {
  std::vector<StatusCause> causes;
  std::map<std::string, std::vector<std::string>> by_manager;
  for (const auto& conflict : conflicts) {
    const auto manager = shown_manager(conflict.manager);
    causes.push_back({.reason = "FieldManagerConflict",
                      .message = "conflict with " + manager,
                      .field = path_text(conflict.path)});
    by_manager[manager].push_back(path_text(conflict.path));
  }
  if (causes.size() == 1) {
    return apply_conflict(
        fmt::format("Apply failed with 1 conflict: {}: {}", causes[0].message, causes[0].field), causes);
  }
  std::vector<std::string> lines;
  for (const auto& [manager, paths] : by_manager) {
    lines.push_back(fmt::format("conflicts with {}:", manager));
    for (const auto& path : paths) lines.push_back("- " + path);
  }
  return apply_conflict(
      fmt::format("Apply failed with {} conflicts: {}", causes.size(), fmt::join(lines, "\n")), causes);
}

std::optional<Response> refuse_configuration(const Target& target, const json::object& configuration) {
  const auto version = text_at(configuration, {"apiVersion"});
  const auto kind = text_at(configuration, {"kind"});
  if (version != target.api_version() || kind != target.type->kind) {
    const auto shown_version = version.empty() ? std::string("/") : std::string(version);
    return bad_request(fmt::format("invalid object type: {}, Kind={}", shown_version, kind));
  }
  if (find(configuration, {"metadata", "managedFields"}) != nullptr) {
    return bad_request("metadata.managedFields must be nil");
  }
  const auto name = name_of(configuration);
  if (!name.empty() && name != target.key.name) {
    return bad_request(fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                                   name, target.key.name));
  }
  return {};
}

std::string group_version_kind(const Target& target) {
  return fmt::format("{}, Kind={}",
                     target.type->group.empty() ? "/" + target.version->name : target.api_version(),
                     target.type->kind);
}

}  // namespace

std::string manager_of(const Request& request) {
  if (!request.query.field_manager.empty()) return request.query.field_manager;
  const auto name = request.user_agent.substr(0, request.user_agent.find('/')).substr(0, kManagerLimit);
  return name.empty() ? "unknown" : name;
}

std::optional<Response> refuse_manager(const Request& request) {
  FieldErrors errors;
  const auto& manager = request.query.field_manager;
  const bool apply = request.verb == Verb::Patch && request.patch_type == kube::PatchType::Apply;
  if (apply && manager.empty()) errors.push_back(required("fieldManager", "is required for apply patch"));
  if (!apply && request.query.force) {
    errors.push_back(forbidden_field("force", "may not be specified for non-apply patch"));
  }
  if (manager.size() > kManagerLimit) errors.push_back(too_long("fieldManager", kManagerLimit));
  for (std::size_t i = 0; i < manager.size(); ++i) {
    if (static_cast<unsigned char>(manager[i]) >= 0x20 && manager[i] != 0x7f) continue;
    errors.push_back(
        invalid_value("fieldManager", json::value(manager),
                      fmt::format("invalid character U+{:04X} (at position {})",
                                  static_cast<unsigned>(static_cast<unsigned char>(manager[i])), i)));
  }
  if (errors.empty()) return {};
  const auto kind = request.verb == Verb::Patch    ? "PatchOptions"
                    : request.verb == Verb::Create ? "CreateOptions"
                                                   : "UpdateOptions";
  return invalid({.group = "meta.k8s.io", .plural = kind}, errors);
}

void own_update(const Core& core, const Target& target, const Request& request, json::object& object,
                const json::object* before) {
  if (before == nullptr && !target.type->custom) {
    // A new object of a built-in type grows out of its empty struct, whose fields have no owner.
    json::object empty{{"apiVersion", target.api_version()}, {"kind", target.type->kind}};
    empty["metadata"] = json::object();
    normalise_builtin(empty, *target.version->schema);
    auto ownership = ownership_for(core, target, request);
    ownership.blank = &empty;
    own_after_update(ownership, object, nullptr);
    return;
  }
  own_after_update(ownership_for(core, target, request), object, before);
}

Answer<json::object> applied(const Core& core, const Target& target, const Request& request,
                             const json::object* live, Warnings& warnings) {
  const auto* configuration = request.body.value.if_object();
  if (configuration == nullptr)
    return Refusal(bad_request("error decoding YAML: the patch is not an object"));
  if (auto refusal = refuse_configuration(target, *configuration)) return Refusal(std::move(*refusal));
  if (const auto obstacle = apply_obstacle(*configuration, *target.version->schema)) {
    return Refusal(status_error(
        500, "",
        fmt::format("failed to create typed patch object ({}/{}; {}): {}", namespace_of(*configuration),
                    name_of(*configuration), group_version_kind(target), *obstacle)));
  }
  const auto uid = uid_of(*configuration);
  if (live == nullptr && !uid.empty()) {
    return Refusal(conflict(
        target.subject(),
        fmt::format("uid mismatch: the provided object specified uid {}, and no existing object was found",
                    uid)));
  }
  auto result = apply_configuration(ownership_for(core, target, request), live, *configuration,
                                    request.query.force.value_or(false));
  if (!result) return Refusal(conflict_response(result.error()));
  if (!target.type->custom) {
    auto lenient = request;
    lenient.query.field_validation = FieldValidation::Ignore;
    return shaped(core, target, std::move(*result), lenient, warnings);
  }
  fill_defaults(core, target, *result);
  return std::move(*result);
}

}  // namespace capstan::apiserver
