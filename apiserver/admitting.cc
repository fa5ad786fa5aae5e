#include "apiserver/document.h"
#include "apiserver/writing.h"

namespace capstan::apiserver {
namespace {

AdmissionReviewRequest review(const Target& target, const Request& request, std::string operation) {
  return {.operation = std::move(operation),
          .type = target.type,
          .version = target.version->name,
          .subresource = target.subresource,
          .namespace_ = target.key.namespace_,
          .name = target.key.name,
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
