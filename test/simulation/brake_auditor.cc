#include "test/simulation/brake_auditor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "api/names.h"
#include "api/policy/fleet_policy.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_set.h"
#include "base/hash.h"
#include "kube/typed.h"
#include "test/simulation/fleet_clumsy.h"
#include "test/simulation/fleet_manifests.h"

namespace capstan::simulation {
namespace {

namespace json = boost::json;
using fakes::Asked;
using fakes::Call;

constexpr std::uint64_t kOfBrakes = 2;            // the bit of the mixed seed
constexpr Nanoseconds kNewsArrive = Seconds(40);  // at the latest
// By then a provider has heard of a freeze, and the cloud has done what it was asked for before.
constexpr Nanoseconds kPoolsKnow = std::chrono::minutes(2);
constexpr int kMarginAbove = 2;  // overshoot.up, where a policy does not say
constexpr std::string_view kWholeCluster = "the Cluster";
constexpr std::string_view kWholeFleet = "the fleet";

template <typename T>
apiserver::ObjectPtr stored(const apiserver::Api& api, std::string_view name) {
  const kube::Resource kind = kube::resource_of<T>();
  return api.stored(kind.group, kind.plural, kind.namespaced ? kNamespace : std::string_view(), name);
}

bool carries(const apiserver::ObjectPtr& object, std::string_view annotation) {
  if (object == nullptr) return false;
  const auto* all = object->at("metadata").as_object().if_contains("annotations");
  return all != nullptr && all->as_object().contains(annotation);
}

// The message of that condition where it is True; nothing: it is not.
std::optional<std::string> says(const json::object& object, std::string_view type) {
  json::error_code absent;
  const json::value document(object);
  const auto* conditions = document.find_pointer("/status/conditions", absent);
  if (conditions == nullptr) return {};
  for (const json::value& each : conditions->as_array()) {
    const auto& condition = each.as_object();
    if (condition.at("type").as_string() != type || condition.at("status").as_string() != "True") continue;
    const auto* message = condition.if_contains("message");
    return message == nullptr ? std::string() : std::string(message->as_string());
  }
  return {};
}

bool makes_machine(const Asked& asked) {
  if (!asked.is(api::kind::kMachine) || !asked.subresource.empty()) return false;
  return asked.call == Call::Create || asked.apply;
}

// The first owner of what is about to be made; null: it has none.
const json::object* owner_in(const Asked& asked) {
  const auto* owners = asked.body->as_object().at("metadata").as_object().if_contains("ownerReferences");
  return owners == nullptr ? nullptr : &owners->as_array().at(0).as_object();
}

// One for each instance that its provider has: its pool does not choose how many.
bool is_of_pool(const Asked& asked) {
  const auto* owner = owner_in(asked);
  return owner != nullptr && owner->at("kind").as_string() == api::kind::kMachinePool;
}

std::string uid_of_owner(const Asked& asked) {
  const auto* owner = owner_in(asked);
  return owner == nullptr ? std::string() : std::string(owner->at("uid").as_string());
}

// Null where a user deletes it with all that is its: it goes, or is gone.
const PoolFacts* staying_pool(const FleetFacts& facts, std::string PoolFacts::* field,
                              std::string_view value) {
  const auto pool = std::ranges::find(facts.pools, value, field);
  const bool stays = pool != facts.pools.end() && !pool->going && !facts.cluster_going;
  return stays ? &*pool : nullptr;
}

// What a Machine says while its deletion needs a place in the limits: written once it is decided, confirmed
// where a guard asks for that. Empty: this writes nothing of the sort.
std::string request_in(const Asked& asked) {
  if (!asked.is(api::kind::kMachine) || asked.call != Call::Patch || asked.body == nullptr) return {};
  json::error_code absent;
  const auto* annotations = asked.body->find_pointer("/metadata/annotations", absent);
  const auto* said = annotations == nullptr || !annotations->is_object()
                         ? nullptr
                         : annotations->as_object().if_contains(api::policy::annotation::kFleetRequest);
  return said == nullptr || !said->is_string() ? std::string() : std::string(said->as_string());
}

// A user deletes them, with all that is theirs.
bool goes_with_its_owner(const MachineFacts& machine, const FleetFacts& before) {
  const SetFacts* set = before.set(machine.set);
  if (before.cluster_going || set == nullptr || set->going) return true;
  const DeploymentFacts* deployment = before.deployment(set->deployment);
  return deployment == nullptr || deployment->going;
}

// Those that may still count: news of others have arrived by now.
void add(std::deque<std::pair<SteadyTime, int>>& numbers, SteadyTime now, int number) {
  if (numbers.empty() || numbers.back().second != number) numbers.emplace_back(now, number);
  while (numbers.size() > 1 && now - numbers[1].first > kNewsArrive) numbers.pop_front();
}

int most_of(const std::deque<std::pair<SteadyTime, int>>& numbers) {
  return numbers.empty() ? 0 : std::ranges::max(numbers, {}, &std::pair<SteadyTime, int>::second).second;
}

bool is_deleted_by_its_set(const MachineFacts& machine) {
  return !machine.deleted_for.empty() || machine.granted || machine.being_remediated;
}

// So many the set can lose by scaling in. It may come to prefer another one to a Machine that waits for its
// place, which asks before the other one's request is taken off.
int surplus_of(const SetFacts& set, const FleetFacts& facts) {
  const auto staying = std::ranges::count_if(
      facts.machines, [&](const MachineFacts& each) { return each.set == set.uid && !each.going; });
  return static_cast<int>(staying) - static_cast<int>(set.replicas);
}

}  // namespace

bool has_brakes(std::uint64_t seed) { return !has_clumsy_user(seed) && (mix64(seed) & kOfBrakes) != 0; }

// --- since when ---

void BrakeAuditor::look() {
  const SteadyTime now = deps_.baton.steady_now();
  const std::set<std::string> present = frozen();
  std::erase_if(frozen_since_, [&](const auto& each) { return !present.contains(each.first); });
  for (const std::string& each : present) frozen_since_.try_emplace(each, now);
  if (!was_initialized()) return initialized_since_.reset();
  if (!initialized_since_) initialized_since_ = now;
}

std::set<std::string> BrakeAuditor::frozen() const {
  namespace annotation = api::policy::annotation;
  std::set<std::string> found;
  for (const std::string_view plural : {"machinedeployments", "machinesets", "machinepools"}) {
    for (const auto& object : deps_.api.stored_all(api::group::kCluster, plural))
      if (carries(object, annotation::kFreeze)) found.emplace(object->at("metadata").at("uid").as_string());
  }
  if (carries(stored<api::Cluster>(deps_.api, kCluster), annotation::kFreeze)) found.emplace(kWholeCluster);
  if (carries(stored<api::FleetPolicy>(deps_.api, api::policy::kFleetPolicyName), annotation::kFreeze))
    found.emplace(kWholeFleet);
  return found;
}

std::optional<Nanoseconds> BrakeAuditor::frozen_for(std::span<const std::string> whom) const {
  std::optional<SteadyTime> since;
  for (const std::string& each : whom) {
    const auto found = frozen_since_.find(each);
    if (found != frozen_since_.end()) since = std::min(since.value_or(found->second), found->second);
  }
  return span_since(since);
}

std::optional<Nanoseconds> BrakeAuditor::frozen_set_for(const std::string& set,
                                                        const FleetFacts& before) const {
  const SetFacts* facts = before.set(set);
  const std::array whom = {set, facts == nullptr ? std::string() : facts->deployment,
                           std::string(kWholeCluster), std::string(kWholeFleet)};
  return frozen_for(whom);
}

// The fleet's freeze comes to its provider by way of the Cluster, which may be paused: it is left out.
std::optional<Nanoseconds> BrakeAuditor::frozen_pool_for(const PoolFacts& pool) const {
  const std::array whom = {pool.uid, std::string(kWholeCluster)};
  return frozen_for(whom);
}

bool BrakeAuditor::was_initialized() const {
  const auto cluster = stored<api::Cluster>(deps_.api, kCluster);
  if (cluster == nullptr) return false;
  return says(*cluster, api::condition::kControlPlaneInitialized).has_value();
}

// Before it was initialized nothing is held.
std::optional<SteadyTime> BrakeAuditor::away_since() const {
  const auto since = deps_.away_since();
  if (!since || !initialized_since_) return {};
  return std::max(*since, *initialized_since_);
}

std::optional<Nanoseconds> BrakeAuditor::span_since(const std::optional<SteadyTime>& since) const {
  return since ? std::optional(Nanoseconds(deps_.baton.steady_now() - *since)) : std::nullopt;
}

std::optional<Nanoseconds> BrakeAuditor::closed_for() const {
  const auto of_this_period = deps_.baton.now().time_since_epoch() % kWindowEvery;
  if (of_this_period < kWindowOpen) return {};
  return of_this_period - kWindowOpen;
}

// --- what took effect ---

void BrakeAuditor::took_effect(const Asked& asked, const FleetFacts& before) {
  look_at_instances(before);
  const std::string& name = asked.key.name;
  if (asked.is("Pod") && asked.call == Call::Evict) return pod_evicted(name, before);
  const MachineFacts* machine = before.machine(name);
  if (machine == nullptr && makes_machine(asked) && !is_of_pool(asked) && !before.cluster_going)
    machine_made(name, uid_of_owner(asked), before);
  if (machine != nullptr) look_at_request(asked, *machine, before);
  if (machine == nullptr || asked.call != Call::Remove || !asked.is(api::kind::kMachine)) return;
  if (!machine->going) machine_removed(*machine, before);
}

void BrakeAuditor::machine_made(const std::string& name, const std::string& set,
                                const FleetFacts& before) const {
  check_held(fmt::format("Machine {} was made", name), set, before);
  check_ceiling(name, set, before);
}

void BrakeAuditor::machine_removed(const MachineFacts& machine, const FleetFacts& before) {
  const std::string what = fmt::format("Machine {} was deleted", machine.name);
  ++deleted_[machine.set];
  if (const PoolFacts* pool = staying_pool(before, &PoolFacts::uid, machine.pool))
    check_pool_held(what, *pool);
  if (goes_with_its_owner(machine, before)) return;
  check_held(what, machine.set, before);
  if (machine.deleted_for.starts_with(api::policy::deletion::kScaleIn))
    check(outside_its_window(what, closed_for()));
  count_deletion();
}

void BrakeAuditor::check_held(const std::string& what, const std::string& set,
                              const FleetFacts& before) const {
  check(acted_while_frozen(what, frozen_set_for(set, before)));
  check(acted_while_away(what, span_since(away_since())));
}

void BrakeAuditor::check_pool_held(const std::string& what, const PoolFacts& pool) const {
  const auto frozen = frozen_pool_for(pool);
  if (frozen && *frozen >= kPoolsKnow) check(acted_while_frozen(what, frozen));
}

void BrakeAuditor::look_at_instances(const FleetFacts& before) {
  if (!deps_.vms) return;
  std::map<std::string, std::string> there;
  for (const auto& vm : deps_.vms())
    if (vm.name.starts_with(kPool)) there.emplace(vm.provider_id, vm.name);
  for (const auto& [id, name] : instances_)
    if (!there.contains(id)) instance_gone(name, before);
  instances_ = std::move(there);
}

// That of a Machine goes after it: a user may have deleted that.
void BrakeAuditor::instance_gone(const std::string& vm, const FleetFacts& before) const {
  const PoolFacts* pool = staying_pool(before, &PoolFacts::name, kPool);
  const auto machine = std::ranges::find(before.machines, vm, &MachineFacts::infrastructure);
  const bool goes_after_it = machine != before.machines.end() && machine->going;
  if (pool == nullptr || goes_after_it || deps_.has_vanished(vm)) return;
  check_pool_held(fmt::format("instance {} of MachinePool {} was removed", vm, pool->name), *pool);
}

// Of a Machine that a user deletes the drain goes on.
void BrakeAuditor::pod_evicted(const std::string& pod, const FleetFacts& before) const {
  const std::string node = deps_.node_of ? deps_.node_of(pod) : std::string();
  const auto machine = std::ranges::find_if(before.machines, [&](const MachineFacts& each) {
    return each.going && !node.empty() && each.node == node;
  });
  if (machine == before.machines.end() || goes_with_its_owner(*machine, before)) return;
  if (!is_deleted_by_its_set(*machine)) return;
  check(acted_while_frozen(fmt::format("Pod {} of Machine {} was evicted", pod, machine->name),
                           frozen_set_for(machine->set, before)));
}

void BrakeAuditor::count_deletion() {
  const SteadyTime now = deps_.baton.steady_now();
  deletions_.push_back(now);
  const auto check_within = [&](Seconds span, int most) {
    const auto begun = std::ranges::count_if(deletions_, [&](SteadyTime at) { return now - at < span; });
    check(too_many_deletions(static_cast<int>(begun), most, span));
  };
  check_within(kDeletionsWithin, kMostDeletions);
  check_within(kOfAClusterWithin, kMostOfACluster);
}

// --- by one decision ---

void BrakeAuditor::note(const FleetFacts& facts) {
  const auto count = static_cast<int>(std::ranges::count_if(facts.machines, [](const MachineFacts& each) {
    return !each.going && !(each.set.empty() && each.pool.empty());
  }));
  const SteadyTime now = deps_.baton.steady_now();
  add(governed_, now, count);
  for (const DeploymentFacts& each : facts.deployments)
    add(wanted_[each.uid], now, each.replicas + each.surge);
  for (const MachineFacts& each : facts.machines)
    if (!each.set.empty()) set_of_[each.uid] = each.set;
}

int BrakeAuditor::most_governed() const { return most_of(governed_); }

// What a set made and let go of counts with it as long as both are there.
bool BrakeAuditor::counts_for(const MachineFacts& machine, const std::string& deployment,
                              const FleetFacts& facts) const {
  const auto last = set_of_.find(machine.uid);
  const bool is_released = machine.set.empty() && machine.pool.empty() && last != set_of_.end();
  const SetFacts* set = facts.set(is_released ? last->second : machine.set);
  return set != nullptr && set->deployment == deployment;
}

void BrakeAuditor::check_ceiling(const std::string& machine, const std::string& set,
                                 const FleetFacts& before) const {
  const SetFacts* owner = before.set(set);
  const DeploymentFacts* deployment = owner == nullptr ? nullptr : before.deployment(owner->deployment);
  if (deployment == nullptr || deployment->going) return;
  const auto there = std::ranges::count_if(
      before.machines, [&](const MachineFacts& each) { return counts_for(each, deployment->uid, before); });
  const auto wanted = wanted_.find(deployment->uid);
  const int most = (wanted == wanted_.end() ? 0 : most_of(wanted->second)) + kMarginAbove;
  check(above_its_ceiling(machine, static_cast<int>(there) + 1, most));
}

// A step of a rollout was decided by its MachineDeployment, and one that has a place among those that are
// replaced was decided when it got that.
void BrakeAuditor::look_at_request(const Asked& asked, const MachineFacts& machine,
                                   const FleetFacts& before) {
  const std::string request = request_in(asked);
  const SetFacts* set = before.set(machine.set);
  if (request.empty() || machine.asks_fleet || machine.granted || set == nullptr) return;
  if (request.starts_with(api::policy::deletion::kRollout)) return;
  const auto placed = std::ranges::count_if(before.machines, [&](const MachineFacts& each) {
    return each.set == machine.set && each.fleet_granted;
  });
  int doomed = ++doomed_[{.set = set->uid,
                          .replicas = set->replicas,
                          .request = request,
                          .placed = placed,
                          .deleted = deleted_[set->uid]}];
  if (request.starts_with(api::policy::deletion::kScaleIn))
    doomed = std::min(doomed, surplus_of(*set, before));
  const bool confirmed =
      carries(stored<api::MachineSet>(deps_.api, set->name), api::policy::annotation::kConfirmDeletion);
  if (!confirmed) check(too_many_by_one_decision(set->name, doomed, most_governed()));
}

void BrakeAuditor::check(const Broken& broken) const {
  if (broken) deps_.broke(*broken);
}

// --- what is shut ---

std::string BrakeAuditor::shut() const {
  std::string text;
  for (const std::string_view plural : {"clusters", "machinedeployments", "machinesets", "machinepools"}) {
    for (const auto& object : deps_.api.stored_all(api::group::kCluster, plural)) {
      const std::string_view name = object->at("metadata").at("name").as_string();
      if (const auto why = says(*object, api::policy::condition::kFrozen))
        text += fmt::format("{} {} is frozen: {}; ", plural, name, *why);
    }
  }
  const auto fleet = stored<api::FleetPolicy>(deps_.api, api::policy::kFleetPolicyName);
  for (const auto type : {api::policy::condition::kSomeFrozen, api::policy::condition::kLimiting}) {
    if (const auto why = fleet == nullptr ? std::nullopt : says(*fleet, type))
      text += fmt::format("the FleetPolicy says {}: {}; ", type, *why);
  }
  return text;
}

}  // namespace capstan::simulation
