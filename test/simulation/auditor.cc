#include "test/simulation/auditor.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/driver/names.h"
#include "api/names.h"
#include "test/simulation/fleet_manifests.h"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;
using fakes::Call;

constexpr Nanoseconds kNewsArrive = 12s;  // whatever is late or stale
constexpr Nanoseconds kLongKnown = 3 * kNewsArrive;
constexpr int kReplacements = 1;  // at a time, of a MachineDeployment that a policy governs

bool creates_machine(const Asked& asked) {
  return asked.is(api::kind::kMachine) && asked.subresource.empty() &&
         (asked.call == Call::Create || asked.apply);
}

std::string text_at(const json::value& value, std::string_view pointer) {
  json::error_code error;
  const json::value* found = value.find_pointer(pointer, error);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

// Keeps a history one entry per version.
void note(Wants& wants, const Want& want) {
  if (wants.empty() || wants.back().version < want.version) wants.push_back(want);
}

}  // namespace

// --- who knew what ---

void Auditor::manager_starts(FleetManager& manager) {
  manager_ = &manager;
  writes_ = {};  // what is contested is not remembered beyond a process
  cached_.clear();
  known_since_.clear();
  manager.core().caches().machine_deployments.subscribe(
      [this](const runtime::Change<api::MachineDeployment>& change) {
        known_since_.try_emplace(change.object().metadata.uid.str(), deps_.baton.steady_now());
      });
  manager.core().caches().machine_sets.subscribe([this](const runtime::Change<api::MachineSet>& change) {
    const auto& metadata = change.object().metadata;
    cached_[metadata.uid.str()].push_back(
        {.at = deps_.baton.steady_now(), .version = std::stoull(metadata.resource_version.str())});
  });
}

void Auditor::manager_ends() { manager_ = nullptr; }

std::optional<SteadyTime> Auditor::turn_began(std::string_view controller, const std::string& name) const {
  for (const auto* each : manager_->core().controllers()) {
    if (each->name() != controller) continue;
    for (const auto& turn : each->turns()) {
      if (turn.key == named(name)) return deps_.baton.steady_now() - turn.running;
    }
  }
  return {};
}

// The version in the cache when the present turn of that key began, or the oldest we know of.
std::uint64_t Auditor::version_seen(std::string_view controller, const std::string& name,
                                    const std::string& uid) const {
  const auto known = cached_.find(uid);
  if (manager_ == nullptr || known == cached_.end()) return 0;
  const auto began = turn_began(controller, name);
  if (!began) return known->second.front().version;
  std::uint64_t version = known->second.front().version;
  for (const Seen& seen : known->second) {
    if (seen.at < *began) version = seen.version;
  }
  return version;
}

void Auditor::look() {
  const FleetFacts before = std::exchange(facts_, reader_.look());
  correct_facts();
  look_at_pods();
  look_at_nodes();
  for (const MachineFacts& machine : facts_.machines)
    if (!machine.node.empty()) has_node_since_.try_emplace(machine.name, deps_.baton.steady_now());
  note_wants();
  note_reach();
  note_pool_drain();
  note_losses(before);
  note_releases(before);
  note_preserved();
}

// What an edit says of an object is not what is true of it: a Machine's own infrastructure object is the one
// it was made with, and a number that was taken out of a spec is the one that was there.
void Auditor::correct_facts() {
  for (MachineFacts& machine : facts_.machines) {
    machine.given = machine.copy() || given_.contains(machine.name);
    const auto [own, is_new] = first_objects_.try_emplace(machine.uid, machine.infrastructure);
    machine.infrastructure = own->second;
    if (is_new && orphaning_.contains(machine.set)) made_for_orphaning_.insert(machine.uid);
  }
  for (const SetFacts& set : facts_.sets)
    if (!last_replicas_.contains(set.uid) && orphaning_.contains(set.deployment))
      made_for_orphaning_.insert(set.uid);
  const auto correct = [&](auto& owner) {
    int& last = last_replicas_.try_emplace(owner.uid, owner.replicas).first->second;
    owner.replicas = last = owner.replicas_there.value_or(last);
    if (owner.orphaning) orphaning_.insert(owner.uid);
  };
  std::ranges::for_each(facts_.sets, correct);
  std::ranges::for_each(facts_.deployments, correct);
}

void Auditor::look_at_pods() {
  apiserver::Api* const workload = deps_.pods_needed() == 0 ? nullptr : deps_.workload();
  auto stored = workload == nullptr ? std::vector<apiserver::ObjectPtr>() : workload->stored_all("", "pods");
  if (stored == stored_pods_) return;
  stored_pods_ = std::move(stored);
  pods_ = workload == nullptr ? std::vector<PodFacts>() : pods_of(*workload);
}

