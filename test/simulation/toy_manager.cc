#include "test/simulation/toy_manager.h"

namespace capstan::simulation {

using namespace std::chrono_literals;
using runtime::Change;
using runtime::ObjectKey;

ToyManager::ToyManager(const ToyManagerDeps& deps)
    : deps_(deps),
      randomness_(deps.seed),
      names_(randomness_),
      loop_(deps.threads, deps.clock),
      toy_deps_{.client = deps.client,
                .sets = sets_,
                .toys = toys_,
                .by_owner = toys_.add_index(owner_uids),
                .names = names_,
                .mutant = deps.mutant},
      reconciler_(toy_deps_),
      controller_({.clock = deps.clock,
                   .threads = deps.threads,
                   .client = deps.client,
                   .randomness = randomness_,
                   .log = deps.log},
                  options(), reconciler_),
      set_informer_({.loop = loop_, .client = deps.client, .log = deps.log, .seed = deps.seed},
                    {.resource = kToySets}, sets_),
      toy_informer_({.loop = loop_, .client = deps.client, .log = deps.log, .seed = deps.seed},
                    {.resource = kToys}, toys_) {
  toy_deps_.consistency = &controller_.consistency();
  runtime::trigger_self(sets_, controller_.queue());
  runtime::trigger<Toy>(toys_, controller_.queue(), [mutant = deps.mutant](const Change<Toy>& change) {
    if (mutant == Mutant::ForgetsDeletions && !change.after) return std::vector<ObjectKey>();
    return runtime::owners_of_kind(change, kGroup, kToySets.kind);
  });
}

void ToyManager::run(const std::stop_token& stop) {
  set_informer_.start();
  toy_informer_.start();
  const auto synced = [&] {
    return sets_.synced() && (toys_.synced() || deps_.mutant == Mutant::ActsUnsynced);
  };
  while (!synced()) {
    if (deps_.threads.pause(Deadline::in(deps_.clock, 10ms, stop)) == Woken::Stopped) return;
  }
  controller_.start();
  deps_.threads.pause(Deadline::never(stop));
  controller_.stop();
  toy_informer_.stop();
  set_informer_.stop();
}

runtime::ControllerOptions ToyManager::options() const {
  runtime::ControllerOptions options{.name = "toyset", .kind = "ToySet", .concurrency = 3};
  if (deps_.mutant == Mutant::ImpatientGate) options.consistency.request_timeout = 0s;
  return options;
}

runtime::IndexValues ToyManager::owner_uids(const Toy& toy) {
  runtime::IndexValues uids;
  for (const auto& owner : *toy.metadata.owner_references) uids.emplace_back(Text(owner.uid.str()));
  return uids;
}

}  // namespace capstan::simulation
