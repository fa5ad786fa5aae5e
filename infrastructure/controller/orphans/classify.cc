#include "infrastructure/controller/orphans/classify.h"

#include <fmt/core.h>

#include "api/driver/names.h"

namespace capstan::infrastructure {
namespace {

namespace tag = api::driver::tag;

constexpr std::size_t kLongestProviderId = 512;  // that spec.providerID of an object holds

api::ObjectKey in_its_namespace(const Vm& vm, std::string_view name) {
  return {.namespace_ = std::string(tag_of(vm, tag::kNamespace)), .name = std::string(name)};
}

bool is_named(const Vm& vm, std::string_view name, const Owners& owners) {
  return !name.empty() && owners.names.contains(in_its_namespace(vm, name));
}

std::optional<Time> mark_of(const Vm& vm) {
  const std::string_view text = tag_of(vm, tag::kOrphanSince);
  if (text.empty()) return std::nullopt;
  return Time::parse(text).value_or(Time());
}

}  // namespace

std::string owner_of_key(const Finding& vm) {
  if (vm.pool.empty()) return "DriverMachine " + vm.object.describe();
  return fmt::format("DriverMachinePool {}/{}", vm.object.namespace_, vm.pool);
}

bool is_suspect(Standing standing) { return standing == Standing::Orphan || standing == Standing::Second; }

void add_members(const std::vector<Vm>& listed, Owners& owners) {
  for (const Vm& vm : listed) {
    if (owners.vms.contains(vm.provider_id) && owners.groups.contains(tag_of(vm, tag::kGroup)))
      owners.by_key.emplace(tag_of(vm, tag::kInstanceKey), vm.provider_id);
  }
}

Standing standing_of(const Vm& vm, const Owners& owners) {
  const std::string_view key = tag_of(vm, tag::kInstanceKey);
  if (vm.provider_id.empty() || vm.provider_id.size() > kLongestProviderId) return Standing::Foreign;
  if (key.empty() || !owners.clusters.contains(tag_of(vm, tag::kClusterKey))) return Standing::Foreign;
  if (owners.vms.contains(vm.provider_id)) return Standing::Owned;
  if (const auto object = owners.by_key.find(key); object != owners.by_key.end())
    return object->second.empty() ? Standing::Owned : Standing::Second;
  if (owners.groups.contains(tag_of(vm, tag::kGroup))) return Standing::Owned;
  if (is_named(vm, tag_of(vm, tag::kName), owners) || is_named(vm, tag_of(vm, tag::kPool), owners))
    return Standing::BeingMade;
  return Standing::Orphan;
}

std::optional<Finding> classify(const Vm& vm, const Owners& owners, const ProviderIds& marks) {
  const Standing standing = standing_of(vm, owners);
  const auto since = mark_of(vm);
  if (standing == Standing::Foreign || (!is_suspect(standing) && !since)) return std::nullopt;
  Finding found{.standing = standing,
                .provider_id = vm.provider_id,
                .name = vm.name,
                .instance_key = std::string(tag_of(vm, tag::kInstanceKey)),
                .object = in_its_namespace(vm, tag_of(vm, tag::kName)),
                .pool = std::string(tag_of(vm, tag::kPool)),
                .cluster = owners.clusters.find(tag_of(vm, tag::kClusterKey))->second,
                .since = since,
                .confirmed = is_suspect(standing) && since && marks.contains(vm.provider_id)};
  if (standing == Standing::Second) found.named_instead = owners.by_key.find(found.instance_key)->second;
  return found;
}

}  // namespace capstan::infrastructure
