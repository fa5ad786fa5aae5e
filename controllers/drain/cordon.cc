#include "controllers/drain/cordon.h"

#include <boost/json.hpp>

#include "api/names.h"

namespace capstan::controllers::drain {

std::optional<boost::json::value> cordon_patch(const api::Node& node, const api::ObjectKey& machine) {
  if (node.spec.unschedulable) return {};
  return boost::json::value{{"metadata",
                             {{"resourceVersion", node.metadata.resource_version.str()},
                              {"annotations", {{kCordonedBy, machine.describe()}}}}},
                            {"spec", {{"unschedulable", true}}}};
}

bool is_unreachable(const api::Node& node) {
  const auto* ready = node.condition(api::condition::kReady);
  return ready != nullptr && ready->status == api::status::kUnknown;
}

}  // namespace capstan::controllers::drain
