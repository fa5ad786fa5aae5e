#include "controllers/shared/lost_managers.h"

#include <algorithm>
#include <iterator>

#include "api/names.h"

namespace capstan::controllers {

namespace json = boost::json;

namespace {

bool has_text(const json::value& entry, std::string_view member, std::string_view value) {
  const auto* text = entry.is_object() ? entry.get_object().if_contains(member) : nullptr;
  return text != nullptr && text->is_string() && text->get_string() == value;
}

bool is_entry_of(const json::value& entry, std::string_view manager) {
  const auto* subresource = entry.is_object() ? entry.get_object().if_contains("subresource") : nullptr;
  return has_text(entry, "manager", manager) && has_text(entry, "operation", "Apply") &&
         (subresource == nullptr || has_text(entry, "subresource", ""));
}

}  // namespace

bool has_lost_managers(const api::ManagedFields& managed) {
  return managed.empty() || managed.mentions(api::field_manager::kBeforeFirstApply);
}

Result<json::value> managers_patch(const json::value& live, const OwnEntry& own) {
  json::error_code missing;
  const auto* version = live.find_pointer("/metadata/resourceVersion", missing);
  const auto* api_version = live.find_pointer("/apiVersion", missing);
  if (version == nullptr || api_version == nullptr) return fail(Code::Invalid, "the object has no version");
  const auto* present = live.find_pointer("/metadata/managedFields", missing);
  static const json::array kNone;
  const json::array& all = present != nullptr && present->is_array() ? present->get_array() : kNone;
  json::array entries;
  std::ranges::copy_if(all, std::back_inserter(entries), [](const json::value& entry) {
    return !has_text(entry, "manager", api::field_manager::kBeforeFirstApply);
  });
  const bool invented = entries.size() < all.size();
  const bool known =
      std::ranges::any_of(entries, [&](const json::value& entry) { return is_entry_of(entry, own.manager); });
  if (known && !invented) return fail(Code::Invalid, "nothing was lost");
  if (!known) {
    entries.push_back({{"manager", own.manager},
                       {"operation", "Apply"},
                       {"apiVersion", *api_version},
                       {"fieldsType", "FieldsV1"},
                       {"fieldsV1", own.fields}});
  }
  return json::value{{"metadata", {{"resourceVersion", *version}, {"managedFields", std::move(entries)}}}};
}

}  // namespace capstan::controllers
