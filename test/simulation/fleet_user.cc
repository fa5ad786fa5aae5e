#include "test/simulation/fleet_user.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "api/bootstrap/cloud_config.h"
#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/driver/driver_machine_pool.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "api/policy/fleet_policy.h"
#include "api/policy/names.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/simulation/invariants.h"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;

const Deadline kNever = Deadline::never();
constexpr std::array kVersions = {"v1.33.0", "v1.34.0", "v1.35.0"};
constexpr Nanoseconds kPatience = 10min;
constexpr Nanoseconds kProvidersKnow = 130s;  // of a freeze, and have done what they had begun

template <typename T>
kube::Resource resource() {
  return kube::resource_of<T>();
}

// Of `capstan.dev/confirm-deletion: "<hash>"` in a message; empty: it asks for none.
std::string hash_asked_for(std::string_view message) {
  const std::string before = fmt::format("{}: \"", api::policy::annotation::kConfirmDeletion);
  const auto at = message.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = message.substr(at + before.size());
  return std::string(rest.substr(0, rest.find('"')));
}

json::object metadata_of(const json::value& object) { return object.at("metadata").as_object(); }

}  // namespace

// --- what she wants ---

void FleetUser::create_fleet() {
  wishes_.version = kVersions[deps_.baton.draw(kVersions.size())];
  wishes_.replicas = 1 + static_cast<int>(deps_.baton.draw(3));
  change_strategy();
  wishes_.one_remediation_at_a_time = deps_.baton.draw(2) == 0;
  health_check_ = deps_.baton.draw(2) == 0;
  policy_ = health_check_ && deps_.baton.draw(2) == 0;
  life_cycle_ = deps_.baton.draw(2) == 0;
  if (policy_) wishes_.replicas += 2;  // three are a crowd
  note("create", fmt::format("creates a cluster with {} workers{}{}", wishes_.replicas,
                             health_check_ ? ", a health check" : "",
                             policy_ ? " and a policy for shared causes" : ""));
  if (life_cycle_) {
    note("govern", "has a policy govern the lives of its Machines");
    deps_.auditor.one_replacement_at_a_time();
  }
  switch (deps_.baton.draw(4)) {
    case 0: wishes_.pool = draw_pool(); break;
    case 1:
      wishes_.pool = Pool{.replicas = 1 + static_cast<int>(deps_.baton.draw(3)), .with_machines = true};
      break;
    default: break;
  }
  for (const Document& each : cluster_documents(kVersions.back())) put(each);
  const bool drains = wishes_.pool && wishes_.pool->drains;
  if (wishes_.pool) {
    note(drains                        ? "create draining pool"
         : wishes_.pool->with_machines ? "create pool of Machines"
                                       : "create pool",
         fmt::format("creates a pool of {}{}", wishes_.pool->replicas,
                     drains                        ? ", and a policy that has it drained"
                     : wishes_.pool->with_machines ? " Machines"
                                                   : ""));
    for (const Document& each : pool_documents(wishes_.version, *wishes_.pool)) put(each);
  }
  if (drains) deps_.auditor.pool_drains(wishes_.pool->drain_timeout);
  if (policy_ || drains || life_cycle_ || deps_.brakes) {
    put(policy_document({.shared_cause = policy_,
                         .drains_pools = drains,
                         .life_cycle = life_cycle_,
                         .brakes = deps_.brakes}));
  }
  if (deps_.brakes) {
    note("brakes", "has brakes, and a FleetPolicy");
    put(fleet_policy_document());
  }
  make_deployment();
  if (health_check_) put(health_check_document());
}

// Of those without Machines every other one drains, and of these every other one for two minutes at most.
Pool FleetUser::draw_pool() {
  const auto drawn = static_cast<int>(deps_.baton.draw(12));
  return {.replicas = 1 + drawn % 3,
          .drains = drawn >= 6,
          .drain_timeout = drawn >= 9 ? Seconds(120) : Seconds(0)};
}

