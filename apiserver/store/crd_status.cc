#include "apiserver/store/crd_status.h"

#include <fmt/format.h>

#include <algorithm>

#include "apiserver/document/conditions.h"
#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"

namespace capstan::apiserver {
namespace {

// A name of this CRD that another CRD of the group has already: the sentence that says so, or nothing.
std::string name_conflict(const Core& core, const json::object& crd) {
  const auto group = text_at(crd, {"spec", "group"});
  const auto plural = text_at(crd, {"spec", "names", "plural"});
  const auto kind = text_at(crd, {"spec", "names", "kind"});
  for (const auto& type : core.registry.types()) {
    if (type->group != group || type->plural == plural) continue;
    if (type->kind == kind) return fmt::format("{} is already in use", quoted(kind));
    if (type->singular == text_at(crd, {"spec", "names", "singular"})) {
      return fmt::format("{} is already in use", quoted(type->singular));
    }
  }
  return {};
}

void remember_storage_version(const json::object& crd, json::object& status) {
  auto& stored = array_in(status, "storedVersions");
  const auto* versions = array_at(crd, {"spec", "versions"});
  if (versions == nullptr) return;
  for (const auto& version : *versions) {
    if (!version.is_object() || !flag_at(version.get_object(), {"storage"})) continue;
    const auto& name = version.get_object().at("name");
    if (std::ranges::find(stored, name) == stored.end()) stored.push_back(name);
  }
}

}  // namespace

json::object with_crd_status(const Core& core, const json::object& crd) {
  auto result = crd;
  auto& status = object_in(result, "status");
  const auto now = core.options.clock.now();
  remember_storage_version(crd, status);
  const auto clash = name_conflict(core, crd);
  if (clash.empty()) {
    status["acceptedNames"] = crd.at("spec").at("names");
    set_condition(status, "NamesAccepted", true, "NoConflicts", "no conflicts found", now);
    set_condition(status, "Established", true, "InitialNamesAccepted", "the initial names have been accepted",
                  now);
  } else {
    set_condition(status, "NamesAccepted", false, "KindConflict", clash, now);
    if (condition_status(result, "Established").empty()) {
      set_condition(status, "Established", false, "NotAccepted", "not all names are accepted", now);
    }
  }
  return result;
}

bool crd_established(const json::object& crd) { return condition_status(crd, "Established") == "True"; }

std::int64_t crd_generation(const json::object& crd) {
  return integer_at(crd, {"metadata", "generation"}).value_or(0);
}

}  // namespace capstan::apiserver
