#include "apiserver/builtin/strategies.h"
#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

void check_taints(const json::object& object, FieldErrors& errors) {
  const auto* taints = array_at(object, {"spec", "taints"});
  if (taints == nullptr) return;
  for (std::size_t i = 0; i < taints->size(); ++i) {
    const auto* taint = (*taints)[i].if_object();
    if (taint == nullptr) continue;
    const auto path = item("metadata.taints", i);
    const auto effect = text_at(*taint, {"effect"});
    if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
      errors.push_back(effect.empty() ? required(path + ".effect")
                                      : unsupported_value(path + ".effect", json::value(effect),
                                                          {"NoExecute", "NoSchedule", "PreferNoSchedule"}));
    }
    for (std::size_t other = 0; other < i; ++other) {
      const auto* earlier = (*taints)[other].if_object();
      if (earlier == nullptr || text_at(*earlier, {"key"}) != text_at(*taint, {"key"}) ||
          text_at(*earlier, {"effect"}) != effect) {
        continue;
      }
      auto duplicate = duplicate_value(path, (*taints)[i]);
      duplicate.message += ": taints must be unique by key and effect pair";
      errors.push_back(std::move(duplicate));
    }
  }
}

void check_node(const json::object& object, const json::object* before, FieldErrors& errors) {
  check_taints(object, errors);
  if (before == nullptr) return;
  const auto then = text_at(*before, {"spec", "providerID"});
  if (!then.empty() && text_at(object, {"spec", "providerID"}) != then) {
    errors.push_back(forbidden_field("spec.providerID",
                                     "node updates may not change providerID except from \"\" to valid"));
  }
}

void check_attachment(const json::object& object, const json::object* before, FieldErrors& errors) {
  if (text_at(object, {"kind"}) != "VolumeAttachment") return;
  for (const std::string_view field : {"attacher", "nodeName"}) {
    if (text_at(object, {"spec", field}).empty()) errors.push_back(required(child("spec", field)));
  }
  const auto* source = object_at(object, {"spec", "source"});
  if (source == nullptr || source->empty()) {
    errors.push_back(
        required("spec.source", "must specify exactly one of inlineVolumeSpec and persistentVolumeName"));
  }
  if (before != nullptr && object.at("spec") != before->at("spec")) {
    errors.push_back(invalid_value("spec", object.at("spec"), "field is immutable"));
  }
}

}  // namespace

const Strategy kNode{.keeps_status_on_create = true, .validate = check_node};
const Strategy kAttachment{
    .unconditional_update = false, .returns_deleted = true, .validate = check_attachment};
const Strategy kDriver{.unconditional_update = false, .has_generation = true, .returns_deleted = true};

}  // namespace capstan::apiserver