void FleetUser::live_with_it(std::uint64_t acts, bool mishaps) {
  static constexpr std::array<Act, 17> kActs = {&FleetUser::scale,
                                                &FleetUser::scale_pool,
                                                &FleetUser::drop_pool,
                                                &FleetUser::scale,
                                                &FleetUser::roll,
                                                &FleetUser::roll,
                                                &FleetUser::roll,
                                                &FleetUser::change_strategy,
                                                &FleetUser::pause_rollout,
                                                &FleetUser::pause_cluster,
                                                &FleetUser::delete_machine,
                                                &FleetUser::replace_deployment,
                                                &FleetUser::replace_deployment_by_force,
                                                &FleetUser::autoscale,
                                                &FleetUser::autoscale,
                                                &FleetUser::autoscale,
                                                &FleetUser::scale};
  static constexpr std::array<Act, 8> kMishaps = {
      &FleetUser::lose_vm,         &FleetUser::lose_workload_cluster, &FleetUser::silence_nodes,
      &FleetUser::empty_pool_list, &FleetUser::kill_manager,          &FleetUser::kill_provider,
      &FleetUser::fill_cloud,      &FleetUser::let_nodes_come_first};
  static constexpr std::array<Act, 5> kMishapsOfPools = {
      &FleetUser::empty_pool_list, &FleetUser::stutter_pool_list, &FleetUser::let_nodes_come_first,
      &FleetUser::let_the_list_come_first, &FleetUser::replace_instance};
  static constexpr std::array<Act, 6> kActsOfLife = {
      &FleetUser::ask_for_replacement,     &FleetUser::preserve_machine, &FleetUser::name_victim,
      &FleetUser::delete_machine_by_force, &FleetUser::roll_back,        &FleetUser::roll_back};
  static constexpr std::array<Act, 8> kActsOfBrakes = {
      &FleetUser::freeze_or_thaw, &FleetUser::freeze_or_thaw, &FleetUser::confirm_deletions,
      &FleetUser::leave_vm,       &FleetUser::mislabel,       &FleetUser::freeze_a_drain,
      &FleetUser::roll,           &FleetUser::scale};
  static constexpr std::array<Act, 3> kMishapsOfBrakes = {
      &FleetUser::lead_twice, &FleetUser::want_while_api_is_away, &FleetUser::want_while_api_is_away};
  for (std::uint64_t i = 0; i < acts; ++i) {
    rest_up_to(90s);
    const bool mishap = mishaps && deps_.baton.draw(3) == 0;
    Act act = mishap ? kMishaps[deps_.baton.draw(kMishaps.size())] : kActs[deps_.baton.draw(kActs.size())];
    if (deps_.clumsy.can(ClumsyAct::OrphanSets) && deps_.baton.draw(6) == 0)
      act = &FleetUser::replace_deployment;
    // A MachineSet is held until the next roll has it deleted.
    if (!mishap && deps_.clumsy.can(ClumsyAct::HoldFinalizer) && deps_.baton.draw(4) == 0)
      act = &FleetUser::roll;
    if (!mishap && life_cycle_ && deps_.baton.draw(3) == 0)
      act = kActsOfLife[deps_.baton.draw(kActsOfLife.size())];
    if (mishap && policy_ && deps_.baton.draw(2) == 0) act = &FleetUser::silence_nodes;
    if (mishap && wishes_.pool && deps_.baton.draw(2) == 0)
      act = kMishapsOfPools[deps_.baton.draw(kMishapsOfPools.size())];
    if (!mishap && deps_.brakes && deps_.baton.draw(2) == 0)
      act = kActsOfBrakes[deps_.baton.draw(kActsOfBrakes.size())];
    if (mishap && deps_.brakes && deps_.baton.draw(2) == 0)
      act = kMishapsOfBrakes[deps_.baton.draw(kMishapsOfBrakes.size())];
    const bool drains = wishes_.pool && wishes_.pool->drains;
    if (!mishap && drains && deps_.baton.draw(2) == 0)
      act = deps_.baton.draw(3) == 0 ? &FleetUser::drop_pool : &FleetUser::scale_pool;
    (this->*act)();
    deps_.auditor.look();
  }
}

void FleetUser::make_peace() {
  if (paused_) pause_rollout();
  if (cluster_paused_) pause_cluster();
  if (frozen_) thaw();
  correct_labels();
  deps_.workload.lose(false);
  deps_.close_budget({});
  // With a policy, losing most of them looks like a broken path, for ever.
  if (!health_check_ || policy_) repair();
  sweep_nodes();
}

void FleetUser::delete_fleet() {
  // Whatever is held, what she deletes goes.
  if (deps_.brakes) freeze();
  if (deps_.baton.draw(2) == 0) {
    note("delete", "deletes the MachineDeployment");
    (void)deps_.client.remove(resource<api::MachineDeployment>(), named(kDeployment), {}, kNever);
    rest_up_to(60s);
  }
  note("delete", "deletes the Cluster");
  const auto removed = deps_.client.remove(resource<api::Cluster>(), named(kCluster), {}, kNever);
  if (!removed) deps_.broke("delete the Cluster: " + removed.error().describe());
  deps_.auditor.look();
}

// --- acts ---

void FleetUser::scale() {
  const int before = std::exchange(wishes_.replicas, static_cast<int>(deps_.baton.draw(5)));
  note("scale", fmt::format("scales from {} to {}", before, wishes_.replicas));
  patch_deployment({{"spec", {{"replicas", wishes_.replicas}}}}, "scale");
}

