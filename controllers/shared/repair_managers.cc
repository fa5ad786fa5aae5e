#include "controllers/shared/repair_managers.h"

#include "base/try.h"
#include "controllers/shared/lost_managers.h"
#include "kube/typed.h"

namespace capstan::controllers {

Result<api::ResourceVersion> repair_managers(kube::Client& client, const kube::Resource& resource,
                                             const kube::ObjectKey& key, std::string_view manager,
                                             const Deadline& deadline) {
  const boost::json::value live = TRY(client.get(resource, key, deadline));
  const auto patch = managers_patch(live, {.manager = manager});
  if (!patch) {  // it was repaired meanwhile
    return fail(Code::Conflict, "the field managers of " + key.describe() + " have changed");
  }
  const auto written = TRY(kube::patch_briefly(client, resource, key, *patch, {}, deadline));
  return written.metadata.resource_version;
}

}  // namespace capstan::controllers
