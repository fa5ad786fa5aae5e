#include "api/meta/object_meta.h"

#include <algorithm>

namespace capstan::api {

bool ObjectMeta::has_finalizer(std::string_view finalizer) const {
  return std::ranges::any_of(finalizers.get(), [&](const Text& each) { return each == finalizer; });
}

const OwnerReference* ObjectMeta::controller() const {
  const auto found = std::ranges::find_if(owner_references.get(), &OwnerReference::is_controller);
  return found == owner_references.get().end() ? nullptr : &*found;
}

std::string_view OwnerReference::group() const {
  const std::string_view version = api_version.view();
  const std::size_t slash = version.find('/');
  return slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
}

}  // namespace capstan::api

std::size_t std::hash<capstan::api::OwnerReference>::operator()(
    const capstan::api::OwnerReference& owner) const noexcept {
  using capstan::hash_combine;
  using capstan::hash_of;
  const auto flag = [](const std::optional<bool>& value) { return value ? (*value ? 2U : 1U) : 0U; };
  std::uint64_t state = hash_of(owner.api_version);
  state = hash_combine(state, hash_of(owner.kind));
  state = hash_combine(state, hash_of(owner.name));
  state = hash_combine(state, owner.uid.hash());
  state = hash_combine(state, flag(owner.controller) * 3 + flag(owner.block_owner_deletion));
  return hash_combine(state, capstan::hash_bytes(owner.unknown.text()));
}