void Auditor::look_at_nodes() {
  apiserver::Api* const workload = deps_.workload();
  auto stored = workload == nullptr ? std::vector<apiserver::ObjectPtr>() : workload->stored_all("", "nodes");
  if (stored == stored_nodes_) return;
  stored_nodes_ = std::move(stored);
  for (const auto& node : stored_nodes_) {
    const json::value document(*node);
    const NodeFacts facts{.name = text_at(document, "/metadata/name"),
                          .uid = text_at(document, "/metadata/uid")};
    const std::string id = text_at(document, "/spec/providerID");
    const bool is_new = provider_ids_.insert_or_assign(facts.uid, id).second;
    if (is_new && facts.name.starts_with(kPool)) note_node_of_pool(facts, id);
  }
}

// Of the one that was there when this was last looked at; empty: there was none.
std::string Auditor::uid_of_node(const std::string& name) const {
  for (const auto& node : stored_nodes_) {
    const json::value document(*node);
    if (text_at(document, "/metadata/name") == name) return text_at(document, "/metadata/uid");
  }
  return {};
}

void Auditor::note_node_of_pool(const NodeFacts& node, const std::string& provider_id) {
  for (const PoolFacts& pool : facts_.pools) {
    const auto known = std::ranges::find(pool.nodes, node.name, &NodeFacts::name);
    if (known != pool.nodes.end() && known->uid != node.uid) ++came_of_pool_["Node under a name still noted"];
  }
  const auto group =
      deps_.api.stored("infrastructure.cluster.x-k8s.io", "drivermachinepools", kNamespace, kPool);
  if (group == nullptr) return;
  const json::value* list = group->at("spec").as_object().if_contains("providerIDList");
  const bool listed = list != nullptr && std::ranges::count(list->as_array(), json::value(provider_id)) > 0;
  ++came_of_pool_[listed ? "Node after the list" : "Node before the list"];
}

// The Node of its predecessor has its name until it is deleted.
void Auditor::note_replaced_instance(const infrastructure::Vm& vm) {
  if (!vm.name.starts_with(kPool)) return;
  const std::string before = std::exchange(instances_[vm.name], vm.provider_id);
  if (before.empty() || before == vm.provider_id) return;
  const bool has_node = std::ranges::any_of(stored_nodes_, [&](const apiserver::ObjectPtr& node) {
    return text_at(json::value(*node), "/spec/providerID") == before;
  });
  if (has_node) ++came_of_pool_["instance replaced under its name"];
}

void Auditor::note_wants() {
  const SteadyTime now = deps_.baton.steady_now();
  note_pause(now);
  for (const PoolFacts& pool : facts_.pools) {
    for (const NodeFacts& node : pool.nodes) noted_since_.try_emplace(node.uid, now);
    note(pool_wants_[pool.uid], {.version = pool.version,
                                 .since = now,
                                 .desired = pool.replicas,
                                 .most = pool.replicas,
                                 .going = pool.going});
  }
  for (const SetFacts& set : facts_.sets) {
    const auto [led, is_new] = led_since_.try_emplace(set.uid, set.deployment, 0);
    if (!is_new && led->second.first != set.deployment) led->second = {set.deployment, set.version + 1};
    note(set_wants_[set.uid], {.version = set.version,
                               .since = now,
                               .desired = set.replicas,
                               .most = set.replicas,
                               .going = set.going});
  }
  for (const DeploymentFacts& each : facts_.deployments) {
    note_growth(each.uid, now);
    const int unavailable = each.surge == 0 && each.unavailable == 0 ? 1 : each.unavailable;
    note(deployment_wants_[each.uid], {.version = each.version,
                                       .since = now,
                                       .desired = each.replicas,
                                       .most = each.replicas + each.surge,
                                       .promise = each.going ? 0 : std::max(0, each.replicas - unavailable),
                                       .going = each.going});
  }
}

// A rollout that is scaled down may be kept from shrinking; a Machine that goes meanwhile is replaced, as was
// decided when its sets grew.
void Auditor::note_growth(const std::string& deployment, SteadyTime now) {
  Growth growth{.at = now};
  for (const SetFacts& set : facts_.sets) growth.replicas += set.deployment == deployment ? set.replicas : 0;
  const auto known = grown_.try_emplace(deployment, growth).first;
  if (growth.replicas > known->second.replicas) known->second.at = now;
  known->second.replicas = growth.replicas;
}

void Auditor::note_pause(SteadyTime now) {
  if (pause_ && pause_->until > now) {
    if (!facts_.cluster_paused) pause_->until = now;
  } else if (facts_.cluster_paused) {
    const bool joins = pause_ && now - pause_->until < deps_.memory;
    pause_ = {.from = joins ? pause_->from : now, .until = SteadyTime::max()};
  }
}

// How far back a rollout may have looked that is carried out now: no controller looks while the Cluster is
// paused.
SteadyTime Auditor::looked_since(SteadyTime now) const {
  const SteadyTime since = now - deps_.memory;
  return pause_ && since < pause_->until ? std::min(since, pause_->from - deps_.memory) : since;
}

