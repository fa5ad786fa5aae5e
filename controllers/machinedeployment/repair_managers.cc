#include "controllers/machinedeployment/repair_managers.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/names.h"
#include "base/try.h"
#include "kube/typed.h"

namespace capstan::controllers::machinedeployment {

namespace json = boost::json;

namespace {

bool is(const json::value& entry, std::string_view member, std::string_view value) {
  const auto* text = entry.is_object() ? entry.get_object().if_contains(member) : nullptr;
  return text != nullptr && text->is_string() && text->get_string() == value;
}

}  // namespace

json::array repaired_managers(const json::value* present, std::string_view manager,
                              std::string_view api_version) {
  json::array entries;
  if (present != nullptr && present->is_array()) {
    std::ranges::copy_if(present->get_array(), std::back_inserter(entries), [](const json::value& entry) {
      return !is(entry, "manager", api::field_manager::kBeforeFirstApply);
    });
  }
  const bool known = std::ranges::any_of(entries, [&](const json::value& entry) {
    return is(entry, "manager", manager) && is(entry, "operation", "Apply");
  });
  if (!known) {
    entries.push_back({{"manager", manager},
                       {"operation", "Apply"},
                       {"apiVersion", api_version},
                       {"fieldsType", "FieldsV1"},
                       {"fieldsV1", {{"f:metadata", {{"f:name", json::object()}}}}}});
  }
  return entries;
}

Result<api::ResourceVersion> repair_managers(kube::Client& client, const api::MachineSet& set,
                                             const Deadline& deadline) {
  const kube::Resource resource = kube::resource_of<api::MachineSet>();
  const kube::ObjectKey key = kube::key_of(set);
  const json::value live = TRY(client.get(resource, key, deadline));
  const json::object& metadata = live.at("metadata").as_object();
  const json::array entries = repaired_managers(metadata.if_contains("managedFields"),
                                                api::field_manager::kMachineDeployment, api::kApiVersion);
  const json::array patch = {
      {{"op", "replace"}, {"path", "/metadata/managedFields"}, {"value", entries}},
      {{"op", "replace"}, {"path", "/metadata/resourceVersion"}, {"value", metadata.at("resourceVersion")}}};
  const auto written =
      TRY(kube::patch_briefly(client, resource, key, patch, {.type = kube::PatchType::Json}, deadline));
  return written.metadata.resource_version;
}

}  // namespace capstan::controllers::machinedeployment
