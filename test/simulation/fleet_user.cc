#include "test/simulation/fleet_user.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/bootstrap/cloud_config.h"
#include "api/driver/driver_machine.h"
#include "api/driver/driver_machine_pool.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;

const Deadline kNever = Deadline::never();
constexpr std::array kVersions = {"v1.33.0", "v1.34.0", "v1.35.0"};
constexpr Nanoseconds kPatience = 10min;

template <typename T>
kube::Resource resource() {
  return kube::resource_of<T>();
}

// What the node controller says of a Node nobody hears of, or its kubelet when it is back.
json::value heard(bool is, Time now) {
  const json::object ready = {{"type", "Ready"},
                              {"status", is ? "True" : "Unknown"},
                              {"reason", is ? "KubeletReady" : "NodeStatusUnknown"},
                              {"lastTransitionTime", now.to_string()}};
  return {{"status", {{"conditions", json::array{ready}}}}};
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
  if (policy_) wishes_.replicas += 2;  // three are a crowd
  note("create", fmt::format("creates a cluster with {} workers{}{}", wishes_.replicas,
                             health_check_ ? ", a health check" : "",
                             policy_ ? " and a policy for shared causes" : ""));
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
    note(drains ? "create draining pool" : "create pool",
         fmt::format("creates a pool of {}{}", wishes_.pool->replicas,
                     drains                        ? ", and a policy that has it drained"
                     : wishes_.pool->with_machines ? " Machines"
                                                   : ""));
    for (const Document& each : pool_documents(wishes_.version, *wishes_.pool)) put(each);
  }
  if (drains) deps_.auditor.pool_drains(wishes_.pool->drain_timeout);
  if (policy_ || drains) put(policy_document({.shared_cause = policy_, .drains_pools = drains}));
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
  static constexpr std::array<Act, 14> kActs = {&FleetUser::scale,
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
                                                &FleetUser::scale};
  static constexpr std::array<Act, 6> kMishaps = {
      &FleetUser::lose_vm,         &FleetUser::lose_workload_cluster, &FleetUser::silence_nodes,
      &FleetUser::empty_pool_list, &FleetUser::kill_manager,          &FleetUser::kill_provider};
  for (std::uint64_t i = 0; i < acts; ++i) {
    rest_up_to(90s);
    const bool mishap = mishaps && deps_.baton.draw(4) == 0;
    Act act = mishap ? kMishaps[deps_.baton.draw(kMishaps.size())] : kActs[deps_.baton.draw(kActs.size())];
    if (mishap && policy_ && deps_.baton.draw(2) == 0) act = &FleetUser::silence_nodes;
    if (mishap && wishes_.pool && deps_.baton.draw(3) == 0) act = &FleetUser::empty_pool_list;
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
  deps_.workload.lose(false);
  deps_.close_budget({});
  // With a policy, losing most of them looks like a broken path, for ever.
  if (!health_check_ || policy_) repair();
  sweep_nodes();
}

