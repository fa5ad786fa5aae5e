// What a cloud, kubelets, the core and Kubernetes' controllers do around provider and agents.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "agent/joined_fixture.h"
#include "agent/signing_fixture.h"
#include "test/joining/stage.h"
#include "test/joining/user_data.h"

namespace capstan::joining {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto kRestartAfter = 5s;  // RestartSec of the agent's unit
constexpr auto kTokenLasts = 2h + kCreationTimeout;

// --- the cloud ---

// Nothing when the Machine went meanwhile.
std::optional<std::map<std::string, std::string>> user_data_of(JoiningStage& stage,
                                                               const SimMachine& machine) {
  const auto secret = stage.secret(machine.config());
  if (!secret) return std::nullopt;
  const auto content = api::read_secret(*secret);
  const std::string format = content->find("format")->reveal();
  stage.act("data as " + format);
  return files_in(format, content->find("value")->reveal());
}

// A Machine that went meanwhile gets nothing.
void patch_machine(JoiningStage& stage, const SimMachine& machine, const json::object& patch,
                   const std::string& subresource = {}) {
  (void)stage.user.patch(kube::resource_of<api::Machine>(), bootstrap::named(machine.name), patch,
                         {.subresource = subresource}, bootstrap::kNever);
}

// systemd of the machine: the agent's process ends and is started again.
void keep_agent(JoiningStage& stage, SimMachine& machine, const std::stop_token& stop) {
  stage.baton.pause({.at = machine.boots, .stop = stop});
  Vm& vm = *machine.vm;
  while (!stop.stop_requested()) {
    const auto process =
        stage.baton.spawn_process(vm.process(), [&vm](const std::stop_token& until) { vm.run_agent(until); });
    const std::stop_callback pass_on(stop, [&] { process->request_stop(); });
    process->join();
    vm.agent_ended();
    if (stop.stop_requested()) return;
    ++stage.verdict.crashes;
    stage.rest(kRestartAfter, stop);
    stage.baton.pause({.at = machine.sleeps_until, .stop = stop});
  }
}

// A few take longer than a token lasts that is not extended. The token of a pool may be rotated meanwhile,
// and the one before then ends by its expiry.
Nanoseconds time_to_boot(JoiningStage& stage, const SimMachine& machine) {
  if (stage.baton.draw(40) != 0) return stage.some_seconds(60);
  stage.act("slow boot");
  return machine.pool.empty() ? kTokenLasts + stage.some_seconds(600) : kCreationTimeout;
}

void make_vm(JoiningStage& stage, SimMachine& machine) {
  const auto files = user_data_of(stage, machine);
  if (!files || machine.doomed) return;
  machine.boots = stage.baton.steady_now() + time_to_boot(stage, machine);
  machine.vm = std::make_unique<Vm>(stage.vm_world(), machine.name, *files, stage.dial_of(machine.name));
  stage.narrate(fmt::format("the VM of {} is made", machine.name));
  stage.act("VM");
  const json::object spec = {{"providerID", "sim:///" + machine.name}};
  if (machine.pool.empty()) patch_machine(stage, machine, json::object{{"spec", spec}});
  machine.supervisor = stage.baton.spawn(
      "systemd of " + machine.name,
      [&stage, &machine](const std::stop_token& stop) { keep_agent(stage, machine, stop); });
}

void remove_vm(JoiningStage& stage, SimMachine& machine) {
  machine.supervisor.reset();
  machine.vm.reset();
  if (machine.has_node)
    (void)stage.workload.remove(kube::resources::nodes(), {.name = "node-of-" + machine.name}, {},
                                bootstrap::kNever);
  if (!machine.pool.empty()) show_nodes(stage, machine.pool);
}

// --- the kubelet ---

bool may_join(const JoiningStage& stage, const SimMachine& machine) {
  const Vm& vm = *machine.vm;
  return vm.runs_kubelet() && vm.disk().has(agent::kBootstrapKubeconfig) &&
         stage.gate.takes_token(vm.token());
}

void start_kubelet(JoiningStage& stage, SimMachine& machine) {
  const SteadyTime now = stage.baton.steady_now();
  if (!machine.kubelet_joins) machine.kubelet_joins = now + stage.some_seconds(20);
  if (now < *machine.kubelet_joins) return;
  machine.has_node = true;
  stage.add_ready_node(machine.name);
  agent::put_kubelet_access(machine.vm->disk(), stage.authority, "node-of-" + machine.name,
                            stage.baton.now());
  stage.narrate(fmt::format("the kubelet of {} joins", machine.name));
}

// The core has found the Node.
void meet_node(JoiningStage& stage, SimMachine& machine) {
  stage.settle(machine);
  stage.narrate(fmt::format("{} has its Node", machine.name));
  if (!machine.pool.empty()) return show_nodes(stage, machine.pool);
  const json::object node = {{"name", "node-of-" + machine.name}};
  patch_machine(stage, machine, json::object{{"status", json::object{{"nodeRef", node}}}}, "status");
}

void tend(JoiningStage& stage, SimMachine& machine) {
  if (machine.doomed) {
    if (machine.vm) remove_vm(stage, machine);
  } else if (!machine.vm) {
    if (stage.created(machine.config())) make_vm(stage, machine);
  } else if (!machine.has_node) {
    if (may_join(stage, machine)) start_kubelet(stage, machine);
  } else if (!machine.settled && stage.baton.draw(3) == 0) {
    meet_node(stage, machine);
  }
}

// --- kube-controller-manager ---

bool is_to_be_signed(const json::value& request) {
  json::error_code absent;
  const auto* decision = request.find_pointer("/status/conditions/0/type", absent);
  return decision != nullptr && *decision == "Approved" &&
         request.find_pointer("/status/certificate", absent) == nullptr;
}

std::string name_of(const json::value& object) {
  return std::string(object.at("metadata").at("name").as_string());
}

// Some live so short that they are renewed before the end.
Nanoseconds some_life(JoiningStage& stage) {
  return stage.baton.draw(2) == 0 ? Nanoseconds(1h) : Nanoseconds(std::chrono::days(10));
}

void sign_requests(JoiningStage& stage) {
  for (const auto& stored :
       stage.workload_api.stored_all("certificates.k8s.io", "certificatesigningrequests")) {
    const json::value request(*stored);
    if (!is_to_be_signed(request) || stage.baton.draw(2) == 0) continue;
    const auto pem = base64_decode(std::string_view(request.at("spec").at("request").as_string()));
    const WallTime now = stage.gate.now();
    const std::string certificate = agent::sign_request(stage.authority, *pem, now, now + some_life(stage));
    (void)stage.workload.patch(
        bootstrap::approval::signing_requests(), {.name = name_of(request)},
        json::object{{"status", json::object{{"certificate", base64_encode(certificate)}}}},
        {.subresource = "status"}, bootstrap::kNever);
  }
}

// Kubernetes keeps them for an hour.
void clean_requests(JoiningStage& stage) {
  for (const auto& stored :
       stage.workload_api.stored_all("certificates.k8s.io", "certificatesigningrequests")) {
    const json::value request(*stored);
    const auto made = Time::parse(request.at("metadata").at("creationTimestamp").as_string());
    if (made && *made + Seconds(1h) < Time::from(stage.baton.now()))
      (void)stage.workload.remove(bootstrap::approval::signing_requests(), {.name = name_of(request)}, {},
                                  bootstrap::kNever);
  }
}

void clean_tokens(JoiningStage& stage) {
  for (const bootstrap::Token& token : stage.tokens()) {
    if (!token.expires.is_set() || token.expires > Time::from(stage.gate.now())) continue;
    stage.act("expired token");
    stage.narrate(fmt::format("the cleaner takes token {}", token.id));
    (void)stage.workload.remove(kube::resources::secrets(), bootstrap::key_of_token(token.id), {},
                                bootstrap::kNever);
  }
}

}  // namespace

void surround(JoiningStage& stage) {
  tend_pools(stage);
  for (auto& [name, machine] : stage.machines) tend(stage, machine);
  sign_requests(stage);
  clean_requests(stage);
  clean_tokens(stage);
  stage.api.run_controllers();
  stage.workload_api.run_controllers();
}

}  // namespace capstan::joining
