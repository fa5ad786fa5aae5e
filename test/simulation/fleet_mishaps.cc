// What befalls a simulated fleet: VMs, Nodes, lists, whole clusters and processes that are lost for a while,
// a cloud that is full, instances that are slow.
#include <fmt/format.h>

#include <algorithm>

#include "api/driver/driver_machine_pool.h"
#include "api/names.h"
#include "base/base64.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/secret.h"
#include "test/simulation/fleet_user.h"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;

constexpr int kMostGrown = 5;
constexpr int kStutters = 5;

kube::Resource pool_groups() { return kube::resource_of<api::DriverMachinePool>(); }

// What the node controller says of a Node whose kubelet is silent, or its kubelet when it is back.
json::value heard(bool is, Time now) {
  const json::object ready = {{"type", "Ready"},
                              {"status", is ? "True" : "Unknown"},
                              {"reason", is ? "KubeletReady" : "NodeStatusUnknown"},
                              {"lastTransitionTime", now.to_string()}};
  return {{"status", {{"conditions", json::array{ready}}}}};
}

}  // namespace

void FleetUser::lose_vm() {
  if (deps_.baton.draw(3) == 0) return take_apart();
  std::vector<std::string> names;
  for (const auto& vm : deps_.cloud.vms()) {
    if (vm.name != kControlPlane) names.push_back(vm.name);
  }
  if (names.empty()) return;
  const std::string& name = names[deps_.baton.draw(names.size())];
  note("lose VM", "a VM vanishes: " + name);
  lose(name);
}

// The infrastructure first, the Machine some moments later: meanwhile its set makes what went again if there
// was no VM yet, and leaves it alone if there was.
void FleetUser::take_apart() {
  std::vector<std::pair<std::string, std::string>> names;  // of Machines and their DriverMachines
  for (const auto& machine : deps_.auditor.facts().machines) {
    if (!machine.going && !machine.set.empty()) names.emplace_back(machine.name, machine.infrastructure);
  }
  if (names.empty()) return;
  const auto& [machine, infrastructure] = names[deps_.baton.draw(names.size())];
  note("take apart", fmt::format("deletes DriverMachine {}, and then Machine {}", infrastructure, machine));
  deps_.auditor.vm_vanished(infrastructure);
  deps_.auditor.excuse(LegalCase::MachineLost);
  (void)deps_.client.remove(kube::resource_of<api::DriverMachine>(), named(infrastructure), {},
                            Deadline::never());
  rest_up_to(30s);
  deps_.auditor.machine_taken();
  (void)deps_.client.remove(kube::resource_of<api::Machine>(), named(machine), {}, Deadline::never());
}

void FleetUser::lose(const std::string& name) {
  vanished_.insert(name);
  deps_.auditor.vm_vanished(name);
  deps_.auditor.excuse(LegalCase::MachineLost);
  deps_.cloud.vanish(name);
}

void FleetUser::lose_workload_cluster() {
  if (!deps_.workload.lost() && deps_.baton.draw(4) == 0) {
    return deps_.baton.draw(2) == 0 ? lose_workload_cluster_for_an_hour() : lose_kubeconfig_for_an_hour();
  }
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
                        {.type = kube::PatchType::Strategic, .subresource = "status"}, Deadline::never());
  }
}