void Auditor::note_reach() {
  if (!deps_.lost()) lost_since_.reset();
  if (deps_.lost() && !lost_since_) lost_since_ = deps_.baton.steady_now();
}

void Auditor::note_pool_drain() {
  if (!pool_drain_) return;
  const SteadyTime now = deps_.baton.steady_now();
  for (const auto& vm : deps_.cloud.vms()) vm_seen_[vm.provider_id] = now;
  const auto leaves = [](const PoolFacts& each) { return each.going && each.name == kPool; };
  if (std::ranges::any_of(facts_.pools, leaves) && !pool_going_since_) pool_going_since_ = now;
}

// A Machine that is available no more although it is not being deleted.
void Auditor::note_losses(const FleetFacts& before) {
  for (const MachineFacts& machine : before.machines) {
    if (!machine.available || machine.going) continue;
    const MachineFacts* now = facts_.machine(machine.name);
    if (now != nullptr && !now->available && !now->going) excuse(LegalCase::MachineLost);
  }
  for (const MachineFacts& machine : facts_.machines) {
    const MachineFacts* was = before.machine(machine.name);
    if (machine.available && (was == nullptr || !was->available))
      available_since_[machine.name] = deps_.baton.steady_now();
  }
}

// By its MachineSet, or with it by the MachineDeployment.
bool Auditor::was_released(const MachineFacts& machine, const FleetFacts& before) const {
  const MachineFacts* now = facts_.machine(machine.name);
  if (machine.set.empty() || machine.given || now == nullptr || now->going) return false;
  if (now->set.empty()) return true;
  const SetFacts* was = before.set(machine.set);
  const SetFacts* is = facts_.set(now->set);
  return was != nullptr && is != nullptr && !was->deployment.empty() && is->deployment.empty();
}

// The release of one is taken for meant.
void Auditor::note_releases(const FleetFacts& before) {
  if (!released_) return;
  for (const MachineFacts& machine : before.machines) {
    if (was_released(machine, before) && ++*released_ == 2)
      deps_.broke(
          fmt::format("Machine {} is the second one that a change of a selector released", machine.name));
  }
}

void Auditor::excuse(LegalCase legal) {
  ++counted_[legal];
  losses_.push_back(deps_.baton.steady_now());
}

void Auditor::machine_taken() {
  taken_.push_back(deps_.baton.steady_now());
  excuse(LegalCase::MachineLost);
}

int Auditor::losses_since(SteadyTime time) const {
  return static_cast<int>(std::ranges::count_if(losses_, [&](SteadyTime at) { return at >= time; }));
}

// Of one set's Machines, those that became available, those on their way out included.
int Auditor::gains_since(SteadyTime time, std::string_view set) const {
  return static_cast<int>(std::ranges::count_if(facts_.machines, [&](const MachineFacts& machine) {
    const auto since = available_since_.find(machine.name);
    return machine.set == set && machine.available && since != available_since_.end() &&
           since->second >= time;
  }));
}

int Auditor::taken_since(SteadyTime time) const {
  return static_cast<int>(std::ranges::count_if(taken_, [&](SteadyTime at) { return at >= time; }));
}

void Auditor::another_leads(bool leads) {
  two_lead_ = leads;
  two_led_until_ = deps_.baton.steady_now();
}

// What is judged by the caches of the one manager means nothing while there are two, nor what came of that.
void Auditor::check(const Broken& broken) const {
  const bool two_led = two_led_until_ && deps_.baton.steady_now() - *two_led_until_ < deps_.memory;
  if (!two_lead_ && !two_led) check_always(broken);
}

void Auditor::check_always(const Broken& broken) const {
  if (broken) deps_.broke(*broken);
}

// --- what is sent ---

void Auditor::sent(const Asked& asked) {
  if (!fakes::is_write(asked.call) || deps_.baton.crashing()) return;
  look();
  if (creates_machine(asked)) machine_create_sent(asked);
  if (asked.is(api::kind::kMachineSet) && deps_.baton.who().name.starts_with("machinedeployment"))
    set_change_sent(asked);
  if (asked.call == Call::Remove && asked.is(api::kind::kMachine)) machine_removal_sent(asked);
  if (asked.call == Call::Remove) check_disowned(asked);
}

void Auditor::set_change_sent(const Asked& asked) const {
  const SetFacts* set = facts_.set_named(asked.key.name);
  if (set == nullptr || manager_ == nullptr || is_copy(set->name)) return;
  const auto self = manager_->core().caches().machine_deployments.get(named(kDeployment));
  const auto began = turn_began("machinedeployment", std::string(kDeployment));
  // In the very moment counts as before: no time passes while a turn begins.
  if (!self || !began || *began <= known_since_.at(self->metadata.uid.str())) return;
  check(changed_by_another(*set, self->metadata.uid.str()));
}

