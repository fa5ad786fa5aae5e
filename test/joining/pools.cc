// MachinePools whose instances are no Machines: what their user wants, what the cloud makes of it, and what
// the core writes down.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/bootstrap/agent_facts.h"
#include "api/bootstrap/names.h"
#include "api/schema/decode.h"
#include "test/joining/stage.h"
#include "test/joining/user_data.h"

namespace capstan::joining {
namespace {

namespace json = boost::json;
using bootstrap::kNever;
using bootstrap::named;

std::vector<SimMachine*> instances_of(JoiningStage& stage, const std::string& pool) {
  std::vector<SimMachine*> found;
  for (auto& [name, machine] : stage.machines)
    if (machine.pool == pool && !machine.doomed) found.push_back(&machine);
  return found;
}

// A pool that went meanwhile gets nothing.
void patch_pool(JoiningStage& stage, const std::string& pool, const json::object& patch,
                const std::string& subresource = {}) {
  (void)stage.user.patch(kube::resource_of<api::MachinePool>(), named(pool), patch,
                         {.subresource = subresource}, kNever);
}

void add_instance(JoiningStage& stage, SimPool& pool) {
  const std::string name = fmt::format("{}-{}", pool.name, ++pool.made);
  stage.act("instance");
  stage.narrate(fmt::format("the cloud makes instance {}", name));
  stage.machines[name] = SimMachine{.name = name, .node_config = pool.node_config, .pool = pool.name};
}

void tend_pool(JoiningStage& stage, SimPool& pool) {
  auto instances = instances_of(stage, pool.name);
  for (std::size_t i = pool.wanted; i < instances.size(); ++i) delete_machine(stage, *instances[i]);
  for (std::size_t i = instances.size(); i < pool.wanted; ++i) add_instance(stage, pool);
}

}  // namespace

void tend_pools(JoiningStage& stage) {
  for (auto& [name, pool] : stage.pools)
    if (pool.doomed || stage.created(name)) tend_pool(stage, pool);
}

void show_nodes(JoiningStage& stage, const std::string& pool) {
  json::array nodes;
  for (const SimMachine* instance : instances_of(stage, pool))
    if (instance->settled) nodes.push_back(json::object{{"name", "node-of-" + instance->name}});
  patch_pool(stage, pool, json::object{{"status", json::object{{"nodeRefs", nodes}}}}, "status");
}

std::string token_in_data(JoiningStage& stage, const std::string& pool) {
  const auto secret = stage.secret(pool);
  if (!secret) return {};
  const auto content = api::read_secret(*secret);
  const auto files = files_in(content->find("format")->reveal(), content->find("value")->reveal());
  const auto facts = api::decode<api::AgentFacts>(files.at(std::string(api::bootstrap::kAgentFactsFile)));
  return facts ? facts->token.str().substr(0, facts->token.view().find('.')) : std::string();
}

void add_pool(JoiningStage& stage, const std::string& node_config) {
  const std::string name = fmt::format("pool{}", stage.pools.size() + 1);
  stage.act("pool");
  stage.narrate(fmt::format("the user adds MachinePool {} with NodeConfig {}", name, node_config));
  stage.pools[name] = SimPool{.name = name, .node_config = node_config};
  stage.choose_spec(node_config);
  stage.add_pool(name);
  resize_pool(stage, stage.pools.at(name), 1);
}

void resize_pool(JoiningStage& stage, SimPool& pool, std::size_t wanted) {
  if (wanted == pool.wanted) return;
  stage.act("resize");
  stage.narrate(fmt::format("the user wants {} instances of {}", wanted, pool.name));
  pool.wanted = wanted;
  patch_pool(stage, pool.name, json::object{{"spec", json::object{{"replicas", wanted}}}});
}

void delete_pool(JoiningStage& stage, SimPool& pool) {
  stage.act("deletion of a pool");
  stage.narrate("the user deletes MachinePool " + pool.name);
  pool.doomed = true;
  pool.doomed_since = stage.baton.steady_now();
  pool.doomed_at = Time::from(stage.baton.now());
  pool.wanted = 0;
  (void)kube::remove<api::MachinePool>(stage.user, named(pool.name), {}, kNever);
  (void)kube::remove<api::CloudConfig>(stage.user, named(pool.name), {}, kNever);
}

}  // namespace capstan::joining