void FleetUser::roll() {
  wishes_.version = kVersions[deps_.baton.draw(kVersions.size())];
  note("roll", fmt::format("rolls to {}", wishes_.version));
  patch_deployment({{"spec", {{"template", {{"spec", {{"version", wishes_.version}}}}}}}}, "roll");
}

void FleetUser::change_strategy() {
  static constexpr std::array<Rollout, 4> kRollouts = {Rollout{1, 0}, Rollout{0, 1}, Rollout{1, 1},
                                                       Rollout{2, 0}};
  wishes_.rollout = kRollouts[deps_.baton.draw(kRollouts.size())];
  note("strategy",
       fmt::format("wants surge {}, unavailable {}", wishes_.rollout.surge, wishes_.rollout.unavailable));
  if (acts_["create"] == 0) return;
  const json::value numbers = {{"maxSurge", wishes_.rollout.surge},
                               {"maxUnavailable", wishes_.rollout.unavailable}};
  patch_deployment({{"spec", {{"rollout", {{"strategy", {{"rollingUpdate", numbers}}}}}}}}, "strategy");
}

void FleetUser::pause_rollout() {
  paused_ = !paused_;
  note("pause", paused_ ? "pauses the rollout" : "lets the rollout go on");
  patch_deployment({{"spec", {{"paused", paused_}}}}, "pause");
}

void FleetUser::pause_cluster() {
  cluster_paused_ = !cluster_paused_;
  note("pause cluster", cluster_paused_ ? "pauses the Cluster" : "lets the Cluster go on");
  patch_cluster({{"spec", {{"paused", cluster_paused_}}}}, "pause the Cluster");
}

void FleetUser::delete_machine() {
  std::vector<std::string> names;
  for (const auto& machine : deps_.auditor.facts().machines) {
    if (!machine.going && machine.name != kControlPlane) names.push_back(machine.name);
  }
  if (names.empty()) return;
  const std::string& name = names[deps_.baton.draw(names.size())];
  note("delete machine", "deletes Machine " + name);
  deps_.auditor.machine_taken();
  (void)deps_.client.remove(resource<api::Machine>(), named(name), {}, kNever);
}

// --- what she asks of a life cycle ---

std::string FleetUser::draw_worker() const {
  std::vector<std::string> names;
  for (const auto& machine : deps_.auditor.facts().machines)
    if (!machine.going && !machine.set.empty() && !machine.copy()) names.push_back(machine.name);
  return names.empty() ? std::string() : names[deps_.baton.draw(names.size())];
}

void FleetUser::annotate_machine(const std::string& name, std::string_view key, std::string_view value) {
  const json::value mark = {{"metadata", {{"annotations", {{key, value}}}}}};
  (void)deps_.client.patch(resource<api::Machine>(), named(name), mark, {}, kNever);
  deps_.auditor.look();
}

void FleetUser::ask_for_replacement() {
  const std::string name = draw_worker();
  if (name.empty()) return;
  note("ask for replacement", "wants Machine " + name + " replaced");
  annotate_machine(name, api::policy::annotation::kReplace, "true");
}

void FleetUser::preserve_machine() {
  static constexpr std::array kWishes = {"now", "when-failed", "false"};
  const std::string name = draw_worker();
  if (name.empty()) return;
  const std::string_view wish = kWishes[deps_.baton.draw(kWishes.size())];
  note("preserve", fmt::format("wants Machine {} preserved: {}", name, wish));
  annotate_machine(name, api::policy::annotation::kPreserve, wish);
}

void FleetUser::name_victim() {
  const std::string name = draw_worker();
  if (name.empty() || wishes_.replicas == 0) return;
  --wishes_.replicas;
  note("name victim", fmt::format("scales to {}, without Machine {}", wishes_.replicas, name));
  deps_.auditor.machine_named(name);
  patch_deployment({{"metadata", {{"annotations", {{api::policy::annotation::kVictims, name}}}}},
                    {"spec", {{"replicas", wishes_.replicas}}}},
                   "name a victim");
}

void FleetUser::delete_machine_by_force() {
  const std::string name = draw_worker();
  if (name.empty()) return;
  note("delete by force", fmt::format("deletes Machine {} by force", name));
  deps_.auditor.machine_taken();
  deps_.auditor.machine_forced(name);
  annotate_machine(name, api::policy::annotation::kForceDeletion, "true");
  (void)deps_.client.remove(resource<api::Machine>(), named(name), {}, kNever);
}

// To the newest template but the one in use. While nothing may move, no rollback begins.
void FleetUser::roll_back() {
  if (paused_ || cluster_paused_ || frozen_) return roll();
  const auto target = draw_revision();
  if (!target) return roll();
  note("roll back", fmt::format("rolls back to revision {}, which has {}", target->number, target->version));
  patch_deployment(
      {{"metadata", {{"annotations", {{api::policy::annotation::kRollbackTo, target->number}}}}}},
      "roll back");
  await_rollback(*target);
}

