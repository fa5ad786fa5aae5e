#include "controllers/safety/fleet_annotations.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/policy/names.h"
#include "kube/typed.h"

namespace capstan::controllers::safety {
namespace {

boost::json::value null_if_empty(const std::string& value) {
  return value.empty() ? boost::json::value(nullptr) : boost::json::value(value);
}

}  // namespace

template <typename T>
Result<std::optional<api::ResourceVersion>> write_fleet_annotations(kube::Client& client, const T& object,
                                                                    const FleetAnnotations& to,
                                                                    const Deadline& deadline) {
  const boost::json::value body = {{"metadata",
                                    {{"resourceVersion", object.metadata.resource_version.str()},
                                     {"annotations",
                                      {{api::policy::annotation::kFleetRequest, null_if_empty(to.request)},
                                       {api::policy::annotation::kFleetGrant, null_if_empty(to.grant)}}}}}};
  const auto written =
      kube::patch_briefly(client, kube::resource_of<T>(), kube::key_of(object), body, {}, deadline);
  if (written) return std::optional(written->metadata.resource_version);
  if (written.error().code == Code::NotFound) return std::optional<api::ResourceVersion>();
  return fail(written.error().context(
      fmt::format("annotate {} {}", api::resource<T>.kind, object.metadata.name.view())));
}

template Result<std::optional<api::ResourceVersion>> write_fleet_annotations(kube::Client&,
                                                                             const api::Machine&,
                                                                             const FleetAnnotations&,
                                                                             const Deadline&);
template Result<std::optional<api::ResourceVersion>> write_fleet_annotations(kube::Client&,
                                                                             const api::Cluster&,
                                                                             const FleetAnnotations&,
                                                                             const Deadline&);

Result<std::optional<api::ResourceVersion>> write_fleet_request(kube::Client& client, const AskFleet& action,
                                                                const Deadline& deadline) {
  const auto& annotations = action.machine->metadata.annotations;
  const auto grant = annotations.value_or_empty(api::policy::annotation::kFleetGrant);
  return write_fleet_annotations(
      client, *action.machine,
      {.request = action.request, .grant = std::string(action.request.empty() ? "" : grant)}, deadline);
}

}  // namespace capstan::controllers::safety