void Auditor::machine_create_sent(const Asked& asked) {
  if (facts_.machine(asked.key.name) != nullptr) return;  // it is there: this changes it
  Sent sent{.at = deps_.baton.steady_now()};
  std::string name;
  if (const auto* owners =
          asked.body->as_object().at("metadata").as_object().if_contains("ownerReferences")) {
    sent.owner = text_at(owners->as_array().at(0), "/uid");
    name = text_at(owners->as_array().at(0), "/name");
    // One for each instance that its provider has: the pool does not choose how many.
    if (text_at(owners->as_array().at(0), "/kind") == api::kind::kMachinePool) return;
  }
  sent.version = version_seen("machineset", name, sent.owner);
  sent_[{Call::Create, asked.key.name}] = sent;
  const auto wants = set_wants_.find(sent.owner);
  if (wants == set_wants_.end()) return deps_.broke("a Machine is made for a MachineSet that never was");
  const auto in_force = in_force_since(wants->second, sent.version);
  check(too_many_machines(name, in_force, facts_.owned(sent.owner) + 1));
  check(made_for_an_owner_that_goes(name, in_force));
}

void Auditor::machine_removal_sent(const Asked& asked) {
  const MachineFacts* machine = facts_.machine(asked.key.name);
  if (machine == nullptr) return;
  Sent sent{.owner = machine->set, .at = deps_.baton.steady_now()};
  if (const SetFacts* set = facts_.set(machine->set))
    sent.version = version_seen("machineset", set->name, set->uid);
  sent_[{Call::Remove, asked.key.name}] = sent;
}

// --- what took effect ---

void Auditor::took_effect(const Asked& asked, const json::value& answer) {
  const FleetFacts before = facts_;
  const auto pods_before = pods_;
  const NodeFacts node{.name = asked.key.name, .uid = uid_of_node(asked.key.name)};
  look();
  note_write(asked, answer);
  if (asked.is("Pod") && (asked.call == Call::Evict || asked.call == Call::Remove)) {
    pod_sent_away(asked.key.name, pods_before);
    check_eviction(asked.key.name, pods_before);
  }
  const std::string& name = asked.key.name;
  if (asked.is("Node") && name.starts_with(kHandMade) && fakes::is_write(asked.call))
    deps_.broke(fmt::format("Node {}, which was made by hand, was written to: {}", name, asked.describe()));
  if (creates_machine(asked) && before.machine(name) == nullptr) machine_made(name);
  if (asked.is("DriverMachine") && asked.apply) infrastructure_made(name, text_at(answer, "/metadata/uid"));
  if (asked.is(api::kind::kMachine) && asked.subresource == "status") machine_changed(before, name);
  if (asked.call == Call::Remove) {
    if (asked.is(api::kind::kMachine)) machine_removed(before, name);
    if (!asked.is(api::kind::kMachine)) object_removed(asked, before);
    if (asked.is("Node")) node_removed(node);
  }
  check_vms();
  check_marks();
}

void Auditor::machine_made(const std::string& name) {
  const MachineFacts* machine = facts_.machine(name);
  const auto sent = sent_.find({Call::Create, name});
  if (machine == nullptr || sent == sent_.end() || machine->set.empty()) return;
  const SetFacts* set = facts_.set(machine->set);
  if (set == nullptr)
    return deps_.broke(fmt::format("Machine {} was made for a MachineSet that is gone", name));
  const auto in_force = in_force_since(set_wants_.at(set->uid), sent->second.version);
  check(too_many_machines("MachineSet " + set->name, in_force, facts_.owned(set->uid)));
  const DeploymentFacts* deployment = facts_.deployment(set->deployment);
  // Decided by the size that a MachineSet had when it was adopted, it is not bound by what its
  // MachineDeployment wants.
  if (deployment != nullptr && sent->second.version >= led_since_.at(set->uid).second) {
    const SteadyTime decided = std::min(sent->second.at, grown_.at(deployment->uid).at);
    const auto wished = in_force_since(deployment_wants_.at(deployment->uid), looked_since(decided));
    check(too_many_machines("MachineDeployment " + deployment->name, wished,
                            facts_.owned_below(deployment->uid)));
  }
}

void Auditor::infrastructure_made(const std::string& name, const std::string& uid) {
  const auto [known, first] = infrastructure_.try_emplace(name, uid);
  if (std::exchange(known->second, uid) != uid && !first) check(made_again(name, facts_));
}

