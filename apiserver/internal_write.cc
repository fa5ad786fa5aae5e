#include "apiserver/internal_write.h"

#include "apiserver/document/document.h"
#include "apiserver/verbs/deletion_plan.h"
#include "apiserver/verbs/verbs.h"

namespace capstan::apiserver {

bool edit_stored(Core& core, std::string_view collection, const StoredKey& key,
                 const std::function<bool(json::object&)>& edit) {
  for (;;) {
    const auto stored = core.storage.find(collection, key);
    if (!stored) return false;
    auto object = *stored;
    if (!edit(object)) return false;
    const bool released = is_released(collection, object);
    const auto written = released ? core.storage.erase(collection, key, stored)
                                  : core.storage.replace(collection, key, stored, std::move(object));
    if (written) return true;
  }
}

bool remove_finalizer(Core& core, std::string_view collection, const StoredKey& key,
                      std::string_view finalizer) {
  return edit_stored(core, collection, key, [&](json::object& object) {
    const auto* finalizers = array_at(object, {"metadata", "finalizers"});
    if (finalizers == nullptr) return false;
    json::array kept;
    for (const auto& one : *finalizers) {
      if (text_of(one) != finalizer) kept.push_back(one);
    }
    if (kept.size() == finalizers->size()) return false;
    auto& metadata = metadata_of(object);
    metadata.erase("finalizers");
    if (!kept.empty()) metadata["finalizers"] = std::move(kept);
    return true;
  });
}

bool delete_stored(Core& core, const Kind& kind, const StoredKey& key, std::string_view uid,
                   std::string_view propagation) {
  Request request{.verb = Verb::Delete,
                  .group = kind.type->group,
                  .version = kind.type->storage_version().name,
                  .resource = kind.type->plural,
                  .namespace_ = key.namespace_,
                  .name = key.name,
                  .user = {.name = "system:kube-controller-manager", .groups = {"system:authenticated"}},
                  .user_agent = "kube-controller-manager/capstan"};
  request.body.value =
      json::object{{"preconditions", json::object{{"uid", uid}}}, {"propagationPolicy", propagation}};
  const Target target{.type = kind.type,
                      .strategy = kind.strategy,
                      .version = &kind.type->storage_version(),
                      .since = kind.since,
                      .collection = kind.type->group_resource(),
                      .key = key};
  const auto before = core.storage.version();
  return delete_object(core, target, request).ok() && core.storage.version() != before;
}

}  // namespace capstan::apiserver
