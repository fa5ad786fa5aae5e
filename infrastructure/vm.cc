#include "infrastructure/vm.h"

#include "api/driver/names.h"

namespace capstan::infrastructure {

std::string_view tag_of(const Vm& vm, std::string_view name) {
  const auto found = vm.tags.find(name);
  return found == vm.tags.end() ? std::string_view() : std::string_view(found->second);
}

Tags with_cluster_key(std::string_view cluster_key, Tags tags) {
  if (!cluster_key.empty()) tags[std::string(api::driver::tag::kClusterKey)] = cluster_key;
  return tags;
}

bool may_carry(const Vm& vm, std::string_view tag, std::string_view value) {
  const std::string_view carried = tag_of(vm, tag);
  return carried.empty() || carried == value;
}

}  // namespace capstan::infrastructure
