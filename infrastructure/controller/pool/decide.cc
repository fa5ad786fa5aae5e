#include "infrastructure/controller/pool/decide.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/names.h"

namespace capstan::infrastructure::pool {
namespace {

namespace reason = api::driver::reason;
using Names = std::set<std::string, std::less<>>;

// Handing over takes a moment in every healthy creation; a condition for it would be a write for nothing.
constexpr Seconds kPatience{10};
// How long an instance without a Node counts as coming; later it is a health check's to judge.
constexpr Seconds kUntilJoined{600};

std::string_view obstacle(const Observation& seen, std::string& message);
void wait(const Observation& seen, std::string_view why, std::string message, Plan& plan);
void give_size(const Observation& seen, Plan& plan);
bool is_autoscaled(const api::MachinePool& owner);
std::int64_t autoscaled_size(const Observation& seen);
void size_members(const Observation& seen, Plan& plan);
void replace_one(const Observation& seen, std::vector<Member> staying, Plan& plan);
Seconds until_joined(const Member& member, Time now);
void remove(const Observation& seen, Plan& plan);
Names named_in(std::string_view annotation);
std::optional<std::size_t> place_of(const api::DriverMachinePool& pool, const Vm& vm);

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  plan.paused = runtime::paused(cluster_paused, seen.object->metadata, api::driver::kind::kDriverMachinePool);
  if (plan.paused.paused || !seen.fresh) return plan;
  if (seen.object->metadata.deleting()) {
    remove(seen, plan);
    return plan;
  }
  const bool owner_leaves = seen.owner && seen.owner->metadata.deleting();
  const bool cluster_leaves = seen.cluster && seen.cluster->metadata.deleting();
  if (owner_leaves || cluster_leaves) return plan;  // what would be made now would be removed at once
  std::string message;
  const std::string_view why = obstacle(seen, message);
  if (!why.empty()) {
    wait(seen, why, std::move(message), plan);
    return plan;
  }
  give_size(seen, plan);
  if (seen.with_machines()) size_members(seen, plan);
  return plan;
}

// An instance that does not run goes first, then one that is named, then the highest places.
Sizing size(const Observation& seen, const Plan& plan, const std::vector<Vm>& there) {
  Sizing sizing;
  std::set<std::size_t> taken;
  std::map<std::size_t, Vm> running;
  for (const Vm& vm : there) {
    const auto place = place_of(*seen.object, vm);
    if (!place) continue;
    taken.insert(*place);  // a key is free again when its VM is gone
    if (vm.state == VmState::Stopped) sizing.victims.push_back(vm);
    if (vm.state == VmState::Pending || vm.state == VmState::Running) running.emplace(*place, vm);
  }
  const std::size_t wanted = plan.wanted.value_or(running.size());
  const Names named =
      named_in(seen.object->metadata.annotations.value_or_empty(api::driver::annotation::kVictims));
  for (auto at = running.begin(); at != running.end() && running.size() > wanted;) {
    if (!named.contains(at->second.name)) {
      ++at;
      continue;
    }
    sizing.victims.push_back(at->second);
    at = running.erase(at);
  }
  while (running.size() > wanted) {
    sizing.victims.push_back(running.rbegin()->second);
    running.erase(std::prev(running.end()));
  }
  for (std::size_t place = 0; running.size() + sizing.missing.size() < wanted; ++place) {
    if (!taken.contains(place)) sizing.missing.push_back(place);
  }
  for (auto& [place, vm] : running) sizing.staying.push_back(std::move(vm));
  return sizing;
}

std::string vm_name(const api::DriverMachinePool& pool, std::size_t place) {
  return fmt::format("{}-{}", pool.metadata.name.view(), place);
}

std::string instance_key(const api::DriverMachinePool& pool, std::size_t place) {
  return fmt::format("{}-{}", pool.spec.group_key.view(), place);
}

bool is_ours(const api::DriverMachinePool& pool, const Vm& vm) {
  const auto says = [&](std::string_view name, std::string_view ours) {
    const auto found = vm.tags.find(name);
    return found == vm.tags.end() || found->second == ours;
  };
  return says(api::driver::tag::kPool, pool.metadata.name.view()) &&
         says(api::driver::tag::kNamespace, pool.metadata.namespace_.view());
}

std::string victims_left(std::string_view annotation, const std::vector<std::string>& gone) {
  std::string left;
  for (const std::string& name : named_in(annotation)) {
    if (std::ranges::find(gone, name) == gone.end()) left += (left.empty() ? "" : ",") + name;
  }
  return left;
}

std::string emptiest(const api::List<Text>& domains, const std::vector<std::string>& used) {
  if (domains.empty()) return {};
  const auto count = [&](const Text& domain) { return std::ranges::count(used, domain.view()); };
  return std::ranges::min_element(domains, {}, count)->str();
}

namespace {

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

void wait(const Observation& seen, std::string_view why, std::string message, Plan& plan) {
  plan.step = Step::Wait;
  plan.reason = why;
  plan.message = std::move(message);
  const Time created = seen.object->metadata.creation_timestamp;
  const Seconds age = created.is_set() && seen.now > created ? seen.now - created : Seconds(0);
  plan.report_wait = age >= kPatience;
  if (!plan.report_wait) plan.recheck = kPatience - age;
}

// A number that can't be meant changes nothing: what is there stays, what got lost is not replaced.
void give_size(const Observation& seen, Plan& plan) {
  plan.step = Step::Size;
  const bool nameless = !seen.with_machines() && seen.object->spec.group_key.empty();
  plan.sign_on = nameless || !seen.object->metadata.has_finalizer(api::driver::finalizer::kMachinePool);
  const bool autoscaled = is_autoscaled(*seen.owner);
  const std::int64_t replicas = autoscaled ? autoscaled_size(seen) : seen.owner->spec.replicas.value_or(1);
  if (replicas >= 0 && std::cmp_less_equal(replicas, kMostInstances)) {
    plan.wanted = static_cast<std::size_t>(replicas);
    plan.tell_owner = autoscaled && seen.owner->spec.replicas != static_cast<std::int32_t>(replicas);
    return;
  }
  plan.reason = reason::kInvalidSize;
  plan.message = fmt::format(
      "spec.replicas of MachinePool {} is {}: a pool has between 0 and {} instances; nothing is made or "
      "removed until it asks for such a number",
      seen.owner->metadata.name.view(), replicas, kMostInstances);
}

bool is_autoscaled(const api::MachinePool& owner) {
  const auto* by = owner.metadata.annotations.find(api::annotation::kReplicasManagedBy);
  return by != nullptr && *by != "false";
}

// What the autoscaler says; before it says anything, the size there is.
std::int64_t autoscaled_size(const Observation& seen) {
  const std::string_view text =
      seen.object->metadata.annotations.value_or_empty(api::driver::annotation::kAutoscaledTo);
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error == std::errc() && end == text.data() + text.size()) return size;
  const bool began = seen.object->status.initialization.provisioned.value_or(false);
  const auto& present = seen.object->status.replicas;
  return began && present ? *present : seen.owner->spec.replicas.value_or(1);
}

// A Machine without a VM is replaced. Of the others go first: those that a user marked, those that the pool
// names, those that a health check handed over, those that do not work, the youngest.
void size_members(const Observation& seen, Plan& plan) {
  if (!plan.wanted) return;
  std::vector<Member> staying;
  for (const Member& member : seen.members) {
    if (leaves(member)) continue;
    if (member.machine && is_well_again(*member.machine)) plan.well_again.push_back(member);
    (has_lost_its_vm(member) ? plan.victims : staying).push_back(member);
  }
  if (staying.size() < *plan.wanted) {
    plan.missing = *plan.wanted - staying.size();
    return;
  }
  if (staying.size() == *plan.wanted) {
    replace_one(seen, std::move(staying), plan);
    return;
  }
  const Names named =
      named_in(seen.object->metadata.annotations.value_or_empty(api::driver::annotation::kVictims));
  const auto rank = [&](const Member& member) {
    const auto& metadata = member.object->metadata;
    const bool marked =
        member.machine && member.machine->metadata.annotations.contains(api::annotation::kDeleteMachine);
    const bool works =
        member.machine && api::conditions::is_true(member.machine->status.conditions, api::condition::kReady);
    const Time created = metadata.creation_timestamp;
    return std::tuple(!marked, !named.contains(metadata.name.view()), !is_handed_over(member), works,
                      created.is_set() ? -created.unix_seconds() : 0, metadata.name);
  };
  std::ranges::sort(staying, {}, rank);
  staying.resize(staying.size() - *plan.wanted);
  plan.victims.insert(plan.victims.end(), staying.begin(), staying.end());
}

// One at a time, for a pool has no maxInFlight: the next goes when the one before is gone and who came for it
// has a Node. One that a user named goes first, then the youngest.
void replace_one(const Observation& seen, std::vector<Member> staying, Plan& plan) {
  const auto rank = [](const Member& member) {
    const auto& metadata = member.object->metadata;
    const bool asked = member.machine->metadata.annotations.contains(api::annotation::kRemediateMachine);
    const Time created = metadata.creation_timestamp;
    return std::tuple(!asked, created.is_set() ? -created.unix_seconds() : 0, metadata.name);
  };
  const auto well =
      std::ranges::partition(staying, [](const Member& member) { return is_handed_over(member); });
  if (well.begin() == staying.begin()) return;
  const auto goes = [](const Member& member) { return leaves(member) && is_handed_over(member); };
  if (std::ranges::any_of(seen.members, goes)) return;
  Seconds longest{0};
  for (const Member& member : well) longest = std::max(longest, until_joined(member, seen.now));
  if (longest > Seconds(0)) {
    plan.recheck = longest;
    return;
  }
  plan.sick = *std::ranges::min_element(staying.begin(), well.begin(), {}, rank);
}

// Nothing when it has joined, or will not any more.
Seconds until_joined(const Member& member, Time now) {
  if (member.machine && member.machine->status.node_ref) return {};
  const Time created = member.object->metadata.creation_timestamp;
  const Seconds age = created.is_set() && now > created ? now - created : Seconds(0);
  return std::max(kUntilJoined - age, Seconds(0));
}

void remove(const Observation& seen, Plan& plan) {
  if (!seen.object->metadata.has_finalizer(api::driver::finalizer::kMachinePool)) return;
  if (seen.with_machines()) {
    plan.step = seen.members.empty() ? Step::Release : Step::Remove;
    for (const Member& member : seen.members) {
      if (!leaves(member)) plan.victims.push_back(member);
    }
    return;
  }
  const bool never_asked = seen.object->spec.group_key.empty() && seen.object->spec.provider_id_list.empty();
  plan.step = never_asked ? Step::Release : Step::Remove;
}

Names named_in(std::string_view annotation) {
  Names names;
  while (!annotation.empty()) {
    const auto comma = std::min(annotation.find(','), annotation.size());
    std::string_view name = annotation.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) names.emplace(name);
    annotation.remove_prefix(std::min(comma + 1, annotation.size()));
  }
  return names;
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

}  // namespace
}  // namespace capstan::infrastructure::pool
