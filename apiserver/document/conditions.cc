#include "apiserver/document/conditions.h"

#include <algorithm>

#include "apiserver/document/document.h"

namespace capstan::apiserver {

void set_condition(json::object& status, std::string_view type, bool holds, std::string_view reason,
                   std::string_view message, WallTime now) {
  const std::string_view value = holds ? "True" : "False";
  auto& conditions = array_in(status, "conditions");
  const auto found = std::ranges::find_if(conditions, [&](const json::value& one) {
    return one.is_object() && text_at(one.get_object(), {"type"}) == type;
  });
  json::object made{{"type", type},
                    {"status", value},
                    {"lastTransitionTime", timestamp(now)},
                    {"reason", reason},
                    {"message", message}};
  if (found == conditions.end()) {
    conditions.emplace_back(std::move(made));
    return;
  }
  auto& condition = found->get_object();
  if (text_at(condition, {"status"}) == value) made["lastTransitionTime"] = condition["lastTransitionTime"];
  condition = std::move(made);
}

std::string_view condition_status(const json::object& document, std::string_view type) {
  const auto* conditions = array_at(document, {"status", "conditions"});
  if (conditions == nullptr) return {};
  for (const auto& one : *conditions) {
    if (one.is_object() && text_at(one.get_object(), {"type"}) == type)
      return text_at(one.get_object(), {"status"});
  }
  return {};
}

}  // namespace capstan::apiserver