std::optional<FleetUser::Revision> FleetUser::draw_revision() const {
  const auto sets = kube::list<api::MachineSet>(deps_.client, resource<api::MachineSet>(), {}, kNever);
  if (!sets) return {};
  std::map<std::int64_t, Revision> found;  // by number
  for (const api::MachineSet& set : sets->items) {
    const auto* owner = set.metadata.controller();
    const std::string number(set.metadata.annotations.value_or_empty(api::annotation::kRevision));
    if (owner == nullptr || owner->name != kDeployment || set.metadata.deleting() || number.empty()) continue;
    found[std::stoll(number)] = {.number = number, .version = set.spec.machine_template.spec.version.str()};
  }
  if (found.size() < 2) return {};
  return std::next(found.rbegin())->second;
}

// A set that was to be used again has another number by then: it is refused, and the template stays.
void FleetUser::await_rollback(const Revision& target) {
  const std::string before = wishes_.version;
  const Deadline limit = Deadline::in(deps_.baton, kPatience);
  auto there = kube::get<api::MachineDeployment>(deps_.client, named(kDeployment), kNever);
  while (there && there->metadata.annotations.contains(api::policy::annotation::kRollbackTo) &&
         !limit.passed(deps_.baton.steady_now())) {
    rest(5s);
    there = kube::get<api::MachineDeployment>(deps_.client, named(kDeployment), kNever);
  }
  if (!there) return;
  wishes_.version = there->spec.machine_template.spec.version.str();
  if (there->metadata.annotations.contains(api::policy::annotation::kRollbackTo))
    patch_deployment({{"metadata", {{"annotations", {{api::policy::annotation::kRollbackTo, nullptr}}}}}},
                     "give the rollback up");
  else if (auto broken = rolled_back_otherwise(target.number, before, target.version, wishes_.version))
    deps_.broke(std::move(*broken));
}

// --- brakes ---

void FleetUser::freeze_or_thaw() {
  if (frozen_) return thaw();
  freeze();
  want_while_frozen();
  rest_up_to(180s);
}

// It has to wait. A pool's provider takes its time until it knows, and so does what it has begun.
void FleetUser::want_while_frozen() {
  const bool is_pool = frozen_->is(api::kind::kMachinePool);
  if (is_pool) rest(kProvidersKnow);
  rest_up_to(90s);
  if (is_pool) return scale_pool();
  deps_.baton.draw(2) == 0 ? scale() : roll();
}

// A rollout's drains wait for a budget until they are frozen, and it lets Pods go while they are.
void FleetUser::freeze_a_drain() {
  if (frozen_) return thaw();
  note("freeze a drain",
       "lets nothing be evicted for two minutes and a half, and freezes what waits for that");
  deps_.close_budget(150s);
  roll();
  rest(60s);
  freeze();
  rest(180s);
}

// Of up to five Machines: their MachineSets let go of them, and make others as far as they may.
void FleetUser::mislabel() {
  if (!mislabelled_.empty()) return correct_labels();
  for (auto wanted = 1 + deps_.baton.draw(5); wanted > 0; --wanted) {
    const std::string name = draw_worker();
    const MachineFacts* machine = deps_.auditor.facts().machine(name);
    if (machine != nullptr) mislabelled_.emplace(name, machine->set);
  }
  for (const auto& [name, set] : mislabelled_) {
    note("mislabel", "writes another label on Machine " + name);
    deps_.auditor.machine_given(name);
    write_label(name, "another");
  }
  rest_up_to(120s);
}

// Or has no use for the Machine any more: its MachineSet may be gone, too.
void FleetUser::correct_labels() {
  for (const auto& [name, owner] : std::exchange(mislabelled_, {})) {
    const SetFacts* set = deps_.auditor.facts().set(owner);
    const bool keeps_it = set != nullptr && !set->going && deps_.baton.draw(2) == 0;
    note("correct label", (keeps_it ? "writes the right label on Machine " : "deletes Machine ") + name);
    if (keeps_it) {
      write_label(name, kDeployment);
      continue;
    }
    deps_.auditor.machine_taken();
    (void)deps_.client.remove(resource<api::Machine>(), named(name), {}, kNever);
  }
}

void FleetUser::write_label(const std::string& machine, std::string_view value) {
  const json::value body = {{"metadata", {{"labels", {{kPoolLabel, value}}}}}};
  (void)deps_.client.patch(resource<api::Machine>(), named(machine), body, {}, kNever);
  deps_.auditor.look();
}

void FleetUser::freeze() {
  const auto all = freezables();
  frozen_ = all[deps_.baton.draw(all.size())];
  const std::string& kind = frozen_->resource.kind;
  note("freeze", fmt::format("freezes {} {}", kind, frozen_->key.name));
  ++acts_["freeze " + kind];
  write_freeze("incident");
}

