#include "apiserver/core.h"

#include "apiserver/document.h"

namespace capstan::apiserver {

Answer<Target> resolve(const Core& core, const Request& request) {
  const auto kind = core.registry.find(request.group, request.resource);
  if (!kind) return Refusal(path_not_found());
  Target target{.type = kind.type,
                .strategy = kind.strategy,
                .version = kind.type->version(request.version),
                .since = kind.since,
                .collection = kind.type->group_resource(),
                .key = {.namespace_ = request.namespace_, .name = request.name},
                .subresource = request.subresource};
  if (target.version == nullptr || !target.version->served) return Refusal(path_not_found());
  if (!target.type->namespaced && !request.namespace_.empty()) return Refusal(path_not_found());
  return target;
}

Answer<ObjectPtr> at_version(const Core& core, const ResourceType& type, std::string_view version,
                             const ObjectPtr& object) {
  const auto wanted = type.api_version(version);
  if (text_at(*object, {"apiVersion"}) == wanted) return object;
  const auto* strategy = type.conversion ? type.conversion->if_object() : nullptr;
  if (strategy != nullptr && text_at(*strategy, {"strategy"}) == "Webhook") {
    if (core.options.converter == nullptr) return Refusal(internal_error("no conversion webhook client"));
    auto converted = core.options.converter->convert(type, wanted, {object});
    if (!converted) return Refusal(std::move(converted).error());
    return converted->front();
  }
  auto copy = *object;
  copy["apiVersion"] = wanted;
  return std::make_shared<const json::object>(std::move(copy));
}

Answer<ObjectPtr> as_requested(const Core& core, const Target& target, const ObjectPtr& object) {
  return at_version(core, *target.type, target.version->name, object);
}

Response answer(const Target& target, ObjectPtr object, int status) {
  return {.status = status, .object = std::move(object), .type = target.type, .version = target.version->name};
}

}  // namespace capstan::apiserver
