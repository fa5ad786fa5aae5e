#include "apiserver/admission/metadata_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apiserver/document/document.h"
#include "apiserver/document/name_rules.h"

namespace capstan::apiserver {
namespace {

constexpr std::size_t kAnnotationsLimit = 256U << 10;
constexpr std::string_view kImmutable = "field is immutable";

Complaints name_complaints(NameRule rule, std::string_view name) {
  switch (rule) {
    case NameRule::Subdomain: return dns_subdomain_complaints(name);
    case NameRule::Label: return dns_label_complaints(name);
    case NameRule::PathSegment: return path_segment_complaints(name);
  }
  return {};
}

void add_all(FieldErrors& errors, const std::string& field, std::string_view value,
             const Complaints& complaints) {
  for (const auto& complaint : complaints)
    errors.push_back(invalid_value(field, json::value(value), complaint));
}

void check_labels(const json::object& metadata, FieldErrors& errors) {
  const auto* labels = object_at(metadata, {"labels"});
  if (labels == nullptr) return;
  for (const auto& label : *labels) {
    add_all(errors, "metadata.labels", label.key(), qualified_name_complaints(label.key()));
    add_all(errors, "metadata.labels", text_of(label.value()),
            label_value_complaints(text_of(label.value())));
  }
}

void check_annotations(const json::object& metadata, FieldErrors& errors) {
  const auto* annotations = object_at(metadata, {"annotations"});
  if (annotations == nullptr) return;
  std::size_t size = 0;
  for (const auto& one : *annotations) {
    std::string key(one.key());
    std::ranges::transform(key, key.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    add_all(errors, "metadata.annotations", one.key(), qualified_name_complaints(key));
    size += one.key().size() + text_of(one.value()).size();
  }
  if (size > kAnnotationsLimit) errors.push_back(too_long("metadata.annotations", kAnnotationsLimit));
}

void check_owners(const json::object& metadata, FieldErrors& errors) {
  const auto* owners = array_at(metadata, {"ownerReferences"});
  if (owners == nullptr) return;
  std::string controller;
  for (const auto& value : *owners) {
    const auto* owner = value.if_object();
    if (owner == nullptr) continue;
    const auto need = [&](std::string_view field, std::string_view why) {
      const auto text = text_at(*owner, {field});
      if (text.empty())
        errors.push_back(invalid_value(child("metadata.ownerReferences", field), json::value(text), why));
    };
    need("apiVersion", "version must not be empty");
    need("kind", "must not be empty");
    need("name", "must not be empty");
    need("uid", "must not be empty");
    if (text_at(*owner, {"apiVersion"}) == "v1" && text_at(*owner, {"kind"}) == "Event") {
      errors.push_back(invalid_value("metadata.ownerReferences", value,
                                     "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (!flag_at(*owner, {"controller"})) continue;
    const auto here = fmt::format("{}/{}", text_at(*owner, {"kind"}), text_at(*owner, {"name"}));
    if (!controller.empty()) {
      errors.push_back(invalid_value("metadata.ownerReferences", *owners,
                                     fmt::format("Only one reference can have Controller set to true. Found "
                                                 "\"true\" in references for {} and {}",
                                                 controller, here)));
    }
    controller = here;
  }
}

void check_finalizers(const json::object& metadata, FieldErrors& errors) {
  const auto* finalizers = array_at(metadata, {"finalizers"});
  if (finalizers == nullptr) return;
  bool orphan = false;
  bool foreground = false;
  for (const auto& finalizer : *finalizers) {
    const auto text = text_of(finalizer);
    add_all(errors, "metadata.finalizers", text, qualified_name_complaints(text));
    orphan = orphan || text == "orphan";
    foreground = foreground || text == "foregroundDeletion";
  }
  if (orphan && foreground) {
    errors.push_back(invalid_value("metadata.finalizers", *finalizers,
                                   "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

std::set<std::string_view> finalizers_of(const json::object& object) {
  std::set<std::string_view> names;
  if (const auto* finalizers = array_at(object, {"metadata", "finalizers"})) {
    for (const auto& one : *finalizers) names.insert(text_of(one));
  }
  return names;
}

// As Go prints a []string with %#v.
std::string go_list(const std::vector<std::string_view>& names) {
  std::vector<std::string> shown_names;
  for (const auto name : names) shown_names.push_back(quoted(name));
  return fmt::format("[]string{{{}}}", fmt::join(shown_names, ", "));
}

}  // namespace

std::optional<Response> match_path(const Target& target, json::object& object, bool name_too) {
  auto& metadata = metadata_of(object);
  const std::string ns(text_at(metadata, {"namespace"}));
  if (target.type->namespaced) {
    if (ns.empty()) {
      metadata["namespace"] = target.key.namespace_;
    } else if (ns != target.key.namespace_) {
      return bad_request(fmt::format(
          "the namespace of the provided object does not match the namespace sent on the request"));
    }
  } else if (!ns.empty()) {
    return bad_request("namespace is not allowed on this type");
  }
  const auto name = text_at(metadata, {"name"});
  if (!name_too || name == target.key.name) return {};
  if (name.empty()) return bad_request("name must be provided");
  return bad_request(fmt::format("the name of the object ({}) does not match the name on the URL ({})", name,
                                 target.key.name));
}

void stamp_new(const Birth& birth, const Target& target, json::object& object) {
  auto& metadata = metadata_of(object);
  metadata["uid"] = birth.uid;
  metadata["creationTimestamp"] = timestamp(birth.at);
  metadata.erase("deletionTimestamp");
  metadata.erase("deletionGracePeriodSeconds");
  metadata.erase("selfLink");
  metadata.erase("resourceVersion");
  if (target.strategy->has_generation) metadata["generation"] = 1;
}

void keep_system_fields(json::object& object, const json::object& before) {
  auto& metadata = metadata_of(object);
  const auto& old = before.at("metadata").get_object();
  const auto keep = [&](std::string_view field) {
    if (const auto* value = old.if_contains(field)) metadata[field] = *value;
  };
  metadata.erase("selfLink");
  metadata.erase("generation");
  keep("generation");
  if (text_at(metadata, {"uid"}).empty()) keep("uid");
  keep("creationTimestamp");
  keep("deletionTimestamp");
  if (!metadata.contains("deletionGracePeriodSeconds")) keep("deletionGracePeriodSeconds");
}

bool changes_spec(const Target& target, const json::object& object, const json::object& before) {
  const auto relevant = [&](const json::object& one) {
    json::object rest;
    for (const auto& field : one) {
      if (field.key() == "metadata" || field.key() == "apiVersion") continue;
      if (field.key() == "status" && (target.version->has_status || !target.type->custom)) continue;
      rest.emplace(field.key(), field.value());
    }
    return rest;
  };
  return relevant(object) != relevant(before);
}

FieldErrors metadata_errors(const Target& target, const json::object& object) {
  FieldErrors errors;
  const auto& metadata = object.at("metadata").get_object();
  const auto prefix = text_at(metadata, {"generateName"});
  if (!prefix.empty()) {
    // A prefix may end in what a name may not end in: it is judged with a suffix on.
    auto trimmed = std::string(prefix);
    if (trimmed.ends_with('-') || trimmed.ends_with('.')) trimmed.back() = 'a';
    add_all(errors, "metadata.generateName", prefix, name_complaints(target.strategy->names, trimmed));
  }
  const auto name = text_at(metadata, {"name"});
  if (name.empty()) {
    errors.push_back(required("metadata.name", "name or generateName is required"));
  } else {
    add_all(errors, "metadata.name", name, name_complaints(target.strategy->names, name));
  }
  if (target.type->namespaced) {
    const auto ns = text_at(metadata, {"namespace"});
    add_all(errors, "metadata.namespace", ns, dns_label_complaints(ns));
  }
  check_labels(metadata, errors);
  check_annotations(metadata, errors);
  check_owners(metadata, errors);
  check_finalizers(metadata, errors);
  return errors;
}

FieldErrors metadata_update_errors(const json::object& object, const json::object& before) {
  FieldErrors errors;
  const auto& metadata = object.at("metadata").get_object();
  const auto& old = before.at("metadata").get_object();
  if (is_deleting(before)) {
    const auto now = finalizers_of(object);
    const auto then = finalizers_of(before);
    std::vector<std::string_view> added;
    std::ranges::set_difference(now, then, std::back_inserter(added));
    if (!added.empty()) {
      errors.push_back(forbidden_field(
          "metadata.finalizers",
          "no new finalizers can be added if the object is being deleted, found new finalizers " +
              go_list(added)));
    }
  }
  for (const std::string_view field :
       {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const auto* now = metadata.if_contains(field);
    const auto* then = old.if_contains(field);
    const bool same = now != nullptr && then != nullptr ? *now == *then : now == then;
    if (!same) {
      errors.push_back(
          invalid_value(child("metadata", field), now == nullptr ? json::value(nullptr) : *now, kImmutable));
    }
  }
  check_labels(metadata, errors);
  check_annotations(metadata, errors);
  check_owners(metadata, errors);
  check_finalizers(metadata, errors);
  return errors;
}

}  // namespace capstan::apiserver
