#include "controllers/machineset/clone_metadata.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/names.h"
#include "base/try.h"
#include "controllers/machineset/wanted.h"
#include "controllers/safety/template_annotations.h"
#include "controllers/shared/lost_managers.h"

namespace capstan::controllers::machineset {
namespace {

namespace json = boost::json;
using api::Labels;
using api::ManagedEntry;

constexpr std::string_view kMaker = api::field_manager::kMachineSet;
constexpr std::string_view kKeeper = api::field_manager::kMachineSetMetadata;

bool carries(const Labels& present, const Labels& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& entry) {
    if (entry.first == api::annotation::kLastAppliedConfiguration) return true;  // the cache never has it
    const Text* value = present.find(entry.first.view());
    return value != nullptr && *value == entry.second;
  });
}

// Something owned that is not wanted any more. `ours` (null: everything) tells which of it is our business.
bool has_leftover(const std::vector<Text>& owned, const std::vector<Text>* ours, const Labels& wanted) {
  return std::ranges::any_of(owned, [&](const Text& key) {
    const bool mine = ours == nullptr || std::ranges::find(*ours, key) != ours->end();
    return mine && !wanted.contains(key.view());
  });
}

// Something that the Machine has of us, and its object has too, and that is not wanted any more.
bool has_heirloom(const Labels& present, const std::vector<Text>& ours, const Labels& wanted) {
  return std::ranges::any_of(
      ours, [&](const Text& key) { return present.contains(key.view()) && !wanted.contains(key.view()); });
}

bool is_made_from_template(const api::contract::ContractObject& clone) {
  return clone.metadata.annotations.contains(api::annotation::kClonedFromName);
}

bool owns_metadata(const ManagedEntry* entry) {
  return entry != nullptr && (!entry->labels.empty() || !entry->annotations.empty());
}

// --- the raw form of managedFields ---

bool is_applied_by(const json::value& entry, std::string_view manager) {
  const json::object* object = entry.if_object();
  if (object == nullptr) return false;
  const auto text = [&](std::string_view name) {
    const auto* value = object->if_contains(name);
    return value != nullptr && value->is_string() ? std::string_view(value->as_string()) : std::string_view();
  };
  return text("manager") == manager && text("operation") == "Apply" && text("subresource").empty();
}

// Takes "f:labels" or "f:annotations" out of an entry's fields and gives those of it that are ours.
json::object take_out(json::object& metadata, std::string_view part, const Labels& wanted,
                      const std::vector<Text>* ours) {
  const auto* found = metadata.if_contains(part);
  json::object mine;
  if (found != nullptr && found->is_object()) {
    for (const auto& [field, value] : found->as_object()) {
      const std::string_view name = std::string_view(field).substr(2);  // "f:"
      const bool known = ours != nullptr && std::ranges::find(*ours, name, &Text::view) != ours->end();
      if (known || wanted.contains(name)) mine[field] = value;
    }
  }
  metadata.erase(part);
  return mine;
}

}  // namespace

CloneMetadata wanted_metadata(const api::MachineSet& set) {
  return {.labels = machine_labels(set),
          .annotations = safety::annotations_from(set.spec.machine_template.metadata.annotations)};
}

CloneStep clone_step(const api::MachineSet& set, const api::Machine& machine,
                     const api::contract::ContractObject& clone) {
  const CloneMetadata wanted = wanted_metadata(set);
  const auto& present = clone.metadata;
  const bool differs =
      !carries(present.labels, wanted.labels) || !carries(present.annotations, wanted.annotations);
  if (const ManagedEntry* maker = present.managed_fields.applied_by(kMaker); owns_metadata(maker)) {
    const ManagedEntry* ours = machine.metadata.managed_fields.applied_by(kMaker);
    const bool leftover =
        ours != nullptr && (has_leftover(maker->labels, &ours->labels, wanted.labels) ||
                            has_leftover(maker->annotations, &ours->annotations, wanted.annotations));
    return differs || leftover ? CloneStep::HandOverAndApply : CloneStep::Nothing;
  }
  const ManagedEntry* keeper = present.managed_fields.applied_by(kKeeper);
  if (const ManagedEntry* ours = machine.metadata.managed_fields.applied_by(kMaker);
      keeper == nullptr && ours != nullptr && is_made_from_template(clone)) {
    const bool leftover = has_heirloom(present.labels, ours->labels, wanted.labels) ||
                          has_heirloom(present.annotations, ours->annotations, wanted.annotations);
    return differs || leftover ? CloneStep::Apply : CloneStep::Nothing;
  }
  const bool leftover = keeper != nullptr && (has_leftover(keeper->labels, nullptr, wanted.labels) ||
                                              has_leftover(keeper->annotations, nullptr, wanted.annotations));
  return differs || leftover ? CloneStep::Apply : CloneStep::Nothing;
}

