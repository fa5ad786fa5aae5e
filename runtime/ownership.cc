#include "runtime/ownership.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/schema/encode.h"
#include "base/safeguards.h"

namespace capstan::runtime {

using api::OwnerReference;
using api::OwnerReferences;

OwnerReference owner_reference(const kube::Resource& resource, const api::ObjectMeta& owner) {
  return {.api_version = Text(resource.api_version()),
          .kind = Text(resource.kind),
          .name = owner.name,
          .uid = owner.uid};
}

OwnerReference controller_reference(const kube::Resource& resource, const api::ObjectMeta& owner) {
  OwnerReference reference = owner_reference(resource, owner);
  reference.controller = true;
  reference.block_owner_deletion = true;
  return reference;
}

bool same_owner(const OwnerReference& left, const OwnerReference& right) {
  return left.kind == right.kind && left.name == right.name && left.group() == right.group();
}

const OwnerReference* find_owner(const OwnerReferences& owners, std::string_view group, std::string_view kind,
                                 std::string_view name) {
  const auto found = std::ranges::find_if(*owners, [&](const OwnerReference& owner) {
    return owner.kind == kind && owner.name == name && owner.group() == group;
  });
  return found == owners->end() ? nullptr : &*found;
}

bool is_owned_by(const api::ObjectMeta& object, const api::Uid& owner) {
  return std::ranges::any_of(*object.owner_references,
                             [&](const OwnerReference& each) { return each.uid == owner; });
}

bool is_controlled_by(const api::ObjectMeta& object, const api::Uid& owner) {
  const OwnerReference* controller = object.controller();
  return controller != nullptr && controller->uid == owner;
}

OwnerReferences with_owner(const OwnerReferences& owners, const OwnerReference& owner) {
  std::vector<OwnerReference> list = *owners;
  const auto known =
      std::ranges::find_if(list, [&](const OwnerReference& each) { return same_owner(each, owner); });
  if (known == list.end()) {
    list.push_back(owner);
  } else {
    *known = owner;
  }
  return OwnerReferences(std::move(list));
}

Result<OwnerReferences> with_controller(const OwnerReferences& owners, const OwnerReference& owner) {
  for (const OwnerReference& other : *owners) {
    if (!owner.is_controller() || !other.is_controller() || same_owner(other, owner)) continue;
    return fail(Code::Conflict, "is controlled by " + other.kind.str() + " " + other.name.str() + " already");
  }
  return with_owner(owners, owner);
}

OwnerReferences without_owner(const OwnerReferences& owners, const OwnerReference& owner) {
  std::vector<OwnerReference> list = *owners;
  std::erase_if(list, [&](const OwnerReference& each) { return same_owner(each, owner); });
  return OwnerReferences(std::move(list));
}

boost::json::value owners_patch(const OwnerReferences& owners, api::ResourceVersion version) {
  boost::json::array list;
  for (const OwnerReference& owner : *owners) list.push_back(api::to_json(owner));
  boost::json::object metadata{{"ownerReferences", std::move(list)}};
  if (!is_off(Safeguard::ArrayVersions)) metadata["resourceVersion"] = version.str();
  return {{"metadata", std::move(metadata)}};
}

}  // namespace capstan::runtime
