#include "controllers/inplace/world_fixture.h"

#include "api/names.h"
#include "api/policy/names.h"

namespace capstan::controllers::inplace {
namespace {

using builders::noon;

api::MachineSet set_of(std::string_view name, std::string_view version, std::int32_t replicas) {
  return builders::a_machine_set(name)
      .in_deployment("md1")
      .with([&](api::MachineSet& set) {
        const auto md = builders::a_machine_deployment().build();
        set.spec.machine_template.spec = md.spec.machine_template.spec;
      })
      .version(version)
      .replicas(replicas)
      .build();
}

}  // namespace

InPlaceWorld::InPlaceWorld()
    : deployment(builders::a_machine_deployment().replicas(3).version("v1.36.0").build()),
      old(set_of("old", "v1.35.0", 3)),
      newest(set_of("new", "v1.36.0", 0)) {
  seen.wanted = api::PolicyInPlace{.mode = Text("Auto"), .timeout_seconds = 60};
  seen.sees_nodes = true;
  seen.contact = {.now = true, .since = noon() + Seconds(-3600)};
}

MachineSeen& InPlaceWorld::add(std::string_view name, std::string_view set, std::string_view mark) {
  auto machine = builders::a_machine(name).in_set(set).running().available();
  if (!mark.empty()) machine.annotated(api::policy::annotation::kInPlaceUpdate, mark);
  MachineSeen each{.machine = machine.shared(), .set = std::string(set)};
  each.mark = update_mark_of(*each.machine);
  each.node = builders::a_node(name).shared();
  seen.machines.push_back(std::move(each));
  return seen.machines.back();
}

void InPlaceWorld::label(MachineSeen& each, std::string_view key, std::string_view value) {
  api::Node node = *each.node;
  node.metadata.labels.set(Text(key), Text(value));
  each.node = std::make_shared<const api::Node>(std::move(node));
}

void InPlaceWorld::note(api::MachineSet& set, std::string_view key, std::string_view names) {
  set.metadata.annotations.set(Text(key), Text(names));
}

Question InPlaceWorld::question() {
  choice_.newest = std::make_shared<const api::MachineSet>(newest);
  choice_.old = {std::make_shared<const api::MachineSet>(old)};
  return {.now = noon(),
          .seen = seen,
          .deployment = deployment,
          .choice = choice_,
          .limits = limits,
          .may_go_on = may_go_on};
}

std::vector<std::string> steps(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Action& action : plan.actions) lines.push_back(describe(action));
  return lines;
}

}  // namespace capstan::controllers::inplace
