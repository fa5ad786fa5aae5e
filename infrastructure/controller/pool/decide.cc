#include "infrastructure/controller/pool/decide.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "api/driver/names.h"
#include "api/names.h"

namespace capstan::infrastructure::pool {
namespace {

namespace reason = api::driver::reason;

std::optional<std::size_t> place_of(const api::DriverMachinePool& pool, const Vm& vm) {
  const std::string prefix = pool.metadata.name.str() + "-";
  if (!vm.name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = std::string_view(vm.name).substr(prefix.size());
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return place;
}

std::set<std::string, std::less<>> named_victims(const api::DriverMachinePool& pool) {
  std::set<std::string, std::less<>> names;
  std::string_view text = pool.metadata.annotations.value_or_empty(api::driver::annotation::kVictims);
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    if (comma > 0) names.emplace(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return names;
}

std::string_view obstacle(const Observation& seen, std::string& message) {
  if (!seen.owner) {
    message = "waiting for a MachinePool to own this object";
    return reason::kWaitingForOwner;
  }
  if (!seen.cluster) {
    message = "waiting for Cluster " + seen.owner->spec.cluster_name.str();
    return reason::kWaitingForCluster;
  }
  if (!seen.cluster->status.initialization.infrastructure_provisioned.value_or(false)) {
    message = fmt::format("waiting for Cluster {} to have its infrastructure provisioned",
                          seen.cluster->metadata.name.view());
    return reason::kWaitingForClusterInfrastructure;
  }
  const auto& secret = seen.owner->spec.machine_template.spec.bootstrap.data_secret_name;
  if (!secret || secret->empty()) {
    message = fmt::format("waiting for spec.template.spec.bootstrap.dataSecretName of MachinePool {}",
                          seen.owner->metadata.name.view());
    return reason::kWaitingForBootstrapData;
  }
  return {};
}

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  plan.paused = runtime::paused(cluster_paused, seen.object->metadata, api::driver::kind::kDriverMachinePool);
  if (plan.paused.paused || !seen.fresh) return plan;
  if (seen.object->metadata.deleting()) {
    plan.step = Step::Remove;
    return plan;
  }
  if (seen.owner && seen.owner->metadata.deleting()) return plan;  // nothing is made that would go at once
  plan.reason = obstacle(seen, plan.message);
  plan.step = plan.reason.empty() ? Step::Size : Step::Wait;
  return plan;
}

// Named ones go first, then the highest places.
Sizing size(const Observation& seen, const std::vector<Vm>& listed) {
  std::map<std::size_t, Vm> there;
  for (const Vm& vm : listed) {
    if (vm.state == VmState::Stopping) continue;
    if (const auto place = place_of(*seen.object, vm)) there.emplace(*place, vm);
  }
  const auto wanted = static_cast<std::size_t>(std::max(seen.owner->spec.replicas.value_or(1), 0));
  Sizing sizing;
  const auto named = named_victims(*seen.object);
  for (auto at = there.begin(); at != there.end() && there.size() > wanted;) {
    if (!named.contains(at->second.name)) {
      ++at;
      continue;
    }
    sizing.victims.push_back(at->second);
    at = there.erase(at);
  }
  while (there.size() > wanted) {
    sizing.victims.push_back(there.rbegin()->second);
    there.erase(std::prev(there.end()));
  }
  for (std::size_t place = 0; there.size() + sizing.missing.size() < wanted; ++place) {
    if (!there.contains(place)) sizing.missing.push_back(place);
  }
  for (auto& [place, vm] : there) sizing.staying.push_back(std::move(vm));
  return sizing;
}

std::string vm_name(const api::DriverMachinePool& pool, std::size_t place) {
  return fmt::format("{}-{}", pool.metadata.name.view(), place);
}

std::string instance_key(const api::DriverMachinePool& pool, std::size_t place) {
  return fmt::format("{}-{}", pool.spec.group_key.view(), place);
}

}  // namespace capstan::infrastructure::pool
