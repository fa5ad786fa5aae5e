#include "kube/client.h"

#include <boost/json.hpp>

#include "api/schema/decode.h"
#include "base/try.h"

namespace capstan::kube {

Result<void> Client::create_into(const Into& into, const Resource& resource, const ObjectKey& key,
                                 const json::value& object, const WriteOptions& options,
                                 const Deadline& deadline) {
  return api::detail::from_json(*into.type, into.object,
                                TRY(create(resource, key, object, options, deadline)));
}

Result<void> Client::patch_into(const Into& into, const Resource& resource, const ObjectKey& key,
                                const json::value& body, const PatchOptions& options,
                                const Deadline& deadline) {
  return api::detail::from_json(*into.type, into.object, TRY(patch(resource, key, body, options, deadline)));
}

}  // namespace capstan::kube
