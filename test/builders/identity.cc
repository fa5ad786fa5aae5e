#include "test/builders/identity.h"

#include <fmt/core.h>

#include "api/names.h"
#include "base/hash.h"

namespace capstan::builders {

api::Uid uid_of(std::string_view kind, std::string_view name) {
  const auto hash = mix64(hash_combine(hash_bytes(kind), hash_bytes(name)));
  return api::Uid(fmt::format("{:08x}-0000-4000-8000-{:012x}", fnv1a_32(name), hash & 0xffffffffffffULL));
}

api::ObjectMeta metadata_of(std::string_view kind, std::string_view name) {
  api::ObjectMeta metadata;
  metadata.name = Text(name);
  metadata.namespace_ = Text(kNamespace);
  metadata.uid = uid_of(kind, name);
  metadata.resource_version = api::ResourceVersion(1);
  metadata.generation = 1;
  metadata.creation_timestamp = noon();
  return metadata;
}

api::OwnerReference controller_of(std::string_view kind, std::string_view name) {
  return {.api_version = Text(api::kApiVersion),
          .kind = Text(kind),
          .name = Text(name),
          .uid = uid_of(kind, name),
          .controller = true,
          .block_owner_deletion = true};
}

}  // namespace capstan::builders