std::vector<FleetUser::Freezable> FleetUser::freezables() const {
  std::vector<Freezable> all = {
      {resource<api::MachineDeployment>(), named(kDeployment)},
      {resource<api::Cluster>(), named(kCluster)},
      {resource<api::FleetPolicy>(), {.name = std::string(api::policy::kFleetPolicyName)}}};
  const FleetFacts& facts = deps_.auditor.facts();
  for (const SetFacts& set : facts.sets) {
    const bool is_used = !set.going && !set.deployment.empty() && facts.staying(set.uid) > 0;
    if (is_used) all.push_back({resource<api::MachineSet>(), named(set.name)});
  }
  if (wishes_.pool) all.push_back({resource<api::MachinePool>(), named(kPool)});
  return all;
}

void FleetUser::thaw() {
  note("thaw", fmt::format("thaws {} {}", frozen_->resource.kind, frozen_->key.name));
  write_freeze(nullptr);
  frozen_.reset();
}

// A MachineDeployment that is made again is not frozen any more; a set goes with its template, a pool is
// deleted.
void FleetUser::write_freeze(const json::value& why) {
  const bool may_be_gone = frozen_->is(api::kind::kMachineSet) || frozen_->is(api::kind::kMachinePool);
  const json::value body = {{"metadata", {{"annotations", {{api::policy::annotation::kFreeze, why}}}}}};
  const auto patched = deps_.client.patch(frozen_->resource, frozen_->key, body, {}, kNever);
  const bool is_gone = !patched && may_be_gone && patched.error().code == Code::NotFound;
  if (!patched && !is_gone) deps_.broke("freeze: " + patched.error().describe());
  deps_.auditor.look();
}

// The one that is to give up the lead has not noticed yet.
void FleetUser::lead_twice() {
  note("two lead", "two managers lead for a moment");
  deps_.lead_twice(Nanoseconds(1s) * static_cast<std::int64_t>(5 + deps_.baton.draw(25)));
}

// A VM of the Cluster that is no object's, as a backup that was restored leaves some: the collector has to
// find it, and to delete no other one.
void FleetUser::leave_vm() {
  const auto cluster = kube::get<api::DriverCluster>(deps_.client, named(kCluster), kNever);
  if (!cluster || cluster->spec.cluster_key.empty()) return;
  const std::string name = fmt::format("left-{}", ++left_vms_);
  note("leave VM", fmt::format("VM {} is no object's", name));
  deps_.cloud.add_fault({.never_joins = true, .vms = name});
  (void)deps_.cloud.create(
      {.instance_key = name,
       .name = name,
       .tags = {{std::string(api::driver::tag::kClusterKey), cluster->spec.cluster_key.str()}}},
      {}, kNever);
}

void FleetUser::confirm_deletions() {
  const auto facts = deps_.auditor.facts();
  for (const auto& each : facts.deployments) confirm_deletions_of<api::MachineDeployment>(each.name);
  for (const auto& each : facts.sets) confirm_deletions_of<api::MachineSet>(each.name);
}

template <typename T>
void FleetUser::confirm_deletions_of(const std::string& name) {
  const auto object = kube::get<T>(deps_.client, named(name), kNever);
  if (!object) return;
  for (const auto& condition : object->status.conditions) {
    const std::string hash = hash_asked_for(condition.message.view());
    if (hash.empty()) continue;
    note("confirm", fmt::format("confirms {} of {}", hash, name));
    const json::value body = {
        {"metadata", {{"annotations", {{api::policy::annotation::kConfirmDeletion, hash}}}}}};
    (void)deps_.client.patch(resource<T>(), named(name), body, {}, kNever);
    return deps_.auditor.look();
  }
}

void FleetUser::replace_deployment() {
  if (paused_ || cluster_paused_) return;
  note("replace", "deletes the MachineDeployment, to create it again");
  (void)deps_.client.remove(resource<api::MachineDeployment>(), named(kDeployment), draw_cascade(), kNever);
  deps_.auditor.look();
  await_no_deployment();
  make_deployment();
}

// Sometimes what it owns is to stay, for its successor.
kube::DeleteOptions FleetUser::draw_cascade() {
  if (!deps_.clumsy.can(ClumsyAct::OrphanSets) || deps_.baton.draw(2) == 0) return {};
  if (deps_.clumsy.has_rival_selectors() || deps_.clumsy.has_changed_selector()) return {};
  if (deps_.clumsy.has_renamed_clusters()) return {};  // as below: a set without its owner
  note(to_string(ClumsyAct::OrphanSets), "does so with --cascade=orphan");
  for (const auto& each : deps_.auditor.facts().machines)
    if (!each.set.empty()) deps_.auditor.machine_given(each.name);
  return {.propagation = kube::Propagation::Orphan};
}

