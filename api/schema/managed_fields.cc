#include "api/schema/managed_fields.h"

#include <algorithm>

namespace capstan::api {

const ManagedEntry* ManagedFields::applied_by(std::string_view manager) const {
  const auto found = std::ranges::find_if(entries_.get(), [&](const ManagedEntry& entry) {
    return entry.manager == manager && entry.operation == "Apply" && entry.subresource.empty();
  });
  return found == end() ? nullptr : &*found;
}

bool ManagedFields::mentions(std::string_view manager) const {
  return std::ranges::any_of(entries_.get(),
                             [&](const ManagedEntry& entry) { return entry.manager == manager; });
}

}  // namespace capstan::api

std::size_t std::hash<capstan::api::ManagedEntry>::operator()(
    const capstan::api::ManagedEntry& entry) const noexcept {
  using capstan::hash_combine;
  using capstan::hash_of;
  std::uint64_t state = hash_of(entry.manager);
  state = hash_combine(state, hash_of(entry.operation));
  state = hash_combine(state, hash_of(entry.subresource));
  state = hash_combine(state, hash_of(entry.labels));
  state = hash_combine(state, hash_of(entry.annotations));
  return hash_combine(state, hash_of(entry.paths));
}
