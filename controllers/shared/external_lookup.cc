#include "controllers/shared/external_lookup.h"

namespace capstan::controllers {

ExternalSeen see_external(runtime::ExternalRefs& externals, const api::ContractRef& ref,
                          std::string_view namespace_) {
  using State = ExternalSeen::State;
  auto found = externals.get(ref, namespace_);
  if (!found) {
    const Error& error = found.error();
    const bool unreadable = error.reason == runtime::kNoContract || error.reason == runtime::kUnreadable;
    ExternalSeen seen{.state = error.reason == runtime::kNotDefined ? State::Undefined
                               : unreadable                         ? State::Unreadable
                                                                    : State::CacheBehind,
                      .key = {.namespace_ = std::string(namespace_), .name = ref.name.str()},
                      .problem = error.message,
                      .listed_soon = error.retry_after.has_value()};
    if (auto resolved = externals.resolve(ref.api_group, ref.kind))
      seen.resource = std::move(resolved->resource);
    return seen;
  }
  return {.state = found->object ? State::Found : State::Missing,
          .resource = std::move(found->resource),
          .contract = found->contract,
          .key = std::move(found->key),
          .object = std::move(found->object),
          .cache = found->cache,
          .problem = std::move(found->unreadable)};
}

}  // namespace capstan::controllers
