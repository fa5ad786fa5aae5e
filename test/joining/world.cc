#include "test/joining/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "test/joining/stage.h"

namespace capstan::joining {
namespace {

using namespace std::chrono_literals;

constexpr auto kDeadFor = 12s;  // nothing of a dead provider is still under way after that
constexpr auto kLookAtRest = 60s;
constexpr auto kMoreThanADay = 25h;
constexpr auto kTimeToConverge = 2h;
constexpr auto kTimeToGo = 30min;
constexpr auto kAfterTheEnd = 3min;  // a turn that comes late has come

class World {
 public:
  explicit World(JoiningStage& stage) : stage_(stage) {}

  void live() {
    stage_.install_kinds();
    stage_.begin();
    const auto provider =
        stage_.baton.spawn("supervisor", [this](const std::stop_token& stop) { keep_provider(stop); });
    const auto around = stage_.baton.spawn("surroundings", [this](const std::stop_token& stop) {
      for (; !stop.stop_requested(); stage_.rest(stage_.between_looks, stop)) look_after();
    });
    use();
    calm_down();
    expect_convergence();
    if (!stage_.pools.empty() && stage_.baton.draw(4) == 0) expect_rotation();
    expect_clean_end();
  }

 private:
  void keep_provider(const std::stop_token& stop);
  void run_provider(const std::stop_token& stop, std::uint64_t starts);
  void look_after() {
    surround(stage_);
    audit(stage_);
  }
  void use();
  void calm_down();
  void expect_convergence();
  void shrink_to_pools();
  void expect_rotation();
  void expect_clean_end();
  std::string missing();
  std::string missing_of(SimMachine& machine);
  std::string missing_of_config(const std::string& name);
  std::size_t instances_of(const std::string& pool) const;
  std::string left_over();
  std::string left_in_workload();
  // What is still missing after that time is broken.
  void expect(std::string_view what, Nanoseconds within, const std::function<std::string()>& lacks);

  JoiningStage& stage_;
};

void World::keep_provider(const std::stop_token& stop) {
  for (std::uint64_t starts = 0; !stop.stop_requested(); ++starts) {
    if (starts > 0) stage_.rest(kDeadFor + stage_.some_seconds(10), stop);
    if (stop.stop_requested()) return;
    stage_.narrate("the provider starts");
    const auto provider = stage_.baton.spawn_process(
        std::string(bootstrap::kProvider),
        [this, starts](const std::stop_token& until) { run_provider(until, starts); });
    const std::stop_callback pass_on(stop, [&] { provider->request_stop(); });
    provider->join();
    stage_.last_trouble = stage_.baton.steady_now();
    if (!stop.stop_requested()) ++stage_.verdict.crashes;
  }
}

void World::run_provider(const std::stop_token& stop, std::uint64_t starts) {
  SeededRandomness randomness(stage_.options.seed * 1000 + starts);
  bootstrap::Provider provider({.clock = stage_.baton,
                                .threads = stage_.baton,
                                .client = stage_.network,
                                .randomness = randomness,
                                .dial = [this](const auto&, const auto&) { return stage_.dial(); },
                                .keys = &randomness},
                               {.concurrency = 2, .seed = stage_.options.seed});
  if (provider.start(Deadline::in(stage_.baton, 1min, stop))) {
    stage_.last_trouble = stage_.baton.steady_now();
    Signal end("the end of the provider");
    stage_.baton.wait(end, end.count(), Deadline::never(stop));
  }
  provider.stop();
}

void World::use() {
  stage_.gate.set_clock_off(stage_.some_clock_off("cluster"));
  make_node_config(stage_, "workers");
  make_node_config(stage_, "others");
  stage_.raging = stage_.options.faults;
  stage_.calls_hit = stage_.baton.draw(120);
  stage_.pieces_hit = stage_.baton.draw(60);
  add_machine(stage_, "workers");
  add_machine(stage_, "others");
  if (stage_.baton.draw(2) == 0) add_pool(stage_, stage_.baton.draw(2) == 0 ? "others" : "workers");
  const std::uint64_t acts = 6 + stage_.baton.draw(10);
  for (std::uint64_t i = 0; i < acts; ++i) {
    stage_.rest(stage_.some_seconds(120));
    do_something(stage_);
  }
}

void World::calm_down() {
  stage_.raging = false;
  stage_.last_trouble = stage_.baton.steady_now();
  stage_.narrate("the faults stop");
  stage_.rest(30s);  // what comes late has come
}

// Whatever has stopped a change, the next one begins anew.
void World::expect_convergence() {
  add_machine(stage_, "workers");
  for (auto& [name, pool] : stage_.pools) resize_pool(stage_, pool, 2);
  const auto has_booted = [&] {
    for (const auto& [name, pool] : stage_.pools)
      if (instances_of(name) != pool.wanted) return "the instances of " + name;
    for (const auto& [name, machine] : stage_.machines)
      if (!machine.doomed && (!machine.vm || stage_.baton.steady_now() < machine.boots))
        return "the boot of " + name;
    return std::string();
  };
  expect("VMs", 5h, has_booted);
  change_config(stage_, "workers");
  change_config(stage_, "others");
  expect("convergence", kTimeToConverge, [this] { return missing(); });
  steal_token(stage_);  // where there is a pool: all of its instances have their Nodes
  stage_.rest(2min);
}

std::string World::missing() {
  for (const std::string name : {"workers", "others"})
    if (auto lacks = missing_of_config(name); !lacks.empty()) return lacks;
  for (auto& [name, machine] : stage_.machines)
    if (auto lacks = missing_of(machine); !lacks.empty()) return lacks;
  return {};
}

std::string World::missing_of(SimMachine& machine) {
  if (machine.doomed) return machine.vm ? "the end of the VM of " + machine.name : "";
  if (!machine.settled) return "the join of " + machine.name;
  const auto differs = machine.vm->differs_from(files_of(stage_.drafts.at(machine.node_config)));
  return differs.empty() ? "" : fmt::format("machine {}: {}", machine.name, differs);
}

std::string World::missing_of_config(const std::string& name) {
  const auto config = stage_.get<api::NodeConfig>(name);
  const auto ready = api::conditions::find(config->status.conditions, "Ready");
  const auto checksum = bootstrap::nodeconfig::content_of(config->spec).checksum;
  if (config->status.checksum == checksum && api::conditions::is_true(config->status.conditions, "Ready"))
    return {};
  return fmt::format("NodeConfig {}: {}", name,
                     ready == nullptr ? "says nothing" : std::string(ready->message.view()));
}

std::size_t World::instances_of(const std::string& pool) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      stage_.machines, [&](const auto& entry) { return entry.second.pool == pool && !entry.second.doomed; }));
}

