// Repairs an object that lost its field managers, as lost_managers.h says. Used wherever a controller
// applies; costs nothing where nothing was lost. Blocks as the client does.
#pragma once

#include <string_view>

#include "api/meta/object_meta.h"
#include "kube/client.h"

namespace capstan::controllers {

// The version of the repaired object. Conflict when another write came at the same moment.
Result<api::ResourceVersion> repair_managers(kube::Client& client, const kube::Resource& resource,
                                             const kube::ObjectKey& key, std::string_view manager,
                                             const Deadline& deadline);

}  // namespace capstan::controllers