Result<json::value> hand_over_patch(const api::MachineSet& set, const api::Machine& machine,
                                    const json::value& live) {
  const auto* managed = live.is_object() ? live.as_object().if_contains("metadata") : nullptr;
  const auto* version = managed == nullptr ? nullptr : managed->as_object().if_contains("resourceVersion");
  managed = managed == nullptr ? nullptr : managed->as_object().if_contains("managedFields");
  if (managed == nullptr || version == nullptr || !managed->is_array()) {
    return fail(Code::Invalid, "the object has no managedFields");
  }
  const CloneMetadata wanted = wanted_metadata(set);
  const ManagedEntry* ours = machine.metadata.managed_fields.applied_by(kMaker);
  json::array entries = managed->as_array();
  const auto maker =
      std::ranges::find_if(entries, [](const auto& each) { return is_applied_by(each, kMaker); });
  if (maker == entries.end()) return fail(Code::Invalid, "nothing to hand over");

  json::object& fields = maker->as_object()["fieldsV1"].is_object()
                             ? maker->as_object()["fieldsV1"].as_object()
                             : maker->as_object()["fieldsV1"].emplace_object();
  auto* metadata = fields.if_contains("f:metadata");
  if (metadata == nullptr || !metadata->is_object()) return fail(Code::Invalid, "nothing to hand over");
  json::object kept;
  for (const auto& [part, labels, known] :
       {std::tuple{"f:labels", wanted.labels, ours == nullptr ? nullptr : &ours->labels},
        std::tuple{"f:annotations", wanted.annotations, ours == nullptr ? nullptr : &ours->annotations}}) {
    json::object mine = take_out(metadata->as_object(), part, labels, known);
    if (!mine.empty()) kept[part] = std::move(mine);
  }
  if (metadata->as_object().empty()) fields.erase("f:metadata");

  json::object keeper = maker->as_object();
  keeper["manager"] = kKeeper;
  keeper["fieldsV1"] = {{"f:metadata", std::move(kept)}};
  entries.push_back(std::move(keeper));
  return json::value{{"metadata", {{"resourceVersion", *version}, {"managedFields", std::move(entries)}}}};
}

bool has_lost_keeper(const api::contract::ContractObject& clone) {
  const api::ManagedFields& managed = clone.metadata.managed_fields;
  if (managed.mentions(api::field_manager::kBeforeFirstApply)) return true;
  return is_made_from_template(clone) && managed.applied_by(kMaker) == nullptr &&
         managed.applied_by(kKeeper) == nullptr;
}

Result<json::value> keeper_patch(const api::MachineSet& set, const api::Machine& machine,
                                 const json::value& live) {
  const ManagedEntry* ours = machine.metadata.managed_fields.applied_by(kMaker);
  const CloneMetadata wanted = wanted_metadata(set);
  json::object kept;
  for (const auto& [part, field, labels, known] :
       {std::tuple{"labels", "f:labels", &wanted.labels, ours == nullptr ? nullptr : &ours->labels},
        std::tuple{"annotations", "f:annotations", &wanted.annotations,
                   ours == nullptr ? nullptr : &ours->annotations}}) {
    json::error_code missing;
    const auto* present = live.find_pointer(std::string("/metadata/") + part, missing);
    if (present == nullptr || !present->is_object()) continue;
    json::object mine;
    for (const auto& entry : present->as_object()) {
      const std::string_view key = entry.key();
      const bool inherited = known != nullptr && std::ranges::find(*known, key, &Text::view) != known->end();
      if (inherited || labels->contains(key)) mine["f:" + std::string(key)] = json::object();
    }
    if (!mine.empty()) kept[field] = std::move(mine);
  }
  const bool has_maker = [&] {
    json::error_code missing;
    const auto* entries = live.find_pointer("/metadata/managedFields", missing);
    return entries != nullptr && entries->is_array() &&
           std::ranges::any_of(entries->as_array(),
                               [](const auto& each) { return is_applied_by(each, kMaker); });
  }();
  return managers_patch(live, {.manager = has_maker ? kMaker : kKeeper,
                               .fields = json::value{{"f:metadata", std::move(kept)}}});
}

json::value metadata_intent(const api::contract::ContractObject& clone, const CloneMetadata& wanted) {
  const auto map = [](const Labels& entries) {
    json::object object;
    for (const auto& [key, value] : entries) object[key.view()] = value.view();
    return object;
  };
  json::object metadata = {{"name", clone.metadata.name.view()},
                           {"namespace", clone.metadata.namespace_.view()},
                           {"uid", clone.metadata.uid.str()},
                           {"labels", map(wanted.labels)}};
  if (!wanted.annotations.empty()) metadata["annotations"] = map(wanted.annotations);
  return {{"apiVersion", clone.api_version.view()},
          {"kind", clone.kind.view()},
          {"metadata", std::move(metadata)}};
}

}  // namespace capstan::controllers::machineset