// A provider that lost its head for less than half a minute: it has no instances, it says.
void FleetUser::empty_pool_list() {
  const auto group = deps_.client.get(pool_groups(), named(kPool), Deadline::never());
  if (!group) return lose_vm();
  const json::value* known = group->at("spec").as_object().if_contains("providerIDList");
  if (known == nullptr || known->as_array().empty()) return lose_vm();
  note("empty list", "the provider says that the pool has no instances");
  const auto write = [&](const json::value& list) {
    const json::value spec = {{"spec", {{"providerIDList", list}}}};
    const json::value status = {{"status", {{"replicas", list.as_array().size()}}}};
    (void)deps_.client.patch(pool_groups(), named(kPool), spec, {}, Deadline::never());
    (void)deps_.client.patch(pool_groups(), named(kPool), status, {.subresource = "status"},
                             Deadline::never());
  };
  if (deps_.baton.draw(2) == 0) kill_provider();  // which would put it right at once
  write(json::array());
  rest_up_to(20s);
  const auto now = deps_.client.get(pool_groups(), named(kPool), Deadline::never());
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

// --- capacity ---

// Neither more Machines nor more instances: one that goes makes room for one.
void FleetUser::fill_cloud() {
  deps_.cloud.make_room(std::ssize(deps_.cloud.vms()));
  note("fill cloud", "the cloud is full");
  grow_pool();
  grow_deployment();
  rest_up_to(10min);
  static constexpr std::array<Act, 5> kMeanwhile = {&FleetUser::scale, &FleetUser::scale_pool,
                                                    &FleetUser::roll, &FleetUser::delete_machine,
                                                    &FleetUser::lose_vm};
  (this->*kMeanwhile[deps_.baton.draw(kMeanwhile.size())])();
  rest_up_to(10min);
  note("make room", "the cloud has room again");
  deps_.cloud.make_room({});
}

void FleetUser::grow_deployment() {
  wishes_.replicas = std::min(kMostGrown, wishes_.replicas + 1);
  patch_deployment({{"spec", {{"replicas", wishes_.replicas}}}}, "scale");
}

void FleetUser::grow_pool() {
  if (wishes_.pool) size_pool(std::min(kMostGrown, wishes_.pool->replicas + 1));
}

// --- minutes ---

// Long enough to be known. What is wanted then has to wait, although nothing else holds it.
void FleetUser::want_while_api_is_away() {
  if (deps_.workload.lost()) return lose_workload_cluster();
  deps_.workload.lose(true);
  note("lose API", "the API server of the workload cluster is away for some minutes");
  rest(150s);
  if (frozen_) thaw();
  if (cluster_paused_) pause_cluster();
  grow_deployment();
  rest(60s);
  rest_up_to(120s);
  note("find API", "the API server of the workload cluster is back");
  deps_.workload.lose(false);
}

// --- an hour ---

// Whatever is wished meanwhile has to wait, and no controller is to think that the Nodes are gone.
void FleetUser::lose_workload_cluster_for_an_hour() {
  note("lose cluster for an hour", "the workload cluster is lost for an hour");
  deps_.workload.lose(true);
  live_on_for_an_hour();
  deps_.workload.lose(false);
}

// Its credentials are good no more, and what is written over them was never any good.
void FleetUser::lose_kubeconfig_for_an_hour() {
  const kube::ObjectKey key = kubeconfig::secret_key_of(named(kCluster));
  const auto secret = deps_.client.get(kube::resources::secrets(), key, Deadline::never());
  if (!secret) return lose_workload_cluster_for_an_hour();
  note("lose kubeconfig for an hour", "the kubeconfig is lost for an hour");
  const auto write = [&](const json::value& content) {
    const json::value body = {{"data", {{api::secret::kValueKey, content}}}};
    (void)deps_.client.patch(kube::resources::secrets(), key, body, {}, Deadline::never());
  };
  write(json::value(base64_encode("lost")));
  deps_.workload.refuse(true);
  live_on_for_an_hour();
  write(secret->at("data").at(api::secret::kValueKey));
  deps_.workload.refuse(false);
}

void FleetUser::live_on_for_an_hour() {
  const SteadyTime until = deps_.baton.steady_now() + 1h;
  rest_up_to(30min);
  static constexpr std::array<Act, 3> kMeanwhile = {&FleetUser::scale, &FleetUser::scale_pool,
                                                    &FleetUser::roll};
  (this->*kMeanwhile[deps_.baton.draw(kMeanwhile.size())])();
  if (const SteadyTime now = deps_.baton.steady_now(); now < until) rest(until - now);
  deps_.tell("user: the hour is over");
}

// --- instances, their Nodes and the list of them ---

// The provider dies when the cloud has a new instance, so that its Node is there before the list names it.
void FleetUser::let_nodes_come_first() {
  if (!wishes_.pool) return lose_vm();
  note("nodes first", "the pool grows, and the provider is killed before it says so");
  const auto instances = [&] {
    std::set<std::string> ids;
    for (const auto& vm : deps_.cloud.vms())
      if (vm.name.starts_with(kPool)) ids.insert(vm.provider_id);
    return ids;
  };
  const auto before = instances();
  const SteadyTime until = deps_.baton.steady_now() + 1min;
  grow_pool();
  const auto has_grown = [&] { return !std::ranges::includes(before, instances()); };
  while (!has_grown() && deps_.baton.steady_now() < until) rest(50ms);
  deps_.kill("provider");
}

// Instances take so long that they are listed well before they have Nodes.
void FleetUser::let_the_list_come_first() {
  if (!wishes_.pool) return lose_vm();
  note("list first", "the pool grows by instances that take two minutes");
  deps_.cloud.boot_for(2min);
  grow_pool();
  rest(1min);
  deps_.cloud.boot_for({});
}

// Its successor takes its name, and the deletion of the Node that had it takes effect late: the Node that
// has the name by then must not be taken for it.
void FleetUser::replace_instance() {
  std::vector<std::string> names;
  for (const auto& vm : deps_.cloud.vms())
    if (vm.name.starts_with(kPool)) names.push_back(vm.name);
  if (names.empty() || !wishes_.pool || wishes_.pool->with_machines) return lose_vm();
  const std::string& name = names[deps_.baton.draw(names.size())];
  note("replace instance", "an instance of the pool vanishes, and another gets its name: " + name);
  deps_.delay_deletion_of_node();
  lose(name);
}

// A provider that leaves one out now and then, and names it again in the same moment: a controller that has
// heard of the first only must not believe that the instance is gone.
void FleetUser::stutter_pool_list() {
  kube::Client& api = deps_.at_once;
  for (int i = 0; i < kStutters; ++i) {
    const auto group = api.get(pool_groups(), named(kPool), Deadline::never());
    if (!group) return lose_vm();
    const json::value* known = group->at("spec").as_object().if_contains("providerIDList");
    if (known == nullptr || known->as_array().empty()) return lose_vm();
    json::array shorter = known->as_array();
    const std::size_t left_out = deps_.baton.draw(shorter.size());
    note("stutter", fmt::format("the provider leaves {} out of its list, and puts it back",
                                std::string_view(shorter[left_out].as_string())));
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(left_out));
    deps_.delay_news_of_group();
    for (const json::array& list : {shorter, known->as_array()}) {
      const json::value spec = {{"spec", {{"providerIDList", list}}}};
      (void)api.patch(pool_groups(), named(kPool), spec, {}, Deadline::never());
    }
    rest_up_to(20s);
  }
}

}  // namespace capstan::simulation
