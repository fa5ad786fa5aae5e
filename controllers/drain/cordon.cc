#include "controllers/drain/cordon.h"

#include <boost/json.hpp>

#include "api/names.h"

namespace capstan::controllers::drain {
namespace {

namespace json = boost::json;

json::value bound_patch(const api::Node& node, json::value mark, json::value unschedulable) {
  return {{"metadata",
           {{"resourceVersion", node.metadata.resource_version.str()},
            {"annotations", {{kCordonedBy, std::move(mark)}}}}},
          {"spec", {{"unschedulable", std::move(unschedulable)}}}};
}

}  // namespace

std::optional<json::value> cordon_patch(const api::Node& node, const api::ObjectKey& machine) {
  if (node.spec.unschedulable) return {};
  return bound_patch(node, json::value(machine.describe()), true);
}

std::optional<json::value> uncordon_patch(const api::Node& node, const api::ObjectKey& machine) {
  const auto* mark = node.metadata.annotations.find(kCordonedBy);
  if (mark == nullptr || *mark != std::string_view(machine.describe())) return {};
  return bound_patch(node, nullptr, nullptr);
}

bool is_unreachable(const api::Node& node) {
  const auto* ready = node.condition(api::condition::kReady);
  return ready != nullptr && ready->status == api::status::kUnknown;
}

}  // namespace capstan::controllers::drain