void Auditor::machine_removed(const FleetFacts& before, const std::string& name) {
  const MachineFacts* machine = before.machine(name);
  const auto sent = sent_.find({Call::Remove, name});
  if (machine == nullptr || machine->going || sent == sent_.end() || !machine->pool.empty()) return;
  if (named_.contains(name)) return excuse(LegalCase::Marked);
  const SetFacts* set = before.set(machine->set);
  MachineRemoval removal{.machine = machine, .cluster_going = facts_.cluster_going};
  if (set != nullptr) {
    removal.in_force = in_force_since(set_wants_.at(set->uid), sent->second.version);
    removal.staying = before.staying(set->uid);
    removal.taken = taken_since(sent->second.at - deps_.memory);
    removal.orphaned = orphaning_.contains(set->uid) && !made_for_orphaning_.contains(machine->uid);
  }
  check(removed_against_its_owner(removal));
  check_preserved(before, removal);
  // One that its owner does not want any more is no remediation, whatever a health check says of it.
  if (machine->to_remediate && machine->being_remediated) {
    excuse(LegalCase::Remediated);
    return remediation_begun(before, *machine);  // it may still be said to be available: news take a while
  }
  if (machine->failed) {
    excuse(LegalCase::Remediated);
    return replacement_begun(before, *machine);
  }
  if (set == nullptr || set->going || !machine->available || facts_.cluster_going) return;
  const DeploymentFacts* deployment = facts_.deployment(set->deployment);
  if (deployment == nullptr || deployment->going) return;
  if (machine->marked) return excuse(LegalCase::Marked);
  const SteadyTime since = deps_.baton.steady_now() - deps_.memory;
  const auto wanted =
      in_force_since(deployment_wants_.at(deployment->uid), looked_since(deps_.baton.steady_now()));
  const int available = facts_.available_below(deployment->uid);
  const std::string owner = "MachineDeployment " + deployment->name;
  const int lost =
      losses_since(since) + facts_.preserved_below(deployment->uid, Time::from(deps_.baton.now()));
  if (!below_the_promise(owner, wanted, available, lost)) return;
  const SteadyTime decided = set_wants_.at(set->uid).back().since - kNewsArrive;
  const int gained = gains_since(decided, set->uid);
  if (gained > 0) excuse(LegalCase::JustAvailable);
  if (const auto own = available_since_.find(name); own != available_since_.end() && own->second >= decided)
    return;  // it counted for nothing then
  check(below_the_promise(owner, wanted, available, lost + gained));
}

void Auditor::remediation_begun(const FleetFacts& before, const MachineFacts& machine) {
  const SetFacts* set = before.set(machine.set);
  const DeploymentFacts* deployment = set == nullptr ? nullptr : before.deployment(set->deployment);
  if (deployment == nullptr || set->going || deployment->going || before.cluster_going) return;
  remediating_.insert(machine.name);
  const auto in_flight = std::ranges::count_if(facts_.machines, [&](const MachineFacts& each) {
    return each.set == machine.set && remediating_.contains(each.name);
  });
  check_always(too_many_remediations(set->name, static_cast<int>(in_flight), deployment->most_remediations));
  check_both_sources(*deployment);
}

// One whose creation took too long needs no place, and is never preserved.
void Auditor::replacement_begun(const FleetFacts& before, const MachineFacts& machine) {
  const SetFacts* set = before.set(machine.set);
  const DeploymentFacts* deployment = set == nullptr ? nullptr : before.deployment(set->deployment);
  const bool wanted = deployment != nullptr && !set->going && !deployment->going && !before.cluster_going &&
                      before.staying(set->uid) <= set->replicas;
  if (!wanted || !machine.granted) return;
  check(replaced_although_preserved(machine.name, machine.preserved_until, Time::from(deps_.baton.now())));
  replacing_.insert(machine.name);
  check_always(
      too_many_replacements(deployment->name, in_flight_below(*deployment, replacing_), kReplacements));
  check_both_sources(*deployment);
}

int Auditor::in_flight_below(const DeploymentFacts& deployment, const std::set<std::string>& replaced) const {
  return static_cast<int>(std::ranges::count_if(facts_.machines, [&](const MachineFacts& each) {
    const SetFacts* own = facts_.set(each.set);
    return own != nullptr && own->deployment == deployment.uid && replaced.contains(each.name);
  }));
}

void Auditor::note_preserved() {
  const SteadyTime now = deps_.baton.steady_now();
  for (const MachineFacts& machine : facts_.machines) {
    const bool is_preserved =
        machine.preserved_until && *machine.preserved_until > Time::from(deps_.baton.now());
    if (!is_preserved) preserved_since_.erase(machine.name);
    if (is_preserved) preserved_since_.try_emplace(machine.name, now);
  }
  for (const DeploymentFacts& deployment : facts_.deployments) {
    auto& [version, since] = template_since_[deployment.uid];
    if (version != deployment.template_version || since == SteadyTime())
      std::tie(version, since) = std::pair(deployment.template_version, now);
  }
}

bool Auditor::has_long_been_its_template(const SetFacts& set, const DeploymentFacts& deployment) const {
  const auto known = template_since_.find(deployment.uid);
  return known != template_since_.end() && known->second.first == set.template_version &&
         deps_.baton.steady_now() - known->second.second >= kLongKnown;
}

