// Owner references as Cluster API keeps them: two name the same owner when group, kind and name agree (the
// API version moves on while the references stay), and there is one controller at most. Pure
// functions on whole lists.
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "api/meta/object_meta.h"
#include "base/result.h"
#include "kube/resource.h"

namespace capstan::runtime {

// A plain reference to that object.
api::OwnerReference owner_reference(const kube::Resource& resource, const api::ObjectMeta& owner);
// The same, as controller that holds up its owner's foreground deletion.
api::OwnerReference controller_reference(const kube::Resource& resource, const api::ObjectMeta& owner);

bool same_owner(const api::OwnerReference& left, const api::OwnerReference& right);
// Null when there is none.
const api::OwnerReference* find_owner(const api::OwnerReferences& owners, std::string_view group,
                                      std::string_view kind, std::string_view name);
bool is_owned_by(const api::ObjectMeta& object, const api::Uid& owner);
bool is_controlled_by(const api::ObjectMeta& object, const api::Uid& owner);

// `owner` takes the place of the reference to the same owner, or comes last. The list itself when that
// changes nothing.
api::OwnerReferences with_owner(const api::OwnerReferences& owners, const api::OwnerReference& owner);
// As with_owner; Conflict when another object is the controller and `owner` would be, too.
Result<api::OwnerReferences> with_controller(const api::OwnerReferences& owners,
                                             const api::OwnerReference& owner);
api::OwnerReferences without_owner(const api::OwnerReferences& owners, const api::OwnerReference& owner);

// The merge patch that replaces the owners of an object we can't encode (a provider's); Conflict when it has
// changed since.
boost::json::value owners_patch(const api::OwnerReferences& owners, api::ResourceVersion version);

}  // namespace capstan::runtime