void FleetUser::delete_fleet() {
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

void FleetUser::replace_deployment() {
  if (paused_ || cluster_paused_) return;
  note("replace", "deletes the MachineDeployment, to create it again");
  (void)deps_.client.remove(resource<api::MachineDeployment>(), named(kDeployment), {}, kNever);
  deps_.auditor.look();
  await_no_deployment();
  make_deployment();
}

// What a MachineDeployment leaves behind that way is for the garbage collector, not for its successor.
void FleetUser::replace_deployment_by_force() {
  if (paused_ || cluster_paused_) return;
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

void FleetUser::make_deployment() { put(deployment_document(wishes_)); }

void FleetUser::await_no_deployment() {
  const SteadyTime until = deps_.baton.steady_now() + kPatience;
  const auto there = [&] {
    return deps_.client.get(resource<api::MachineDeployment>(), named(kDeployment), kNever).has_value();
  };
  while (there()) {
    if (deps_.baton.steady_now() >
        until) {  // drain waits for a lost cluster for ever (capi-machine 8, row 21)
      deps_.workload.lose(false);
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
  const int before = std::exchange(wishes_.pool->replicas, static_cast<int>(deps_.baton.draw(4)));
  note("scale pool", fmt::format("scales the pool from {} to {}", before, wishes_.pool->replicas));
  const json::value body = {{"spec", {{"replicas", wishes_.pool->replicas}}}};
  const auto patched = deps_.client.patch(resource<api::MachinePool>(), named(kPool), body, {}, kNever);
  if (!patched) deps_.broke("scale the pool: " + patched.error().describe());
}

// A drain is told no for a while, or until the pool gives up.
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
  (void)deps_.client.remove(resource<api::MachinePool>(), named(kPool), {}, kNever);
  // One that nobody has signed on to is gone at once, and what it refers to is left to its user.
  if (deps_.client.get(resource<api::MachinePool>(), named(kPool), kNever)) return;
  (void)deps_.client.remove(resource<api::DriverMachinePool>(), named(kPool), {}, kNever);
  (void)deps_.client.remove(resource<api::CloudConfig>(), named(kPool), {}, kNever);
}

// --- mishaps ---

void FleetUser::lose_vm() {
  std::vector<std::string> names;
  for (const auto& vm : deps_.cloud.vms()) {
    if (vm.name != kControlPlane) names.push_back(vm.name);
  }
  if (names.empty()) return;
  const std::string& name = names[deps_.baton.draw(names.size())];
  note("lose VM", "a VM vanishes: " + name);
  vanished_.insert(name);
  deps_.auditor.vm_vanished(name);
  deps_.auditor.excuse(LegalCase::MachineLost);
  deps_.cloud.vanish(name);
}

void FleetUser::lose_workload_cluster() {
  const bool lost = !deps_.workload.lost();
  note("lose cluster", lost ? "the workload cluster is lost" : "the workload cluster is found again");
  deps_.workload.lose(lost);
}

// The path to all Nodes breaks, and is repaired a few minutes later; their VMs run on.
void FleetUser::silence_nodes() {
  const auto machines = working_machines();
  if (machines.empty()) return;
  note("silence", fmt::format("{} Nodes fall silent", machines.size()));
  if (policy_) deps_.auditor.silence_begins(machines);
  write_nodes(machines, true);
  rest(100s);
  rest_up_to(200s);
  note("silence over", "the Nodes are heard again");
  write_nodes(machines, false);
  deps_.auditor.silence_ends();
}

std::set<std::string> FleetUser::working_machines() const {
  std::set<std::string> names;
  for (const auto& machine : deps_.auditor.facts().machines) {
    const bool works = machine.available && !machine.going && !machine.set.empty();
    if (works && !vanished_.contains(machine.infrastructure)) names.insert(machine.name);
  }
  return names;
}

// What is gone meanwhile stays gone.
void FleetUser::write_nodes(const std::set<std::string>& machines, bool lost) {
  const auto server = deps_.workload.client(named(kCluster));
  if (server == nullptr) return;
  const Time now = Time::from(deps_.baton.now());
  for (const std::string& name : machines) {
    const MachineFacts* machine = deps_.auditor.facts().machine(name);
    if (machine == nullptr || machine->node.empty() || vanished_.contains(machine->infrastructure)) continue;
    (void)server->patch(kube::resources::nodes(), {.name = machine->node}, heard(!lost, now),
                        {.type = kube::PatchType::Strategic, .subresource = "status"}, kNever);
  }
}

// A provider that lost its head for less than half a minute: it has no instances, it says.
void FleetUser::empty_pool_list() {
  const auto group = deps_.client.get(resource<api::DriverMachinePool>(), named(kPool), kNever);
  if (!group) return lose_vm();
  const json::value* known = group->at("spec").as_object().if_contains("providerIDList");
  if (known == nullptr || known->as_array().empty()) return lose_vm();
  note("empty list", "the provider says that the pool has no instances");
  const auto write = [&](const json::value& list) {
    const json::value spec = {{"spec", {{"providerIDList", list}}}};
    const json::value status = {{"status", {{"replicas", list.as_array().size()}}}};
    (void)deps_.client.patch(resource<api::DriverMachinePool>(), named(kPool), spec, {}, kNever);
    (void)deps_.client.patch(resource<api::DriverMachinePool>(), named(kPool), status,
                             {.subresource = "status"}, kNever);
  };
  write(json::array());
  rest_up_to(20s);
  const auto now = deps_.client.get(resource<api::DriverMachinePool>(), named(kPool), kNever);
  if (!now) return;
  const json::value* list = now->at("spec").as_object().if_contains("providerIDList");
  if (list == nullptr || list->as_array().empty()) write(*known);
}

void FleetUser::kill_manager() {
  note("kill manager", "the manager is killed");
  deps_.kill("manager");
}
void FleetUser::kill_provider() {
  note("kill provider", "the provider is killed");
  deps_.kill("provider");
}

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

// As everybody should: the whole list, bound to the version it was read in.
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
  const auto key = named(what.object.at("metadata").at("name").as_string());
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