// A rollout keeps none, and one that is named or marked goes all the same. What has just become preserved
// may not be known to be.
void Auditor::check_preserved(const FleetFacts& before, const MachineRemoval& removal) const {
  const MachineFacts& machine = *removal.machine;
  const auto known = preserved_since_.find(machine.name);
  const SetFacts* set = before.set(machine.set);
  const DeploymentFacts* deployment = set == nullptr ? nullptr : before.deployment(set->deployment);
  if (known == preserved_since_.end() || deployment == nullptr || !machine.preserved_until) return;
  const bool owner_goes = set->going || deployment->going || removal.cluster_going ||
                          std::ranges::any_of(removal.in_force, &Want::going);
  if (owner_goes || machine.marked || machine.given || !machine.readable || removal.in_force.empty()) return;
  if (deps_.baton.steady_now() - known->second < kLongKnown) return;
  if (!has_long_been_its_template(*set, *deployment)) return;
  const auto preserved = std::ranges::count_if(before.machines, [&](const MachineFacts& each) {
    return each.set == set->uid && !each.going && preserved_since_.contains(each.name);
  });
  check(removed_although_preserved(
      {.machine = machine.name,
       .until = *machine.preserved_until,
       .set_wants_least = std::ranges::min(removal.in_force, {}, &Want::desired).desired,
       .preserved = static_cast<int>(preserved)}));
}

// What a health check has found takes a place of the policy's, too.
void Auditor::check_both_sources(const DeploymentFacts& deployment) const {
  if (!one_at_a_time_) return;
  std::set<std::string> replaced = remediating_;
  replaced.insert(replacing_.begin(), replacing_.end());
  check(too_many_from_both(deployment.name, in_flight_below(deployment, replaced), kReplacements));
}

void Auditor::machine_changed(const FleetFacts& before, const std::string& name) const {
  const MachineFacts* was = before.machine(name);
  const MachineFacts* is = facts_.machine(name);
  if (was == nullptr || is == nullptr || was->to_remediate || !is->to_remediate) return;
  if (lost_since_) check(remediated_out_of_reach(name, deps_.baton.steady_now() - *lost_since_));
  if (!silent_.contains(name)) return;
  Silence silence;
  for (const MachineFacts& each : facts_.machines) {
    if (each.going || each.set.empty() || !each.readable) continue;
    ++silence.targets;
    silence.struck += silent_.contains(each.name) ? 1 : 0;
  }
  check(remediated_for_a_shared_cause(name, silence));
}

// Its pool's Machine has not said yet that it is its own: then the provider decides on it.
bool Auditor::is_claimed_by_its_group_alone(const std::string& name) const {
  const auto object = deps_.api.stored("infrastructure.cluster.x-k8s.io", "drivermachines", kNamespace, name);
  if (object == nullptr) return deps_.baton.who().name.starts_with("drivermachinepool");
  const auto* owners = object->at("metadata").as_object().if_contains("ownerReferences");
  return owners != nullptr && std::ranges::all_of(owners->as_array(), [](const json::value& owner) {
           return text_at(owner, "/kind") == "DriverMachinePool";
         });
}

void Auditor::object_removed(const Asked& asked, const FleetFacts& before) {
  const std::string& name = asked.key.name;
  if (asked.is("DriverMachine")) check_drained(name);
  const bool not_a_machines = asked.is("DriverMachine") && is_claimed_by_its_group_alone(name);
  if ((asked.is("DriverMachine") && !not_a_machines) || asked.is("CloudConfig"))
    check(object_of_a_living_machine(asked.resource->kind, name, facts_));
  if (asked.is("DriverMachinePool") && name == kPool) check_group_drained();
  if (const SetFacts* set = asked.is(api::kind::kMachineSet) ? before.set_named(name) : nullptr) {
    const auto owner = deployment_wants_.find(set->deployment);
    const bool went = owner != deployment_wants_.end() && owner->second.back().going;
    const int owned = before.owned(set->uid);
    // An apply that arrives after its owner's children were let go makes one that is still its own.
    const bool is_to_stay =
        orphaning_.contains(set->deployment) && owned > 0 && !made_for_orphaning_.contains(set->uid);
    check(set_removed_against_its_owner(
        {.set = set, .owned = owned, .owner_went = (went && !is_to_stay) || facts_.cluster_going}));
  }
  check_object_of_pool(asked);
  const bool of_cluster = asked.is(api::kind::kMachineDeployment) || asked.is("DriverCluster");
  if (of_cluster && !is_copy(name) && !facts_.cluster_going)
    deps_.broke(fmt::format("{} {} was deleted, and its Cluster was not", asked.resource->kind, name));
}

// --- fights ---

void Auditor::note_write(const Asked& asked, const json::value& answer) {
  const bool writes = asked.call == Call::Create || asked.call == Call::Replace || asked.call == Call::Patch;
  if (!writes || asked.is("Event") || !answer.is_object()) return;
  const std::string object = fmt::format("{} {}", asked.resource->kind, asked.key.name);
  check(written_too_often(object, writes_.note(object, answer, deps_.baton.steady_now())));
}

