#include "apiserver/controllers/lifecycle.h"

#include <algorithm>

#include "apiserver/document/document.h"
#include "apiserver/internal_write.h"
#include "apiserver/store/crd_kinds.h"
#include "apiserver/store/crd_status.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kNamespaceFinalizer = "kubernetes";

struct Emptied {
  bool wrote = false;
  std::size_t left = 0;
};

// Deletes everything of a kind (in one namespace).
Emptied empty_collection(Core& core, const Kind& kind, const std::string& ns) {
  Emptied emptied;
  const auto collection = kind.type->group_resource();
  const auto page = core.storage.list(collection, {.namespace_ = ns});
  for (const auto& [key, object] : page->items) {
    if (!is_deleting(*object))
      emptied.wrote = delete_stored(core, kind, key, uid_of(*object)) || emptied.wrote;
    if (core.storage.find(collection, key)) ++emptied.left;
  }
  return emptied;
}

bool end_namespace(Core& core, const StoredKey& key) {
  Emptied all;
  for (const auto& type : core.registry.types()) {
    if (!type->namespaced || !type->allows("delete")) continue;
    const auto kind = core.registry.find(type->group, type->plural);
    if (!kind) continue;
    const auto one = empty_collection(core, kind, key.name);
    all.wrote = all.wrote || one.wrote;
    all.left += one.left;
  }
  if (all.left > 0) return all.wrote;
  return edit_stored(core, "namespaces", key, [](json::object& ns) {
    const auto* finalizers = array_at(ns, {"spec", "finalizers"});
    if (finalizers == nullptr) return false;
    json::array kept;
    for (const auto& one : *finalizers) {
      if (text_of(one) != kNamespaceFinalizer) kept.push_back(one);
    }
    if (kept.size() == finalizers->size()) return false;
    auto& spec = object_in(ns, "spec");
    spec.erase("finalizers");
    if (!kept.empty()) spec["finalizers"] = std::move(kept);
    return true;
  });
}

bool has_cleanup(const json::object& crd) {
  const auto* finalizers = array_at(crd, {"metadata", "finalizers"});
  return finalizers != nullptr && std::ranges::any_of(*finalizers, [](const json::value& one) {
           return text_of(one) == kCrdFinalizer;
         });
}

bool end_definition(Core& core, const StoredKey& key, const json::object& crd) {
  const auto kind =
      core.registry.find(text_at(crd, {"spec", "group"}), text_at(crd, {"spec", "names", "plural"}));
  if (kind) {
    const auto emptied = empty_collection(core, kind, "");
    if (emptied.left > 0) return emptied.wrote;
  }
  const bool removed = remove_finalizer(core, kCrdCollection, key, kCrdFinalizer);
  follow_crd(core, key.name);
  return removed;
}

}  // namespace

bool end_namespaces(Core& core) {
  bool wrote = false;
  const auto page = core.storage.list("namespaces", {});
  for (const auto& [key, ns] : page->items) {
    if (is_deleting(*ns)) wrote = end_namespace(core, key) || wrote;
  }
  return wrote;
}

bool end_definitions(Core& core) {
  bool wrote = false;
  const auto page = core.storage.list(kCrdCollection, {});
  for (const auto& [key, crd] : page->items) {
    if (is_deleting(*crd) && has_cleanup(*crd)) wrote = end_definition(core, key, *crd) || wrote;
  }
  return wrote;
}

}  // namespace capstan::apiserver
