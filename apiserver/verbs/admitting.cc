#include "apiserver/document/document.h"
#include "apiserver/verbs/writing.h"

namespace capstan::apiserver {
namespace {

void copy_delete_options(const Request& request, json::object& options) {
  if (const auto* body = request.body.value.if_object()) {
    for (const auto& [name, value] : *body) options[name] = value;
    return;
  }
  if (!request.query.propagation_policy.empty())
    options["propagationPolicy"] = request.query.propagation_policy;
  if (request.query.grace_period_seconds) options["gracePeriodSeconds"] = *request.query.grace_period_seconds;
}

// Of the operation, not of the verb: a patch that creates has CreateOptions.
ObjectPtr options_of(const Request& request, std::string_view operation) {
  json::object options;
  if (operation == "DELETE") copy_delete_options(request, options);
  options["apiVersion"] = "meta.k8s.io/v1";
  options["kind"] = operation == "CREATE"   ? "CreateOptions"
                    : operation == "UPDATE" ? "UpdateOptions"
                                            : "DeleteOptions";
  if (request.query.dry_run) options["dryRun"] = json::array{"All"};
  if (operation == "DELETE") return std::make_shared<const json::object>(std::move(options));
  if (!request.query.field_manager.empty()) options["fieldManager"] = request.query.field_manager;
  if (const auto& validation = request.query.field_validation) {
    options["fieldValidation"] = *validation == FieldValidation::Ignore ? "Ignore"
                                 : *validation == FieldValidation::Warn ? "Warn"
                                                                        : "Strict";
  }
  return std::make_shared<const json::object>(std::move(options));
}

AdmissionReviewRequest review(const Target& target, const Request& request, std::string operation) {
  auto options = options_of(request, operation);
  return {.operation = std::move(operation),
          .type = target.type,
          .version = target.version->name,
          .subresource = target.subresource,
          .namespace_ = target.key.namespace_,
          .name = target.key.name,
          .options = std::move(options),
          .user = request.user,
          .dry_run = request.query.dry_run};
}

}  // namespace

Answer<json::object> admitted(Core& core, const Target& target, const Request& request, json::object object,
                              const ObjectPtr& before, Warnings& warnings) {
  if (core.options.admission == nullptr) return object;
  auto asked = review(target, request, before ? "UPDATE" : "CREATE");
  asked.object = std::make_shared<const json::object>(std::move(object));
  asked.old_object = before;
  auto mutated = core.options.admission->mutate(asked, warnings);
  if (!mutated) return Refusal(std::move(mutated).error());
  return **mutated;
}

std::optional<Response> refused_by_validation(Core& core, const Target& target, const Request& request,
                                              const ObjectPtr& object, const ObjectPtr& before,
                                              Warnings& warnings) {
  if (core.options.admission == nullptr) return {};
  auto asked = review(target, request, before ? "UPDATE" : "CREATE");
  asked.object = object;
  asked.old_object = before;
  return core.options.admission->validate(asked, warnings);
}

std::optional<Response> refused_deletion(Core& core, const Target& target, const Request& request,
                                         const ObjectPtr& before, Warnings& warnings) {
  if (core.options.admission == nullptr) return {};
  auto asked = review(target, request, "DELETE");
  auto shown = as_requested(core, target, before);
  if (!shown) return std::move(shown).error();
  asked.old_object = *shown;
  auto mutated = core.options.admission->mutate(asked, warnings);
  if (!mutated) return std::move(mutated).error();
  return core.options.admission->validate(asked, warnings);
}

}  // namespace capstan::apiserver