// What a MachineDeployment leaves behind that way is for the garbage collector, not for its successor.
void FleetUser::replace_deployment_by_force() {
  if (paused_ || cluster_paused_) return;
  // A set without its owner belongs to the Cluster that it names.
  if (deps_.clumsy.has_renamed_clusters()) return;
  note("force", "deletes the MachineDeployment and its finalizers, and creates it again");
  (void)deps_.client.remove(resource<api::MachineDeployment>(), named(kDeployment), {}, kNever);
  deps_.auditor.look();
  patch_deployment({{"metadata", {{"finalizers", nullptr}}}}, {});
  marks_.erase({"cluster.x-k8s.io/machinedeployments", std::string(kDeployment)});
  deps_.auditor.mark_taken_back("cluster.x-k8s.io/machinedeployments", std::string(kDeployment));
  deps_.auditor.look();
  await_no_deployment();
  make_deployment();
}

void FleetUser::make_deployment() {
  if (frozen_ && frozen_->is(api::kind::kMachineDeployment)) frozen_.reset();
  put(deployment_document(wishes_));
}

void FleetUser::await_no_deployment() {
  const SteadyTime until = deps_.baton.steady_now() + kPatience;
  const auto there = [&] {
    return deps_.client.get(resource<api::MachineDeployment>(), named(kDeployment), kNever).has_value();
  };
  while (there()) {
    if (deps_.baton.steady_now() > until) {  // drain waits for a lost cluster for ever, as upstream's does
      deps_.workload.lose(false);
      deps_.clumsy.let_go();
      take_back_mark();
      if (deps_.baton.steady_now() > until + kPatience)
        return deps_.broke("the MachineDeployment does not go");
    }
    rest(2s);
  }
}

void FleetUser::scale_pool() {
  if (!wishes_.pool) return scale();
  perhaps_close_budget();
  const int before = wishes_.pool->replicas;
  const int after = static_cast<int>(deps_.baton.draw(4));
  note("scale pool", fmt::format("scales the pool from {} to {}{}", before, after,
                                 autoscaled_ ? ", which is not hers to scale" : ""));
  if (!autoscaled_) wishes_.pool->replicas = after;
  patch_pool({{"spec", {{"replicas", after}}}}, "scale the pool");
}

// --- an autoscaler beside her ---

void FleetUser::autoscale() {
  if (wishes_.pool && deps_.baton.draw(2) == 0) return autoscale_pool();
  autoscale_deployment();
}

// Names the Machine it can do without, and asks for one less. Of two writers of replicas the last one is
// right.
void FleetUser::autoscale_deployment() {
  const bool she_was_first = deps_.baton.draw(2) == 0;
  if (she_was_first) scale();
  const std::string marked = mark_machine(&MachineFacts::set);
  if (marked.empty()) return;
  wishes_.replicas = std::max(0, wishes_.replicas - 1);
  note("autoscale", fmt::format("an autoscaler scales to {}, without Machine {}", wishes_.replicas, marked));
  patch_deployment({{"spec", {{"replicas", wishes_.replicas}}}}, "autoscale");
  rest_up_to(3s);
  const bool she_comes_after = deps_.baton.draw(2) == 0;
  if (she_comes_after) scale();
  if (she_was_first || she_comes_after) ++acts_["both scale"];
}

void FleetUser::autoscale_pool() {
  const bool she_was_first = deps_.baton.draw(2) == 0;
  if (she_was_first) scale_pool();
  if (const std::string marked = mark_machine(&MachineFacts::pool); !marked.empty())
    note("mark", "an autoscaler can do without Machine " + marked + " of the pool");
  if (autoscaled_ && deps_.baton.draw(2) == 0) return take_pool_back();
  const bool is_new = !std::exchange(autoscaled_, true);
  size_pool(static_cast<int>(deps_.baton.draw(4)));
  if (is_new) {
    note("autoscale pool", "leaves the size of the pool to an autoscaler");
    patch_pool({{"metadata", {{"annotations", {{api::annotation::kReplicasManagedBy, "autoscaler"}}}}}},
               "leave the pool to an autoscaler");
  }
  rest_up_to(3s);
  const bool she_comes_after = deps_.baton.draw(2) == 0;
  if (she_comes_after) scale_pool();
  if (she_was_first || she_comes_after) ++acts_["both scale pool"];
  if (deps_.baton.draw(3) == 0) take_pool_back();
}

void FleetUser::take_pool_back() {
  autoscaled_ = false;
  wishes_.pool->replicas = static_cast<int>(deps_.baton.draw(4));
  note("take pool back", fmt::format("takes the pool back, and wants {}", wishes_.pool->replicas));
  patch_pool({{"metadata", {{"annotations", {{api::annotation::kReplicasManagedBy, nullptr}}}}},
              {"spec", {{"replicas", wishes_.pool->replicas}}}},
             "take the pool back");
}

