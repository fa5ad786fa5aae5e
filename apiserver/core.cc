#include "apiserver/core.h"

#include "apiserver/document/document.h"
#include "apiserver/schema/prune.h"
#include "apiserver/verbs/incoming.h"

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

namespace {

bool converts_by_webhook(const ResourceType& type) {
  const auto* conversion = type.conversion ? type.conversion->if_object() : nullptr;
  return conversion != nullptr && text_at(*conversion, {"strategy"}) == "Webhook";
}

// An object that was stored under another schema (of another version, or from before the one now in force) is
// brought under this one when it is read: what it does not know goes, defaults come.
ObjectPtr under_schema(const Core& core, const Target& target, const ObjectPtr& stored, ObjectPtr object) {
  if (!target.type->custom || (stored == object && version_of(*object) > target.since)) return object;
  auto fitted = *object;
  prune_unknown(fitted, *target.version->schema);
  fill_defaults(core, target, fitted);
  return fitted == *object ? object : std::make_shared<const json::object>(std::move(fitted));
}

Answer<std::vector<ObjectPtr>> all_at_version(const Core& core, const ResourceType& type,
                                              std::string_view version, std::vector<ObjectPtr> objects) {
  const auto wanted = type.api_version(version);
  const bool webhook = converts_by_webhook(type);
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (text_at(*objects[i], {"apiVersion"}) != wanted) others.push_back(i);
  }
  if (others.empty()) return objects;
  if (!webhook) {
    for (const auto i : others) {
      auto copy = *objects[i];
      copy["apiVersion"] = wanted;
      objects[i] = std::make_shared<const json::object>(std::move(copy));
    }
    return objects;
  }
  if (core.options.converter == nullptr) return Refusal(internal_error("no conversion webhook client"));
  std::vector<ObjectPtr> asked;
  for (const auto i : others) asked.push_back(objects[i]);
  auto converted = core.options.converter->convert(type, wanted, asked);
  if (!converted) return Refusal(std::move(converted).error());
  for (std::size_t i = 0; i < others.size(); ++i) objects[others[i]] = std::move((*converted)[i]);
  return objects;
}

}  // namespace

Answer<ObjectPtr> at_version(const Core& core, const ResourceType& type, std::string_view version,
                             const ObjectPtr& object) {
  auto converted = all_at_version(core, type, version, {object});
  if (!converted) return Refusal(std::move(converted).error());
  return converted->front();
}

Answer<ObjectPtr> as_requested(const Core& core, const Target& target, const ObjectPtr& object) {
  auto converted = all_as_requested(core, target, {object});
  if (!converted) return Refusal(std::move(converted).error());
  return converted->front();
}

Answer<std::vector<ObjectPtr>> all_as_requested(const Core& core, const Target& target,
                                                std::vector<ObjectPtr> objects) {
  auto converted = all_at_version(core, *target.type, target.version->name, objects);
  if (!converted) return converted;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    (*converted)[i] = under_schema(core, target, objects[i], std::move((*converted)[i]));
  }
  return converted;
}

Response answer(const Target& target, ObjectPtr object, int status) {
  return {
      .status = status, .object = std::move(object), .type = target.type, .version = target.version->name};
}

}  // namespace capstan::apiserver
