// Server-side apply of what we own of an object: what an intent may contain, which fields it
// claims, and whether it has to be sent at all. Pure functions; kube/typed.h sends.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/field.h"
#include "api/schema/managed_fields.h"

namespace capstan::kube {

// The part of `object` that an apply may carry: type, names, labels, annotations, finalizers, owners, spec.
// Never status. `uid`, when given, makes the apply fail with Conflict instead of creating an object that
// vanished.
boost::json::value apply_intent(const boost::json::value& object, std::string_view uid = {});

// An apply that only creates: it names a version that no object has, and a server compares versions where
// there is an object, but not where there is none. What has the name already is a Conflict, and unchanged.
boost::json::value creation_intent(const boost::json::value& object);

// What a server would note as owned after applying `intent`, in the words of api::ManagedEntry; sorted.
// `type` distinguishes maps from atoms and lists from sets; without one only labels, annotations and plain
// fields are named right.
struct Claims {
  std::vector<std::string> labels = {};
  std::vector<std::string> annotations = {};
  std::vector<std::string> paths = {};
  bool operator==(const Claims&) const = default;
};
Claims claims_of(const boost::json::value& intent, const api::TypeInfo* type);

// False when sending would change nothing: every field of the intent has its value in `object`, and `manager`
// owns exactly the claimed labels, annotations and fields. What others added or defaulted does not matter.
// True when the object came without managedFields. Blind for one thing: a finalizer or owner that left the
// intent (the digest does not keep whose those are); remove them by a patch.
bool needs_apply(const boost::json::value& intent, const boost::json::value& object,
                 const api::ManagedFields& managed, std::string_view manager, const api::TypeInfo* type);

// The intent of `wanted`, a struct of `type`, when it has to be sent to one who sees `present`
// (kube/typed.h).
struct Present {
  const void* object = nullptr;  // null: there is none yet
  std::string uid = {};
  std::string version = {};  // when given, the apply fails with Conflict where the object has another one
  const api::ManagedFields& managed;
};
std::optional<boost::json::value> needed_intent(const api::TypeInfo& type, const void* wanted,
                                                const Present& present, std::string_view manager);

}  // namespace capstan::kube