// By the autoscaler, or by the user.
void FleetUser::size_pool(int replicas) {
  wishes_.pool->replicas = replicas;
  if (!autoscaled_) return patch_pool({{"spec", {{"replicas", replicas}}}}, "scale the pool");
  note("autoscaler sizes pool", fmt::format("the autoscaler wants a pool of {}", replicas));
  const json::value size = {
      {"metadata", {{"annotations", {{api::driver::annotation::kAutoscaledTo, std::to_string(replicas)}}}}}};
  const auto patched = deps_.client.patch(resource<api::DriverMachinePool>(), named(kPool), size, {}, kNever);
  if (!patched) deps_.broke("size the pool: " + patched.error().describe());
}

// One of those that have such an owner; empty: there is none.
std::string FleetUser::mark_machine(std::string MachineFacts::* owner) {
  std::vector<std::string> names;
  for (const auto& machine : deps_.auditor.facts().machines)
    if (!machine.going && !(machine.*owner).empty()) names.push_back(machine.name);
  if (names.empty()) return {};
  const std::string& name = names[deps_.baton.draw(names.size())];
  const json::value mark = {{"metadata", {{"annotations", {{api::annotation::kDeleteMachine, ""}}}}}};
  (void)deps_.client.patch(resource<api::Machine>(), named(name), mark, {}, kNever);
  return name;
}

// Evictions of a drain are refused for a while, or until the pool gives up.
void FleetUser::perhaps_close_budget() {
  if (!wishes_.pool->drains || deps_.baton.draw(2) == 0) return;
  const auto span = Nanoseconds(1s) * static_cast<std::int64_t>(20 + deps_.baton.draw(280));
  note("close budget", fmt::format("lets nothing be evicted for {} s", span / 1s));
  deps_.close_budget(span);
  rest_up_to(20s);
}

void FleetUser::drop_pool() {
  if (!wishes_.pool || deps_.baton.draw(3) != 0) return scale_pool();
  perhaps_close_budget();
  note("drop pool", "deletes the pool");
  wishes_.pool.reset();
  autoscaled_ = false;
  (void)deps_.client.remove(resource<api::MachinePool>(), named(kPool), {}, kNever);
  // One without a finalizer is gone at once, and what it refers to is left to its user.
  if (deps_.client.get(resource<api::MachinePool>(), named(kPool), kNever)) return;
  (void)deps_.client.remove(resource<api::DriverMachinePool>(), named(kPool), {}, kNever);
  (void)deps_.client.remove(resource<api::CloudConfig>(), named(kPool), {}, kNever);
}

// --- peace ---

// What no health check replaces has to be deleted by hand.
void FleetUser::repair() {
  const auto machines = deps_.auditor.facts().machines;  // a deletion brings new facts
  for (const auto& machine : machines) {
    if (machine.going || !vanished_.contains(machine.infrastructure)) continue;
    note("repair", "deletes Machine " + machine.name + ", which lost its VM");
    deps_.auditor.machine_taken();
    (void)deps_.client.remove(resource<api::Machine>(), named(machine.name), {}, kNever);
  }
}

// A VM that vanished before its pool noted its Node leaves one that the core knows nothing about; the cloud's
// own node controller removes those, and only then a successor of that name can join.
void FleetUser::sweep_nodes() {
  apiserver::Api* const workload = deps_.workload.api(named(kCluster));
  if (workload == nullptr) return;
  const auto vms = deps_.cloud.vms();
  for (const auto& node : workload->stored_all("", "nodes")) {
    const std::string name(node->at("metadata").at("name").as_string());
    const json::value* id = node->at("spec").as_object().if_contains("providerID");
    if (id == nullptr || !name.starts_with(kPool)) continue;
    const std::string provider_id(id->as_string());
    const bool runs = std::ranges::find(vms, provider_id, &infrastructure::Vm::provider_id) != vms.end();
    const std::string uid(node->at("metadata").at("uid").as_string());
    if (runs || deps_.auditor.was_noted(uid)) continue;
    note("sweep", "the cloud removes Node " + name + ", whose VM is gone");
    (void)deps_.workload.client(named(kCluster))
        ->remove(kube::resources::nodes(), {.name = name}, {}, kNever);
  }
}

// --- the stranger ---

void FleetUser::meddle(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    rest_up_to(12s, stop);
    if (deps_.baton.draw(3) == 0) {
      take_back_mark();
    } else if (marks_.size() < 3) {
      leave_mark();
    }
  }
  while (!marks_.empty()) take_back_mark();
}