// --- Pods ---

void Auditor::pod_sent_away(const std::string& name, const std::vector<PodFacts>& before) const {
  const auto healthy = [&](const PodFacts& pod) { return pod.name == name && pod.healthy(); };
  if (std::ranges::none_of(before, healthy) || std::ranges::any_of(pods_, healthy)) return;
  if (is_forced_node(std::ranges::find(before, name, &PodFacts::name)->node)) return;
  const auto left = std::ranges::count_if(pods_, &PodFacts::healthy);
  check(budget_breached(name, static_cast<int>(left), deps_.pods_needed()));
}

bool Auditor::is_forced_node(const std::string& node) const {
  return std::ranges::any_of(facts_.machines, [&](const MachineFacts& machine) {
    return machine.going && machine.node == node && forced_.contains(machine.name);
  });
}

std::string Auditor::node_of_pod(const std::string& pod) const {
  const auto found = std::ranges::find(pods_, pod, &PodFacts::name);
  return found == pods_.end() ? std::string() : found->node;
}

// A drain of one that is not being deleted: its Node has another claimant, whose Pods are not to be evicted
// with it.
void Auditor::check_eviction(const std::string& name, const std::vector<PodFacts>& before) const {
  const auto pod = std::ranges::find(before, name, &PodFacts::name);
  if (pod != before.end()) check(evicted_from_a_living_machine(name, pod->node, facts_));
}

void Auditor::check_object_of_pool(const Asked& asked) const {
  const std::string& kind = asked.resource->kind;
  const bool of_pool = kind != api::kind::kMachinePool && kind.ends_with(api::kind::kMachinePool);
  if (!of_pool && !asked.is("CloudConfig")) return;
  const auto pool = std::ranges::find(facts_.pools, asked.key.name, &PoolFacts::name);
  if (pool == facts_.pools.end() || pool->going || facts_.cluster_going) return;
  deps_.broke(fmt::format("{} {} of the living MachinePool was deleted", kind, pool->name));
}

// A manager that saw an owner on the object saw it before the news of its removal arrived.
void Auditor::check_disowned(const Asked& asked) const {
  const auto known = disowned_.find(asked.key.name);
  if (known == disowned_.end() || deps_.baton.steady_now() - known->second < kNewsArrive) return;
  const auto object =
      deps_.api.stored(asked.resource->group, asked.resource->plural, kNamespace, asked.key.name);
  if (object == nullptr || asked.is(api::kind::kMachinePool)) return;
  const auto* owners = object->at("metadata").as_object().if_contains("ownerReferences");
  if (owners == nullptr || owners->as_array().empty())
    deps_.broke(fmt::format("{} {} is deleted, which nobody owns and no cache shows", asked.resource->kind,
                            asked.key.name));
}

// The controller that decided so may have known the Node of a Machine that has had one for a while.
void Auditor::check_drained(const std::string& infrastructure) {
  if (facts_.cluster_going || !told_to_go_.insert(infrastructure).second) return;
  for (const MachineFacts& machine : facts_.machines) {
    const auto since = has_node_since_.find(machine.name);
    const bool known =
        since != has_node_since_.end() && deps_.baton.steady_now() - since->second > kNewsArrive;
    if (machine.infrastructure != infrastructure || machine.set.empty() || !known || machine.copy()) continue;
    if (forced_.contains(machine.name)) continue;
    const auto left = std::ranges::count_if(
        pods_, [&](const PodFacts& pod) { return pod.healthy() && pod.node == machine.node; });
    check(not_drained(machine.name, static_cast<int>(left)));
  }
}

// --- Nodes ---

// A user has pointed its Machine at another one's infrastructure object, and that is all that a Machine knows
// of its VM: its own goes with its owner, after the Node.
bool Auditor::is_of_a_misplaced(const NodeFacts& node) const {
  const auto machine = std::ranges::find(facts_.machines, node.name, &MachineFacts::node);
  if (machine == facts_.machines.end() || !machine->going) return false;
  const auto stored = deps_.api.stored("cluster.x-k8s.io", "machines", kNamespace, machine->name);
  return stored != nullptr && text_at(*stored, "/spec/infrastructureRef/name") != machine->infrastructure;
}

// A name is taken again, and a removal that is late hits the next Node of that name.
void Auditor::node_removed(const NodeFacts& node) const {
  check(node_of_a_living_machine(node.name, facts_));
  const auto known = provider_ids_.find(node.uid);
  if (known == provider_ids_.end() || known->second.empty()) return;
  const std::string& id = known->second;
  if (const auto seen = vm_seen_.find(id); seen != vm_seen_.end()) check_drained_by_pool(node, seen->second);
  const auto vms = deps_.cloud.vms();
  const bool runs = std::ranges::find(vms, id, &infrastructure::Vm::provider_id) != vms.end();
  const auto pool = std::ranges::find(facts_.pools, kPool, &PoolFacts::name);
  const bool going = facts_.cluster_going || pool == facts_.pools.end() || pool->going;
  if (!is_of_a_misplaced(node))
    check(node_of_a_running_vm(node.name, runs, going && node.name.starts_with(kPool)));
}

