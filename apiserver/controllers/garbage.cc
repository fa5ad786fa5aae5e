#include "apiserver/controllers/garbage.h"

#include <algorithm>

#include "apiserver/document/document.h"
#include "apiserver/internal_write.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

bool has_finalizer(const json::object& object, std::string_view name) {
  const auto* finalizers = array_at(object, {"metadata", "finalizers"});
  return finalizers != nullptr &&
         std::ranges::any_of(*finalizers, [&](const json::value& one) { return text_of(one) == name; });
}

bool waits_for_dependents(const json::object& object) {
  return is_deleting(object) && has_finalizer(object, kForeground);
}

std::vector<const json::object*> owner_references(const json::object& object) {
  std::vector<const json::object*> references;
  const auto* owners = array_at(object, {"metadata", "ownerReferences"});
  if (owners == nullptr) return references;
  for (const auto& owner : *owners) {
    if (owner.is_object()) references.push_back(&owner.get_object());
  }
  return references;
}

bool remove_owners(Core& core, std::string_view collection, const StoredKey& key,
                   const std::vector<std::string>& uids) {
  return edit_stored(core, collection, key, [&](json::object& object) {
    const auto references = owner_references(object);
    json::array kept;
    for (const auto* reference : references) {
      if (std::ranges::find(uids, text_at(*reference, {"uid"})) == uids.end()) kept.emplace_back(*reference);
    }
    if (kept.size() == references.size()) return false;
    auto& metadata = metadata_of(object);
    metadata.erase("ownerReferences");
    if (!kept.empty()) metadata["ownerReferences"] = std::move(kept);
    return true;
  });
}

std::string group_of(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string() : std::string(api_version.substr(0, slash));
}

Kind kind_of_collection(const Core& core, std::string_view collection) {
  const auto dot = collection.find('.');
  return core.registry.find(dot == std::string_view::npos ? std::string_view() : collection.substr(dot + 1),
                            collection.substr(0, dot));
}

}  // namespace

void Garbage::feed(const std::string& collection, const Change& change) {
  const std::string uid(uid_of(*change.object));
  if (change.type == EventType::Deleted) {
    forget_node(uid);
    check_dependents_of(uid);
    return;
  }
  remember(collection, change);
  if (is_deleting(*change.object)) {
    suspects_.insert(uid);
    check_dependents_of(uid);
  }
}

void Garbage::forget() {
  nodes_.clear();
  dependents_.clear();
  suspects_.clear();
}

void Garbage::remember(const std::string& collection, const Change& change) {
  const std::string uid(uid_of(*change.object));
  std::set<std::string> owners;
  for (const auto* reference : owner_references(*change.object)) owners.emplace(text_at(*reference, {"uid"}));
  auto& node = nodes_[uid];
  const bool known = !node.collection.empty();
  if (known && node.owners == owners) return;
  for (const auto& owner : node.owners) dependents_[owner].erase(uid);
  for (const auto& owner : owners) dependents_[owner].insert(uid);
  for (const auto& owner : node.owners) suspects_.insert(owner);  // may have waited for this dependent
  node = {.collection = collection, .key = change.key, .owners = std::move(owners)};
  if (!node.owners.empty()) suspects_.insert(uid);
}

void Garbage::forget_node(const std::string& uid) {
  const auto found = nodes_.find(uid);
  if (found == nodes_.end()) return;
  for (const auto& owner : found->second.owners) {
    dependents_[owner].erase(uid);
    suspects_.insert(owner);
  }
  nodes_.erase(found);
  suspects_.erase(uid);
}

void Garbage::check_dependents_of(const std::string& uid) {
  const auto found = dependents_.find(uid);
  if (found == dependents_.end()) return;
  suspects_.insert(found->second.begin(), found->second.end());
}

bool Garbage::collect(Core& core) {
  bool wrote = false;
  for (const auto& uid : std::exchange(suspects_, {})) wrote = judge(core, uid) || wrote;
  return wrote;
}

