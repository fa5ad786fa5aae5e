#include "apiserver/store/resource_type.h"

#include <algorithm>
#include <cassert>
#include <charconv>

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

bool ResourceType::allows(std::string_view verb) const {
  return std::ranges::find(verbs, verb) != verbs.end();
}

std::string ResourceType::group_resource() const { return group.empty() ? plural : plural + "." + group; }

std::string ResourceType::api_version(std::string_view wanted) const {
  return group.empty() ? std::string(wanted) : group + "/" + std::string(wanted);
}

std::tuple<int, long, long> version_rank(std::string_view version) {
  constexpr std::tuple<int, long, long> kOther{-1, 0, 0};
  const char* end = version.data() + version.size();
  long major = 0;
  if (!version.starts_with('v')) return kOther;
  auto read = std::from_chars(version.data() + 1, end, major);
  if (read.ec != std::errc()) return kOther;
  std::string_view rest(read.ptr, static_cast<std::size_t>(end - read.ptr));
  if (rest.empty()) return {2, major, 0};
  const int stability = rest.starts_with("beta") ? 1 : rest.starts_with("alpha") ? 0 : -1;
  if (stability < 0) return kOther;
  rest.remove_prefix(stability == 1 ? 4 : 5);
  long minor = 0;
  read = std::from_chars(rest.data(), end, minor);
  if (read.ec != std::errc() || read.ptr != end) return kOther;
  return {stability, major, minor};
}

}  // namespace capstan::apiserver
