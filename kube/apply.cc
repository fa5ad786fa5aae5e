#include "kube/apply.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <optional>

#include "api/names.h"
#include "api/schema/encode.h"

namespace capstan::kube {
namespace json = boost::json;
namespace {

constexpr std::array<std::string_view, 6> kIntentMetadata = {"name",        "namespace",  "labels",
                                                             "annotations", "finalizers", "ownerReferences"};

constexpr std::size_t kIntentScratch = 32U << 10;  // two Machines and an intent

// Of the core's own kinds: no other field manager puts them on.
constexpr std::array<std::string_view, 5> kOurFinalizers = {
    api::finalizer::kCluster, api::finalizer::kMachine, api::finalizer::kMachineSet,
    api::finalizer::kMachineDeployment, api::finalizer::kMachinePool};

// How a server treats one place of a document.
struct Place {
  const api::TypeInfo* type = nullptr;  // null: not described; lists are atoms then
  const api::Rules* rules = nullptr;
};

const api::TypeInfo* unwrapped(const api::TypeInfo* type) {
  while (type != nullptr && type->shape == api::Shape::Holder) type = type->element;
  return type;
}

Place place_of_member(const Place& parent, std::string_view name) {
  const api::TypeInfo* type = unwrapped(parent.type);
  if (type == nullptr || type->shape != api::Shape::Object) return {};
  const auto member = std::ranges::find(type->members, name, &api::Member::name);
  return member == type->members.end() ? Place{} : Place{.type = member->type, .rules = &member->rules};
}

Place place_of_element(const Place& list) {
  const api::TypeInfo* type = unwrapped(list.type);
  return {.type = type == nullptr || type->shape != api::Shape::List ? nullptr : type->element};
}

bool is_atom(const Place& place) {
  if (place.rules != nullptr && place.rules->map_atomic) return true;
  const api::TypeInfo* type = unwrapped(place.type);
  return type != nullptr && type->rules != nullptr && type->rules->map_atomic;
}

std::vector<std::string_view> list_keys(const Place& place) {
  std::vector<std::string_view> keys;
  if (place.rules == nullptr) return keys;
  for (std::string_view rest = place.rules->list_keys; !rest.empty();) {
    const auto bar = rest.find('|');
    keys.push_back(rest.substr(0, bar));
    rest.remove_prefix(bar == rest.npos ? rest.size() : bar + 1);
  }
  std::ranges::sort(keys);
  return keys;
}

bool is_set(const Place& place) { return place.rules != nullptr && place.rules->list == api::ListType::Set; }

// {"effect":"NoSchedule","key":"a"}: keys in alphabetical order, as managedFields writes them.
json::object key_of(const json::value& element, const std::vector<std::string_view>& keys) {
  json::object key;
  const json::object* members = element.if_object();
  for (const std::string_view name : keys) {
    const json::value* value = members == nullptr ? nullptr : members->if_contains(name);
    if (value != nullptr) key[name] = *value;
  }
  return key;
}

const json::value* find_element(const json::array& list, const json::object& key,
                                const std::vector<std::string_view>& keys) {
  const auto found =
      std::ranges::find_if(list, [&](const json::value& element) { return key_of(element, keys) == key; });
  return found == list.end() ? nullptr : &*found;
}

// --- claims ---

using Paths = std::vector<std::string>;

void claim(const json::value& value, const Place& place, const std::string& path, Paths& paths);

void claim_members(const json::object& object, const Place& place, const std::string& path, Paths& paths) {
  for (const auto& [name, value] : object) {
    const std::string step(name);
    claim(value, place_of_member(place, step), path.empty() ? step : path + "." + step, paths);
  }
}

void claim_elements(const json::array& list, const Place& place, const std::string& path, Paths& paths) {
  const auto keys = list_keys(place);
  for (const json::value& element : list) {
    if (keys.empty()) {
      paths.push_back(path + "[=" + json::serialize(element) + "]");
      continue;
    }
    const std::string step = path + "[" + json::serialize(key_of(element, keys)) + "]";
    paths.push_back(step);
    claim(element, place_of_element(place), step, paths);
  }
}

void claim(const json::value& value, const Place& place, const std::string& path, Paths& paths) {
  const json::object* object = value.if_object();
  if (object != nullptr && !object->empty() && !is_atom(place))
    return claim_members(*object, place, path, paths);
  const json::array* list = value.if_array();
  if (list != nullptr && (is_set(place) || !list_keys(place).empty()))
    return claim_elements(*list, place, path, paths);
  paths.push_back(path);
}

void claim_names(const json::value* map, std::vector<std::string>& names) {
  const json::object* members = map == nullptr ? nullptr : map->if_object();
  if (members == nullptr) return;
  for (const auto& member : *members) names.emplace_back(member.key());
}

// The digest leaves the rest of metadata out (api/schema/managed_fields.h).
void claim_metadata(const json::object& metadata, Claims& claims) {
  claim_names(metadata.if_contains("labels"), claims.labels);
  claim_names(metadata.if_contains("annotations"), claims.annotations);
}

void sort_unique(std::vector<std::string>& texts) {
  std::ranges::sort(texts);
  const auto rest = std::ranges::unique(texts);
  texts.erase(rest.begin(), rest.end());
}

// --- comparing ---

// A parent says nothing that its children do not say; whether it is noted depends on how well the server
// knows the type.
std::vector<std::string> leaves_of(const std::vector<std::string>& paths) {
  std::vector<std::string> leaves;
  for (const auto& path : paths) {
    const bool is_parent = std::ranges::any_of(paths, [&](const std::string& other) {
      return other.size() > path.size() && other.starts_with(path) &&
             (other[path.size()] == '.' || other[path.size()] == '[');
    });
    if (!is_parent) leaves.push_back(path);
  }
  return leaves;
}

std::vector<std::string> texts_of(const std::vector<Text>& texts) {
  std::vector<std::string> copies;
  copies.reserve(texts.size());
  for (const Text& text : texts) copies.emplace_back(text.view());
  return copies;
}

bool owns_exactly(const api::ManagedEntry& entry, const Claims& claims) {
  if (texts_of(entry.labels) != claims.labels || texts_of(entry.annotations) != claims.annotations)
    return false;
  auto owned = texts_of(entry.paths);
  if (owned == claims.paths) return true;
  std::erase(owned, "metadata");
  return leaves_of(owned) == leaves_of(claims.paths);
}

bool holds(const json::value& object, const json::value& intent, const Place& place);

bool holds_members(const json::value& object, const json::object& intent, const Place& place) {
  const json::object* members = object.if_object();
  return members != nullptr && std::ranges::all_of(intent, [&](const auto& wanted) {
           const json::value* value = members->if_contains(wanted.key());
           return value != nullptr && holds(*value, wanted.value(), place_of_member(place, wanted.key()));
         });
}

bool holds_elements(const json::value& object, const json::array& intent, const Place& place,
                    const std::vector<std::string_view>& keys) {
  const json::array* list = object.if_array();
  return list != nullptr && std::ranges::all_of(intent, [&](const json::value& wanted) {
           if (keys.empty()) return std::ranges::find(*list, wanted) != list->end();
           const json::value* element = find_element(*list, key_of(wanted, keys), keys);
           return element != nullptr && holds(*element, wanted, place_of_element(place));
         });
}

bool holds(const json::value& object, const json::value& intent, const Place& place) {
  if (intent.is_object() && !is_atom(place)) return holds_members(object, intent.get_object(), place);
  const auto keys = list_keys(place);
  if (intent.is_array() && (is_set(place) || !keys.empty()))
    return holds_elements(object, intent.get_array(), place, keys);
  return object == intent;
}

bool holds_metadata(const json::value& object, const json::value& intent) {
  static constexpr api::Rules kFinalizers{.list = api::ListType::Set};
  static constexpr api::Rules kOwners{.list_keys = "uid"};
  const json::object* wanted = intent.if_object();
  const json::object* present = object.if_object();
  if (wanted == nullptr || present == nullptr) return false;
  return std::ranges::all_of(*wanted, [&](const auto& member) {
    const json::value* value = present->if_contains(member.key());
    if (value == nullptr) return false;
    Place place;
    if (member.key() == "finalizers") place.rules = &kFinalizers;
    if (member.key() == "ownerReferences") place.rules = &kOwners;
    return holds(*value, member.value(), place);
  });
}

bool has_finalizers_of_others(const json::object& metadata) {
  const json::value* list = metadata.if_contains("finalizers");
  return list != nullptr && list->is_array() &&
         std::ranges::any_of(list->get_array(), [](const json::value& finalizer) {
           return finalizer.is_string() &&
                  std::ranges::find(kOurFinalizers, finalizer.get_string()) == kOurFinalizers.end();
         });
}

}  // namespace

json::value apply_intent(const json::value& object, std::string_view uid) {
  json::object intent(object.storage());
  const json::object& members = object.as_object();
  for (const std::string_view name : {"apiVersion", "kind"}) {
    if (const json::value* value = members.if_contains(name)) intent[name] = *value;
  }
  json::object metadata(object.storage());
  if (const json::value* present = members.if_contains("metadata");
      present != nullptr && present->is_object()) {
    for (const std::string_view name : kIntentMetadata) {
      if (const json::value* value = present->get_object().if_contains(name)) metadata[name] = *value;
    }
    // Finalizers of others have to be repeated, or those that an earlier core applied would go. With them
    // goes the version they were read in, or one that was taken off meanwhile would come back for ever.
    const json::value* version = present->get_object().if_contains("resourceVersion");
    if (!uid.empty() && version != nullptr && has_finalizers_of_others(metadata))
      metadata["resourceVersion"] = *version;
  }
  if (!uid.empty()) metadata["uid"] = uid;
  intent["metadata"] = std::move(metadata);
  if (const json::value* spec = members.if_contains("spec")) intent["spec"] = *spec;
  return intent;
}

json::value creation_intent(const json::value& object) {
  json::value intent = apply_intent(object);
  intent.at("metadata").as_object()["resourceVersion"] = "1";  // etcd's own, before the first write
  return intent;
}

Claims claims_of(const json::value& intent, const api::TypeInfo* type) {
  Claims claims;
  const Place root{.type = type};
  for (const auto& [name, value] : intent.as_object()) {
    if (name == "apiVersion" || name == "kind") continue;
    if (name == "metadata") {
      if (value.is_object()) claim_metadata(value.get_object(), claims);
    } else {
      claim(value, place_of_member(root, name), std::string(name), claims.paths);
    }
  }
  sort_unique(claims.labels);
  sort_unique(claims.annotations);
  sort_unique(claims.paths);
  return claims;
}

bool needs_apply(const json::value& intent, const json::value& object, const api::ManagedFields& managed,
                 std::string_view manager, const api::TypeInfo* type) {
  const api::ManagedEntry* entry = managed.applied_by(manager);
  if (entry == nullptr || !object.is_object() || !intent.is_object()) return true;
  if (!owns_exactly(*entry, claims_of(intent, type))) return true;
  return !std::ranges::all_of(intent.get_object(), [&](const auto& wanted) {
    const json::value* value = object.get_object().if_contains(wanted.key());
    if (value == nullptr) return false;
    if (wanted.key() == "metadata") return holds_metadata(*value, wanted.value());
    return holds(*value, wanted.value(), place_of_member({.type = type}, wanted.key()));
  });
}

std::optional<json::value> needed_intent(const api::TypeInfo& type, const void* wanted,
                                         const Present& present, std::string_view manager) {
  json::monotonic_resource scratch(kIntentScratch);
  const auto without_status = [&](const void* object) {
    return api::detail::to_json_without("status", type, object, &scratch);
  };
  const json::value intent = apply_intent(without_status(wanted), present.uid);
  if (present.object != nullptr &&
      !needs_apply(intent, without_status(present.object), present.managed, manager, &type))
    return {};
  json::value lasting(intent, json::storage_ptr());  // a document that outlives the scratch
  if (!present.version.empty()) lasting.at("metadata").as_object()["resourceVersion"] = present.version;
  return lasting;
}

}  // namespace capstan::kube