// One instance alone, for each agent takes time to simulate.
void World::shrink_to_pools() {
  for (auto& [name, machine] : stage_.machines)
    if (!machine.doomed && machine.pool.empty()) delete_machine(stage_, machine);
  for (auto& [name, pool] : stage_.pools) resize_pool(stage_, pool, 1);
  expect("small fleet", kTimeToGo, [this] { return missing(); });
}

// And an instance that boots with the new token joins.
void World::expect_rotation() {
  stage_.act("a day at rest");
  shrink_to_pools();
  std::map<std::string, std::string> before;
  for (const auto& [name, pool] : stage_.pools) before[name] = token_in_data(stage_, name);
  const auto known = stage_.token_owners;
  stage_.between_looks = kLookAtRest;
  stage_.rest(kMoreThanADay);
  stage_.between_looks = kUsualLook;
  stage_.rest(kLookAtRest);
  for (auto& [name, pool] : stage_.pools) {
    const auto made = std::ranges::count_if(stage_.token_owners, [&](const auto& token) {
      return token.second == name && !known.contains(token.first);
    });
    stage_.broke(
        not_rotated(name, before.at(name), token_in_data(stage_, name), static_cast<std::size_t>(made)));
    resize_pool(stage_, pool, pool.wanted + 1);
    expect("instances", kTimeToConverge,
           [&] { return instances_of(name) == pool.wanted ? "" : "the new one of " + name; });
  }
  expect("convergence after a day", kTimeToConverge, [this] { return missing(); });
}

// Now and then the provider is away while the last machines go.
void World::expect_clean_end() {
  if (stage_.options.faults && stage_.baton.draw(3) == 0) kill_provider(stage_);
  for (auto& [name, pool] : stage_.pools) delete_pool(stage_, pool);
  for (auto& [name, machine] : stage_.machines)
    if (!machine.doomed) delete_machine(stage_, machine);
  for (const std::string name : {"workers", "others"}) stage_.remove<api::NodeConfig>(name);
  expect("clean end", kTimeToGo, [this] { return left_over(); });
  stage_.rest(kAfterTheEnd);
  expect("lasting end", 0s, [this] { return left_over(); });
}

std::string World::left_over() {
  for (const auto& [name, machine] : stage_.machines)
    if (machine.vm) return "the VM of " + name;
  for (const std::string name : {"workers", "others"})
    if (stage_.get<api::NodeConfig>(name)) return "NodeConfig " + name;
  for (const auto& [name, machine] : stage_.machines)
    if (stage_.secret(name)) return "the bootstrap data of " + name;
  for (const auto& [name, pool] : stage_.pools)
    if (stage_.secret(name)) return "the bootstrap data of " + name;
  return left_in_workload();
}

std::string World::left_in_workload() {
  constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
  const std::array<std::pair<std::string_view, std::string_view>, 4> kinds = {
      {{"", "secrets"}, {kRbac, "roles"}, {kRbac, "rolebindings"}, {kRbac, "clusterrolebindings"}}};
  for (const auto& [group, plural] : kinds)
    for (const auto& object : stage_.workload_api.stored_all(group, plural))
      return fmt::format("{} {}", plural, std::string(object->at("metadata").at("name").as_string()));
  return {};
}

void World::expect(std::string_view what, Nanoseconds within, const std::function<std::string()>& lacks) {
  const SteadyTime until = stage_.baton.steady_now() + within;
  std::string missing = lacks();
  while (!missing.empty() && stage_.baton.steady_now() < until && stage_.verdict.broken.empty()) {
    stage_.rest(5s);
    missing = lacks();
  }
  if (!missing.empty()) stage_.broke(fmt::format("no {}: {}", what, missing));
}

}  // namespace

JoiningVerdict simulate_joining(const JoiningOptions& options) {
  JoiningVerdict verdict;
#ifdef CAPSTAN_DEFECTS
  switch_off(options.without);
#endif
  JoiningStage stage(options, verdict);
  verdict.run = stage.baton.run([&] {
    World(stage).live();
    stage.machines.clear();
  });
  if (!verdict.run.finished() && verdict.broken.empty()) verdict.broken = verdict.run.why;
  return verdict;
}

}  // namespace capstan::joining