void FleetUser::leave_mark() {
  struct Candidate {
    std::string where;
    std::string name;
  };
  std::vector<Candidate> candidates;
  const auto& facts = deps_.auditor.facts();
  for (const auto& each : facts.deployments)
    if (!each.going) candidates.push_back({"cluster.x-k8s.io/machinedeployments", each.name});
  for (const auto& each : facts.sets)
    if (!each.going) candidates.push_back({"cluster.x-k8s.io/machinesets", each.name});
  for (const auto& each : facts.machines) {
    if (each.going) continue;
    candidates.push_back({"cluster.x-k8s.io/machines", each.name});
    candidates.push_back({"infrastructure.cluster.x-k8s.io/drivermachines", each.infrastructure});
  }
  if (candidates.empty()) return;
  const auto& [where, name] = candidates[deps_.baton.draw(candidates.size())];
  if (marks_.contains({where, name}) || !write_finalizers(where, name, true)) return;
  deps_.auditor.mark_left(where, name);
  marks_.emplace(where, name);
  deps_.tell(fmt::format("stranger: leaves a finalizer on {} {}", where, name));
}

void FleetUser::take_back_mark() {
  if (marks_.empty()) return;
  auto at = marks_.begin();
  std::advance(at, deps_.baton.draw(marks_.size()));
  const auto [where, name] = *at;
  deps_.auditor.mark_taken_back(where, name);
  if (write_finalizers(where, name, false)) {
    marks_.erase({where, name});
    deps_.tell(fmt::format("stranger: takes back the finalizer on {} {}", where, name));
  } else if (marks_.contains({where, name})) {
    deps_.auditor.mark_left(where, name);
  }
}

// As every client should: the whole list, bound to the version it was read in.
bool FleetUser::write_finalizers(const std::string& where, const std::string& name, bool leave) {
  const auto slash = where.find('/');
  const kube::Resource kind{
      .group = where.substr(0, slash), .version = "v1beta2", .plural = where.substr(slash + 1)};
  const auto there = deps_.client.get(kind, named(name), kNever);
  if (!there) return !leave && there.error().code == Code::NotFound;
  const json::object metadata = metadata_of(*there);
  if (leave && metadata.contains("deletionTimestamp")) return false;
  const json::value* present = metadata.if_contains("finalizers");
  json::array list = present == nullptr ? json::array() : present->as_array();
  if (leave) {
    list.emplace_back(kStranger);
  } else {
    const auto at = std::ranges::find(list, json::value(kStranger));
    if (at != list.end()) list.erase(at);
  }
  const json::value body = {
      {"metadata", {{"resourceVersion", metadata.at("resourceVersion")}, {"finalizers", std::move(list)}}}};
  return deps_.client.patch(kind, named(name), body, {}, kNever).has_value();
}

// --- small things ---

void FleetUser::put(const Document& what) {
  const std::string_view name = what.object.at("metadata").at("name").as_string();
  const auto key = what.resource.namespaced ? named(name) : kube::ObjectKey{.name = std::string(name)};
  const auto made = deps_.client.create(what.resource, key, what.object, {}, kNever);
  if (!made) deps_.broke(fmt::format("create {}: {}", what.resource.kind, made.error().describe()));
  deps_.auditor.look();
}

void FleetUser::patch_deployment(const json::value& body, std::string_view what) {
  const auto patched =
      deps_.client.patch(resource<api::MachineDeployment>(), named(kDeployment), body, {}, kNever);
  if (!patched && !what.empty()) deps_.broke(fmt::format("{}: {}", what, patched.error().describe()));
  deps_.auditor.look();
}

void FleetUser::patch_pool(const json::value& body, std::string_view what) {
  const auto patched = deps_.client.patch(resource<api::MachinePool>(), named(kPool), body, {}, kNever);
  if (!patched) deps_.broke(fmt::format("{}: {}", what, patched.error().describe()));
  deps_.auditor.look();
}

void FleetUser::patch_cluster(const json::value& body, std::string_view what) {
  const auto patched = deps_.client.patch(resource<api::Cluster>(), named(kCluster), body, {}, kNever);
  if (!patched) deps_.broke(fmt::format("{}: {}", what, patched.error().describe()));
}

void FleetUser::note(std::string_view act, const std::string& line) {
  ++acts_[std::string(act)];
  deps_.tell("user: " + line);
}

void FleetUser::rest(Nanoseconds span, std::stop_token stop) {
  deps_.baton.pause(Deadline::in(deps_.baton, span, std::move(stop)));
}

void FleetUser::rest_up_to(Nanoseconds span, std::stop_token stop) {
  rest(Nanoseconds(1ms) * static_cast<std::int64_t>(deps_.baton.draw(static_cast<std::uint64_t>(span / 1ms))),
       std::move(stop));
}

}  // namespace capstan::simulation
