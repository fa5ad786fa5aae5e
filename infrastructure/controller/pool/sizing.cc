#include "infrastructure/controller/pool/sizing.h"

#include <fmt/core.h>

#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "api/driver/names.h"
#include "infrastructure/controller/pool/victims.h"

namespace capstan::infrastructure::pool {
namespace {

namespace tag = api::driver::tag;

// The VMs of a group by place.
struct Places {
  std::set<std::size_t> taken = {};  // a key is free again when its VM is gone
  std::map<std::size_t, Vm> running = {};
  std::vector<Vm> stopped = {};
};

Places places_of(const api::DriverMachinePool& pool, const std::vector<Vm>& there);
std::optional<std::size_t> place_of(const api::DriverMachinePool& pool, const Vm& vm);
void take_victims(const Names& named, std::size_t wanted, Places& places, std::vector<Vm>& victims);

}  // namespace

// An instance that does not run goes first, then one that is named, then the highest places.
Sizing sizing(const api::DriverMachinePool& pool, std::optional<std::size_t> wanted,
              const std::vector<Vm>& there) {
  Places places = places_of(pool, there);
  const std::size_t goal = wanted.value_or(places.running.size());
  Sizing sizing{.victims = std::move(places.stopped)};
  take_victims(named_victims(pool), goal, places, sizing.victims);
  for (std::size_t place = 0; places.running.size() + sizing.missing.size() < goal; ++place) {
    if (!places.taken.contains(place)) sizing.missing.push_back(place);
  }
  for (auto& [place, vm] : places.running) sizing.staying.push_back(std::move(vm));
  return sizing;
}

void hold_back(const Brakes& brakes, Sizing& sizing) {
  if (!brakes.creations.empty()) sizing.missing.clear();
  if (brakes.deletions.empty()) return;
  for (Vm& vm : std::exchange(sizing.victims, {}))
    (vm.state == VmState::Stopped ? sizing.kept : sizing.staying).push_back(std::move(vm));
}

std::string vm_name(const api::DriverMachinePool& pool, std::size_t place) {
  return fmt::format("{}-{}", pool.metadata.name.view(), place);
}

std::string instance_key(const api::DriverMachinePool& pool, std::size_t place) {
  return fmt::format("{}-{}", pool.spec.group_key.view(), place);
}

// The list may name any VM, by an edit or in a copy: the VM itself has to say that it is of this group.
bool is_ours(const api::DriverMachinePool& pool, const Vm& vm) {
  const std::string_view group = pool.spec.group_key.view();
  const bool contradicts = !may_carry(vm, tag::kPool, pool.metadata.name.view()) ||
                           !may_carry(vm, tag::kNamespace, pool.metadata.namespace_.view()) ||
                           !may_carry(vm, tag::kGroup, group);
  const bool says_so = tag_of(vm, tag::kPool) == pool.metadata.name.view() ||
                       (!group.empty() && tag_of(vm, tag::kGroup) == group);
  return says_so && !contradicts;
}

namespace {

Places places_of(const api::DriverMachinePool& pool, const std::vector<Vm>& there) {
  Places places;
  for (const Vm& vm : there) {
    const auto place = place_of(pool, vm);
    if (!place) continue;
    places.taken.insert(*place);
    if (vm.state == VmState::Stopped) places.stopped.push_back(vm);
    if (vm.state == VmState::Pending || vm.state == VmState::Running) places.running.emplace(*place, vm);
  }
  return places;
}

std::optional<std::size_t> place_of(const api::DriverMachinePool& pool, const Vm& vm) {
  const std::string prefix = pool.metadata.name.str() + "-";
  if (!vm.name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = std::string_view(vm.name).substr(prefix.size());
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return place;
}

void take_victims(const Names& named, std::size_t wanted, Places& places, std::vector<Vm>& victims) {
  auto& running = places.running;
  for (auto at = running.begin(); at != running.end() && running.size() > wanted;) {
    const auto here = at++;
    if (!named.contains(here->second.name)) continue;
    victims.push_back(here->second);
    running.erase(here);
  }
  while (running.size() > wanted) {
    victims.push_back(running.rbegin()->second);
    running.erase(std::prev(running.end()));
  }
}

}  // namespace
}  // namespace capstan::infrastructure::pool