bool Garbage::judge(Core& core, const std::string& uid) {
  const auto found = nodes_.find(uid);
  if (found == nodes_.end()) return false;
  const Node node = found->second;
  const auto object = core.storage.find(node.collection, node.key);
  if (!object || uid_of(*object) != uid) return false;
  if (is_deleting(*object) && has_finalizer(*object, kOrphan)) return release_orphans(core, node, uid);
  if (waits_for_dependents(*object)) return finish_foreground(core, node, uid);
  return judge_dependent(core, node, uid, *object);
}

bool Garbage::release_orphans(Core& core, const Node& node, const std::string& uid) {
  const auto found = dependents_.find(uid);
  for (const auto& dependent : found == dependents_.end() ? std::set<std::string>() : found->second) {
    const auto& there = nodes_.at(dependent);
    if (core.has(Defect::OrphanDeleted)) {
      delete_stored(core, kind_of_collection(core, there.collection), there.key, dependent);
    } else {
      remove_owners(core, there.collection, there.key, {uid});
    }
  }
  return remove_finalizer(core, node.collection, node.key, kOrphan);
}

// The owner may go when no dependent is left that says it blocks.
bool Garbage::finish_foreground(Core& core, const Node& node, const std::string& uid) {
  const auto found = dependents_.find(uid);
  const auto blocks = [&](const std::string& dependent) {
    const auto& there = nodes_.at(dependent);
    const auto object = core.storage.find(there.collection, there.key);
    if (!object || uid_of(*object) != dependent) return false;
    return std::ranges::any_of(owner_references(*object), [&](const json::object* reference) {
      return text_at(*reference, {"uid"}) == uid && flag_at(*reference, {"blockOwnerDeletion"});
    });
  };
  if (found != dependents_.end() && std::ranges::any_of(found->second, blocks)) return false;
  return remove_finalizer(core, node.collection, node.key, kForeground);
}

Garbage::Owners Garbage::judge_owners(const Core& core, const json::object& object) const {
  Owners owners;
  for (const auto* reference : owner_references(object)) {
    const auto kind = core.registry.find_by_kind(group_of(text_at(*reference, {"apiVersion"})),
                                                 text_at(*reference, {"kind"}));
    if (!kind || (kind.type->namespaced && namespace_of(object).empty())) {
      owners.unknown = true;
      continue;
    }
    const std::string uid(text_at(*reference, {"uid"}));
    const StoredKey key{
        .namespace_ = kind.type->namespaced ? std::string(namespace_of(object)) : std::string(),
        .name = std::string(text_at(*reference, {"name"}))};
    const auto owner = core.storage.find(kind.type->group_resource(), key);
    if (!owner || uid_of(*owner) != uid)
      owners.gone.push_back(uid);
    else if (waits_for_dependents(*owner))
      owners.waiting.push_back(uid);
    else
      owners.solid = true;
  }
  return owners;
}

bool Garbage::judge_dependent(Core& core, const Node& node, const std::string& uid,
                              const json::object& object) {
  const auto owners = judge_owners(core, object);
  if (owners.unknown || (owners.gone.empty() && owners.waiting.empty())) return false;
  if (owners.solid) {
    auto leaving = owners.gone;
    leaving.insert(leaving.end(), owners.waiting.begin(), owners.waiting.end());
    return remove_owners(core, node.collection, node.key, leaving);
  }
  if (is_deleting(object)) return false;
  const auto kind = kind_of_collection(core, node.collection);
  if (!kind) return false;
  const auto own = dependents_.find(uid);
  const bool has_dependents = own != dependents_.end() && !own->second.empty();
  const auto policy = has_finalizer(object, kOrphan)              ? "Orphan"
                      : has_finalizer(object, kForeground)        ? "Foreground"
                      : !owners.waiting.empty() && has_dependents ? "Foreground"
                                                                  : "Background";
  return delete_stored(core, kind, node.key, uid, policy);
}

}  // namespace capstan::apiserver
