// The writes we mean: a merge patch of before and after, guarded by resourceVersion when it
// replaces an array; JSON patches with "test" for finalizers. Pure functions; kube/typed.h sends what they
// build.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/field.h"

namespace capstan::kube {

// Which half of the object a patch is for; the other half is not looked at.
enum class Part {
  Main,    // everything but status
  Status,  // status alone, sent to the status subresource
};

enum class Lock {
  WhenArraysChange,  // the patch carries metadata.resourceVersion if it writes a whole array
  Always,
  Never,  // last writer wins, also on arrays
};

// The merge patch from `before` to `after`, both whole objects; nothing when there is nothing to say. What
// the server owns (resourceVersion, uid, generation, managedFields ...) is never part of it, except for the
// lock.
std::optional<boost::json::value> merge_patch(const boost::json::value& before,
                                              const boost::json::value& after, Part part,
                                              Lock lock = Lock::WhenArraysChange);

// The same of two structs of one type (kube/typed.h).
std::optional<boost::json::value> merge_patch(const api::TypeInfo& type, const void* before,
                                              const void* after, Part part, Lock lock);

// JSON patch that adds or removes one finalizer, and fails (reason TestFailed, or Invalid from a real server)
// when the list was changed since. Nothing when the list is as wanted already.
std::optional<boost::json::value> add_finalizer_patch(const std::vector<std::string>& present,
                                                      std::string_view finalizer);
std::optional<boost::json::value> remove_finalizer_patch(const std::vector<std::string>& present,
                                                         std::string_view finalizer);

}  // namespace capstan::kube
