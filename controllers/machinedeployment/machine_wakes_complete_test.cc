// No change of a Machine that its MachineDeployment does not hear of would let it decide otherwise: each pair
// of states of one Machine, beside one that waits for a place, under several policies.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/policy/names.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/lifecycle/replacements.h"
#include "controllers/lifecycle/victims.h"
#include "controllers/machinedeployment/machine_wakes.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machinedeployment {
namespace {

namespace annotation = api::policy::annotation;
using builders::a_machine;
using builders::MachineBuilder;
using builders::noon;
using lifecycle::MachineSnapshot;
using lifecycle::Phase;

constexpr Time kLater = noon() + Seconds(3600);

MachineBuilder one_that(std::string_view name, Phase phase, std::string_view message = {}) {
  return a_machine(name).in_set("s").condition(api::policy::condition::kLifecycle,
                                               lifecycle::status_of(phase), lifecycle::to_string(phase),
                                               message, noon());
}

struct State {
  std::string name = {};
  MachineSnapshot machine = {};  // null: not there
};

void add_variants(Phase phase, std::vector<State>& states) {
  const std::string name(lifecycle::to_string(phase));
  const auto add = [&](std::string what, MachineBuilder machine) {
    states.push_back({name + what, machine.shared()});
  };
  add("", one_that("m", phase));
  add(" granted", one_that("m", phase).annotated(annotation::kReplacementGranted, noon().to_string()));
  add(" preserved", one_that("m", phase).annotated(annotation::kPreserveUntil, kLater.to_string()));
  add(" deleting", one_that("m", phase).deleting());
  add(" paused", one_that("m", phase).paused());
  add(" patient", one_that("m", phase).annotated(annotation::kHealthTimeout, "604800"));
  add(" exempt", one_that("m", phase).annotated(api::annotation::kSkipRemediation));
  add(" asked for", one_that("m", phase, "HealthCheck Processing ReplaceRequested: a user"));
}

std::vector<State> all_states() {
  std::vector<State> states = {{"not there"}, {"fresh", a_machine("m").in_set("s").shared()}};
  for (const Phase phase : lifecycle::kPhases) add_variants(phase, states);
  return states;
}

struct Rules {
  api::MachineLifecyclePolicySpec policy = {};
  std::int32_t limit = 1;
  std::int32_t replicas = 2;
};

std::vector<std::string> granted(const State& state, const Rules& rules) {
  std::vector<MachineSnapshot> machines = {one_that("waits", Phase::Unhealthy).shared()};
  if (state.machine) machines.push_back(state.machine);
  const auto missing = std::max(0, rules.replicas - static_cast<std::int32_t>(machines.size()));
  const auto decided = lifecycle::replacements({.now = kLater,
                                                .contact = {.now = true, .since = noon()},
                                                .policy = rules.policy,
                                                .machines = machines,
                                                .missing = missing,
                                                .limit = rules.limit,
                                                .may_be_replaced = [](const auto&) { return true; }});
  std::vector<std::string> names;
  for (const auto& machine : decided.granted) names.push_back(machine->metadata.name.str());
  return names;
}

bool grants_more(const State& before, const State& after, const Rules& rules) {
  const auto known = granted(before, rules);
  return std::ranges::any_of(granted(after, rules), [&](const std::string& name) {
    return std::ranges::find(known, name) == known.end();
  });
}

bool drops_a_victim(const State& before, const State& after) {
  return lifecycle::objection_to(before.machine.get()) != lifecycle::objection_to(after.machine.get());
}

bool counts_otherwise(const State& before, const State& after) {
  const auto counts = [](const State& state) {
    return state.machine && lifecycle::is_preserved_failure(*state.machine);
  };
  return counts(before) != counts(after);
}

std::vector<Rules> all_rules() {
  std::vector<Rules> all;
  for (const auto& counted : {std::vector<Phase>{},
                              {Phase::Failed, Phase::Terminating},
                              {Phase::Creating},
                              {Phase::Unhealthy, Phase::Joining}}) {
    api::PolicyReplacement group;
    std::vector<Text> words;
    for (const Phase phase : counted) words.emplace_back(lifecycle::to_string(phase));
    group.count_states = api::List<Text>(std::move(words));
    auto policy = builders::a_policy("p").node_checks({.timeout_seconds = 600}).build().spec;
    policy.replacement = std::move(group);
    for (const int limit : {1, 2})
      for (const int replicas : {1, 2}) all.push_back({policy, limit, replicas});
  }
  return all;
}

TEST(MachineWakes, LeaveOutNothingThatWouldBeDecidedOtherwise) {
  const auto deployment = builders::a_machine_deployment().annotated(annotation::kVictims, "m").build();
  const auto states = all_states();
  int unheard = 0;
  for (const Rules& rules : all_rules()) {
    api::MachineLifecyclePolicy policy;
    policy.spec = rules.policy;
    const Heeded by = heeded_by(deployment, &policy);
    for (const State& before : states) {
      for (const State& after : states) {
        if (wake_of(before.machine.get(), after.machine.get(), by) != Wake::None) continue;
        ++unheard;
        EXPECT_FALSE(grants_more(before, after, rules)) << before.name << " -> " << after.name;
        EXPECT_FALSE(drops_a_victim(before, after)) << before.name << " -> " << after.name;
        EXPECT_FALSE(counts_otherwise(before, after)) << before.name << " -> " << after.name;
      }
    }
  }
  EXPECT_GT(unheard, 1000);
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