// `since`: not later than its drain began.
void Auditor::check_drained_by_pool(const NodeFacts& node, SteadyTime since) const {
  if (!pool_drain_ || facts_.cluster_going) return;
  // One that came when all had been emptied goes with them.
  const auto noted = noted_since_.find(node.uid);
  if (noted == noted_since_.end()) return;
  if (group_told_to_go_ && noted->second > *group_told_to_go_ - 2 * kNewsArrive) return;
  if (pool_going_since_) since = std::min(since, *pool_going_since_);
  const Nanoseconds waited = deps_.baton.steady_now() - since;
  const bool gave_up = *pool_drain_ > Seconds(0) && waited >= *pool_drain_ - Seconds(1);
  const auto left = std::ranges::count_if(
      pods_, [&](const PodFacts& pod) { return pod.healthy() && pod.node == node.name; });
  check(not_drained_by_its_pool(node.name, static_cast<int>(left), gave_up));
}

// All instances end with it, so all Nodes are empty.
void Auditor::check_group_drained() {
  const SteadyTime now = deps_.baton.steady_now();
  if (group_told_to_go_ || !pool_going_since_) return;
  group_told_to_go_ = now;
  for (const PoolFacts& pool : facts_.pools) {
    if (pool.name != kPool) continue;
    for (const NodeFacts& node : pool.nodes) check_drained_by_pool(node, now);
  }
}

// --- VMs ---

void Auditor::check_vms() {
  std::vector<VmFacts> vms;
  std::set<std::string> names;
  for (const auto& vm : deps_.cloud.vms()) {
    const auto key = vm.tags.find(api::driver::tag::kInstanceKey);
    vms.push_back({.name = vm.name, .instance_key = key == vm.tags.end() ? std::string() : key->second});
    names.insert(vm.name);
    note_replaced_instance(vm);
  }
  check(two_vms(vms));
  check_pool_size();
  for (const std::string& gone : vms_) {
    if (names.contains(gone) || vanished_.contains(gone)) continue;
    const auto object =
        deps_.api.stored("infrastructure.cluster.x-k8s.io", "drivermachines", kNamespace, gone);
    if (object != nullptr && !object->at("metadata").as_object().contains("deletionTimestamp"))
      deps_.broke(fmt::format("the VM of DriverMachine {} was removed, which nobody deletes", gone));
    check_always(vm_of_a_living_machine(gone, facts_));
  }
  vms_ = std::move(names);
  check_edited();
}

// Under another kind its infrastructure object is there, and so is the VM.
void Auditor::check_edited() {
  for (const std::string& name : edited_) {
    if (facts_.machine(name) == nullptr && vms_.contains(name))
      deps_.broke(fmt::format("Machine {} went before its VM", name));
  }
  std::erase_if(edited_, [this](const std::string& name) { return facts_.machine(name) == nullptr; });
}

void Auditor::check_pool_size() const {
  // A pool that is paused may stay larger than it should be for hours: only one that grows breaks a promise.
  const auto is_new = [&](const auto& vm) { return vm.name.starts_with(kPool) && !vms_.contains(vm.name); };
  if (std::ranges::none_of(deps_.cloud.vms(), is_new)) return;
  for (const PoolFacts& pool : facts_.pools) {
    if (is_copy(pool.name)) continue;
    // As a cloud's own groups do, the provider replaces who leaves at once: a drain may take its hour.
    const auto stays = [&](const auto& vm) {
      const MachineFacts* machine = facts_.machine(vm.name);
      return vm.name.starts_with(kPool) && (machine == nullptr || !machine->going);
    };
    const auto many = std::ranges::count_if(deps_.cloud.vms(), stays);
    check(too_many_machines("MachinePool " + pool.name,
                            in_force_since(pool_wants_.at(pool.uid), deps_.baton.steady_now() - deps_.memory),
                            static_cast<int>(many)));
  }
}

// --- lists that several write to ---

void Auditor::check_marks() {
  for (const auto& [where, name] : marks_) {
    const auto slash = where.find('/');
    const auto object = deps_.api.stored(where.substr(0, slash), where.substr(slash + 1), kNamespace, name);
    const json::value metadata = object == nullptr ? json::value(json::object()) : object->at("metadata");
    const json::value* list = metadata.as_object().if_contains("finalizers");
    const bool stays = list != nullptr && std::ranges::count(list->as_array(), json::value(kStranger)) == 1;
    if (!stays) deps_.broke(fmt::format("{} {} lost the finalizer of a stranger", where, name));
  }
}

}  // namespace capstan::simulation
