#include "kube/client.h"

#include <boost/json.hpp>

#include "api/schema/decode.h"
#include "base/try.h"

namespace capstan::kube {

Result<void> Client::create_into(const Into& into, const Resource& resource, const ObjectKey& key,
                                 const json::value& object, const WriteOptions& options,
                                 const Deadline& deadline) {
  const json::value made = TRY(create(resource, key, object, options, deadline));
  auto decoded = api::detail::from_json(*into.type, into.object, made);
  if (!decoded) return fail(without_quotes(std::move(decoded).error(), quoting()));
  return decoded;
}

Result<void> Client::patch_into(const Into& into, const Resource& resource, const ObjectKey& key,
                                const json::value& body, const PatchOptions& options,
                                const Deadline& deadline) {
  const json::value patched = TRY(patch(resource, key, body, options, deadline));
  auto decoded = api::detail::from_json(*into.type, into.object, patched);
  if (!decoded) return fail(without_quotes(std::move(decoded).error(), quoting()));
  return decoded;
}

}  // namespace capstan::kube
