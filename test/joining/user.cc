// What people do: a user of machines and NodeConfigs, a thief of tokens, and a stranger who may write to
// Secrets of the workload cluster.
#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>
#include <limits>

#include "api/bootstrap/names.h"
#include "net/certificate_request.h"
#include "test/joining/stage.h"

namespace capstan::joining {
namespace {

namespace json = boost::json;
namespace nodeconfig = bootstrap::nodeconfig;
using bootstrap::kNever;
using bootstrap::named;

constexpr std::string_view kAgentsOwnFile = "/var/lib/capstan-agent/extra";
constexpr std::uint64_t kOfNoUser = 999;  // a content that no configuration of the user has
constexpr std::size_t kMostMachines = 7;
constexpr std::size_t kMostInstances = 3;
constexpr auto kLongSleep = std::chrono::minutes(90);
void note_offered(JoiningStage& stage, const Draft& draft) {
  for (const auto& [path, content] : files_of(draft)) stage.offered[path].insert(content);
}

std::string node_config_of(JoiningStage& stage) { return stage.baton.draw(3) == 0 ? "others" : "workers"; }

// Null when no machine is so.
template <typename Is>
SimMachine* some_machine(JoiningStage& stage, const Is& is) {
  std::vector<SimMachine*> found;
  for (auto& [name, machine] : stage.machines)
    if (!machine.doomed && is(machine)) found.push_back(&machine);
  return found.empty() ? nullptr : found[stage.baton.draw(found.size())];
}

bool is_up(const SimMachine& machine) { return machine.vm && machine.settled; }
// The one of a Machine goes when it has joined, that of a pool stays.
bool has_live_token(const SimMachine& machine) {
  return machine.vm && (!machine.settled || !machine.pool.empty());
}
bool is_any(const SimMachine&) { return true; }

void ask_restart(JoiningStage& stage) {
  SimMachine* machine = some_machine(stage, is_up);
  if (machine == nullptr) return;
  stage.act("restart by hand");
  stage.narrate("the user has a.service of " + machine->name + " restarted");
  machine->vm->user_asks_restart("a.service");
  const json::object annotations = {{api::bootstrap::annotation::kRestartServices, "a"}};
  (void)stage.workload.patch(kube::resources::nodes(), {.name = "node-of-" + machine->name},
                             json::object{{"metadata", json::object{{"annotations", annotations}}}}, {},
                             kNever);
}

void reboot(JoiningStage& stage) {
  SimMachine* machine = some_machine(stage, [](const SimMachine& each) { return each.vm != nullptr; });
  if (machine == nullptr) return;
  stage.act("reboot");
  stage.narrate(machine->name + " is rebooted");
  stage.baton.crash(machine->vm->process());
}

// Longer than some certificates live.
void put_to_sleep(JoiningStage& stage) {
  SimMachine* machine = some_machine(stage, is_up);
  if (machine == nullptr) return;
  stage.act("long sleep");
  stage.narrate(machine->name + " sleeps");
  machine->sleeps_until = stage.baton.steady_now() + kLongSleep;
  stage.baton.crash(machine->vm->process());
}

// Of a pool often the name of one of its instances, which its token is for, once.
SimMachine* coveted_by(JoiningStage& stage, const SimMachine& victim) {
  if (victim.pool.empty() || stage.baton.draw(3) == 0) return some_machine(stage, is_any);
  return some_machine(stage, [&](const SimMachine& each) { return each.pool == victim.pool; });
}

void write_secret(JoiningStage& stage, const std::string& node_config, const json::object& patch) {
  (void)stage.workload.patch(kube::resources::secrets(), nodeconfig::secret_key(named(node_config)), patch,
                             {}, kNever);
}

// Another content with the checksum that stood beside the right one.
void write_other_content(JoiningStage& stage) {
  const std::string name = node_config_of(stage);
  stage.act("content without its checksum");
  stage.narrate("a stranger writes to the Secret of " + name);
  const auto text = nodeconfig::content_of(spec_of({.a = kOfNoUser, .b = kOfNoUser})).text;
  const json::object data = {{api::bootstrap::node_config_key::kConfig, base64_encode(text)}};
  write_secret(stage, name, json::object{{"data", data}});
}

// With all that belongs to it, for every Node.
void write_own_path(JoiningStage& stage) {
  const std::string name = node_config_of(stage);
  stage.act("a file of the agent's own");
  stage.narrate("a stranger has the agents of " + name + " write to their own folder");
  api::NodeConfigSpec spec = spec_of(stage.drafts.at(name));
  spec.files.push_back({.path = Text(kAgentsOwnFile), .content = FreeText("not the agent's")});
  const auto content = nodeconfig::content_of(spec);
  const std::string all =
      api::bootstrap::release_text(content.checksum, std::numeric_limits<std::uint32_t>::max());
  const json::object data = {{api::bootstrap::node_config_key::kConfig, base64_encode(content.text)},
                             {api::bootstrap::node_config_key::kChecksum, base64_encode(content.checksum)}};
  const json::object annotations = {{api::bootstrap::annotation::kReleased, all}};
  write_secret(stage, name,
               json::object{{"data", data}, {"metadata", json::object{{"annotations", annotations}}}});
}

void resize_some_pool(JoiningStage& stage) {
  for (auto& [name, pool] : stage.pools)
    if (!pool.doomed) return resize_pool(stage, pool, stage.baton.draw(kMostInstances + 1));
}

}  // namespace

void make_node_config(JoiningStage& stage, const std::string& name) {
  const Draft draft = {.a = 1, .b = 1, .unit = 1, .program = 1};
  stage.drafts[name] = draft;
  note_offered(stage, draft);
  api::NodeConfig config;
  config.metadata.name = Text(name);
  config.metadata.namespace_ = "default"_text;
  config.spec = spec_of(draft);
  stage.put(config);
}

void add_machine(JoiningStage& stage, const std::string& node_config) {
  if (stage.machines_made == kMostMachines) return;
  const std::string name = fmt::format("m{}", ++stage.machines_made);
  stage.act("machine");
  stage.narrate(fmt::format("the user adds Machine {} with NodeConfig {}", name, node_config));
  stage.machines[name] = SimMachine{.name = name, .node_config = node_config};
  stage.choose_spec(node_config);
  stage.add_machine(name);
}

// The cloud makes another instance of a pool, as long as the pool wants one.
void delete_machine(JoiningStage& stage, SimMachine& machine) {
  stage.act(machine.pool.empty() ? "deletion" : "deletion of an instance");
  stage.narrate("the user deletes " + machine.name);
  if (!machine.settled) stage.settle(machine);
  machine.doomed = true;
  if (!machine.pool.empty()) return;
  (void)kube::remove<api::Machine>(stage.user, named(machine.name), {}, kNever);
  (void)kube::remove<api::CloudConfig>(stage.user, named(machine.name), {}, kNever);
}

void change_config(JoiningStage& stage, const std::string& node_config) {
  Draft& draft = stage.drafts.at(node_config);
  const std::uint64_t what = 1 + stage.baton.draw(15);
  if ((what & 1U) != 0) ++draft.a;
  if ((what & 2U) != 0) ++draft.b;
  if ((what & 4U) != 0) ++draft.unit;
  if ((what & 8U) != 0) ++draft.program;
  note_offered(stage, draft);
  stage.act("change");
  stage.narrate("the user changes NodeConfig " + node_config);
  bootstrap::must(stage.user.patch(kube::resource_of<api::NodeConfig>(), named(node_config),
                                   json::object{{"spec", api::to_json(spec_of(draft))}}, {}, kNever),
                  "change the NodeConfig");
}

void kill_provider(JoiningStage& stage) {
  stage.act("provider killed");
  stage.narrate("the provider is killed");
  stage.last_trouble = stage.baton.steady_now();
  stage.baton.crash(bootstrap::kProvider);
}

// With the token of one machine, for the name of another.
void steal_token(JoiningStage& stage) {
  const SimMachine* victim = some_machine(stage, has_live_token);
  const SimMachine* other = victim == nullptr ? nullptr : coveted_by(stage, *victim);
  if (victim == nullptr || (other == victim && victim->pool.empty())) return;
  kube::Connection shown;
  shown.token = Secret(victim->vm->token());
  kube::Client& thief = stage.gate.open(victim->name, shown);
  const auto key = net::new_private_key();
  const auto pem =
      net::certificate_request({.common_name = "capstan.dev:agent:default:" + other->agent_name(),
                                .organizations = {nodeconfig::agent_group(named(other->node_config))}},
                               *key);
  const std::string name = fmt::format("stolen-{}", stage.baton.draw(1'000'000));
  const auto asked = thief.create(bootstrap::approval::signing_requests(), {.name = name},
                                  bootstrap::approval::signing_request(name, *pem, ""), {}, kNever);
  if (!asked) return;
  stage.act(victim->pool.empty() ? "stolen token" : "stolen token of a pool");
  stage.narrate(fmt::format("a thief asks with the token of {} for {}", victim->name, other->name));
}

void do_something(JoiningStage& stage) {
  switch (stage.baton.draw(14)) {
    case 0: return add_machine(stage, node_config_of(stage));
    case 1:
      if (SimMachine* machine = some_machine(stage, is_any)) delete_machine(stage, *machine);
      return;
    case 2:
    case 3: return ask_restart(stage);
    case 4: return kill_provider(stage);
    case 5: return reboot(stage);
    case 6: return steal_token(stage);
    case 7: return write_other_content(stage);
    case 8: return write_own_path(stage);
    case 9: return put_to_sleep(stage);
    case 10: return resize_some_pool(stage);
    default: return change_config(stage, node_config_of(stage));
  }
}

}  // namespace capstan::joining
