#include "apiserver/resource_type.h"

#include <algorithm>
#include <cassert>

namespace capstan::apiserver {

const ServedVersion* ResourceType::version(std::string_view wanted) const {
  const auto found = std::ranges::find(versions, wanted, &ServedVersion::name);
  return found == versions.end() ? nullptr : &*found;
}

const ServedVersion& ResourceType::storage_version() const {
  const auto found = std::ranges::find(versions, true, &ServedVersion::storage);
  assert(!versions.empty() && "a type has at least one version");
  return found == versions.end() ? versions.front() : *found;
}

bool ResourceType::allows(std::string_view verb) const { return std::ranges::find(verbs, verb) != verbs.end(); }

std::string ResourceType::group_resource() const { return group.empty() ? plural : plural + "." + group; }

std::string ResourceType::api_version(std::string_view wanted) const {
  return group.empty() ? std::string(wanted) : group + "/" + std::string(wanted);
}

}  // namespace capstan::apiserver
