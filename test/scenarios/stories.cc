#include "test/scenarios/stories.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "test/builders/machine_deployment.h"

namespace capstan::scenarios {
namespace {

using builders::MachineDeploymentBuilder;

IntOrString percent(std::string_view text) { return IntOrString(Text(text)); }

MachineDeploymentBuilder web(std::int32_t replicas, IntOrString surge, IntOrString unavailable) {
  return builders::a_machine_deployment("web").replicas(replicas).version("v1.33.0").rolling(
      std::move(surge), std::move(unavailable));
}
MachineDeploymentBuilder web(std::int32_t replicas, std::int32_t surge, std::int32_t unavailable) {
  return web(replicas, IntOrString(surge), IntOrString(unavailable));
}

// --- when a user acts ---

using When = std::function<bool(const RolloutWorld&)>;

When at_once() {
  return [](const RolloutWorld&) { return true; };
}
When available(const std::string& set, Count number) {
  return [=](const RolloutWorld& world) { return world.available_of(set) >= number; };
}
When shrunk(const std::string& set, Count number) {
  return [=](const RolloutWorld& world) { return world.machines_of(set) <= number; };
}
// The deployment has seen it.
When counted(const std::string& set, Count available) {
  return [=](const RolloutWorld& world) {
    return world.sets().at(set).status.available_replicas == available &&
           world.deployment()->status.available_replicas == available;
  };
}
When present(const std::string& set) {
  return [=](const RolloutWorld& world) { return world.has_set(set); };
}
When going(const std::string& machine) {
  return [=](const RolloutWorld& world) { return world.machines().at(machine).metadata.deleting(); };
}
When at_rest() { return &RolloutWorld::at_rest; }
When quiet() { return is_settled; }

// --- what a user does ---

UserAct upgrades(const std::string& version, When when = at_once()) {
  return {"wants version " + version, std::move(when), [=](RolloutWorld& world) { world.upgrade(version); }};
}
UserAct scales(std::int32_t replicas, When when = at_once()) {
  return {"wants " + std::to_string(replicas) + " replicas", std::move(when),
          [=](RolloutWorld& world) { world.scale(replicas); }};
}
UserAct pauses(When when = at_once()) {
  return {"pauses the rollout", std::move(when),
          [](RolloutWorld& world) { world.change([](auto& deployment) { deployment.spec.paused = true; }); }};
}
UserAct resumes(When when = at_once()) {
  return {"resumes the rollout", std::move(when), [](RolloutWorld& world) {
            world.change([](auto& deployment) { deployment.spec.paused.reset(); });
          }};
}
UserAct deletes(When when = at_once()) {
  return {"deletes the MachineDeployment", std::move(when),
          [](RolloutWorld& world) { world.delete_deployment(); }};
}
UserAct deletes_machine(const std::string& name, When when = at_once()) {
  return {"deletes Machine " + name, std::move(when),
          [=](RolloutWorld& world) { world.delete_machine(name); }};
}
UserAct holds_machine(const std::string& name) {
  return {fmt::format("puts a finalizer on Machine {}", name), at_once(),
          [=](RolloutWorld& world) { world.hold_machine(name); }};
}
UserAct releases_machine(const std::string& name, When when) {
  return {fmt::format("takes the finalizer off Machine {}", name), std::move(when),
          [=](RolloutWorld& world) { world.release_machine(name); }};
}
UserAct limits(std::int32_t surge, std::int32_t unavailable, When when = at_once()) {
  return {fmt::format("wants surge {}, unavailable {}", surge, unavailable), std::move(when),
          [=](RolloutWorld& world) {
            world.change([=](auto& deployment) {
              auto& rolling = deployment.spec.rollout.strategy->rolling_update;
              rolling.max_surge = IntOrString(surge);
              rolling.max_unavailable = IntOrString(unavailable);
            });
          }};
}
UserAct labels(const std::string& key, const std::string& value, When when = at_once()) {
  return {fmt::format("gives the template the label {}={}", key, value), std::move(when),
          [=](RolloutWorld& world) {
            world.change(
                [=](auto& deployment) { deployment.spec.machine_template.metadata.labels.set(key, value); });
          }};
}
UserAct breaks(const std::string& name, When when = at_once()) {
  return {"Machine " + name + " breaks", std::move(when),
          [=](RolloutWorld& world) { world.break_machine(name); }};
}
UserAct stalls(const std::string& name, When when = at_once()) {
  return {"Machine " + name + " is no longer ready, for reasons of its own", std::move(when),
          [=](RolloutWorld& world) { world.stall_machine(name); }};
}
UserAct heals(const std::string& name, When when = at_once()) {
  return {"Machine " + name + " recovers", std::move(when),
          [=](RolloutWorld& world) { world.heal_machine(name); }};
}
UserAct rolls_after(Seconds span, When when = at_once()) {
  return {fmt::format("wants Machines older than the moment in {} s replaced", span.count()), std::move(when),
          [=](RolloutWorld& world) {
            world.change([&](auto& deployment) { deployment.spec.rollout.after = world.now() + span; });
          }};
}
UserAct waits(Seconds span, When when = at_once()) {
  return {fmt::format("waits {} s", span.count()), std::move(when),
          [=](RolloutWorld& world) { world.let_time_pass(span); }};
}

std::function<bool(const api::Machine&)> broken_version(const std::string& version) {
  return [=](const api::Machine& machine) { return machine.spec.version == version; };
}

// --- how it ends ---

When gone() {
  return [](const RolloutWorld& world) {
    return !world.deployment() && world.sets().empty() && world.machines().empty();
  };
}
When fleet(const std::map<std::string, Count>& wanted) {
  return [=](const RolloutWorld& world) {
    if (world.sets().size() != wanted.size()) return false;
    return std::ranges::all_of(
        wanted, [&](const auto& each) { return world.machines_of(each.first) == each.second; });
  };
}

void add_limits(std::vector<Story>& all) {
  const auto roll = [&](std::string name, std::string title, const MachineDeploymentBuilder& deployment) {
    all.push_back({.name = std::move(name),
                   .title = std::move(title),
                   .deployment = deployment,
                   .behaviour = {.user = {upgrades("v1.34.0")}}});
  };
  roll("roll-surge-1", "three replicas, surge 1: up before down", web(3, 1, 0));
  roll("roll-unavailable-1", "three replicas, unavailable 1: down before up", web(3, 0, 1));
  roll("roll-surge-1-unavailable-1", "three replicas, surge 1, unavailable 1", web(3, 1, 1));
  roll("roll-6-surge-3-unavailable-1", "six replicas, surge 3, unavailable 1: both ends at once",
       web(6, 3, 1));
  roll("roll-4-surge-2-unavailable-2", "four replicas, surge 2, unavailable 2", web(4, 2, 2));
  roll("roll-half-and-half", "three replicas, 50 % and 50 %: surge 2, unavailable 1",
       web(3, percent("50%"), percent("50%")));
  roll("roll-quarters-of-4", "four replicas, 25 % and 25 %: surge 1, unavailable 1",
       web(4, percent("25%"), percent("25%")));
  roll("roll-quarters-of-10", "ten replicas, 25 % and 25 %: surge 3, unavailable 2",
       web(10, percent("25%"), percent("25%")));
  roll("roll-all-at-once", "three replicas, surge 100 %: a second fleet, then the first one goes",
       web(3, percent("100%"), percent("0%")));
  roll("roll-unavailable-100", "three replicas, unavailable 100 %: everything goes, then everything comes",
       web(3, percent("0%"), percent("100%")));
  roll("roll-unavailable-more-than-there-is", "two replicas, unavailable 5: no more than there are",
       web(2, 0, 5));
  roll("roll-percent-of-1", "one replica, 25 % and 25 %: surge rounds up to 1, unavailable down to 0",
       web(1, percent("25%"), percent("25%")));
  roll("roll-percent-of-2", "two replicas, 25 % and 25 %: surge rounds up to 1, unavailable down to 0",
       web(2, percent("25%"), percent("25%")));
  roll("roll-half-of-1", "one replica, unavailable 50 %: rounds down to nothing, so one may be missing",
       web(1, percent("0%"), percent("50%")));
  roll("roll-zero-percent-of-1", "one replica, 0 % and 0 %: one may be missing, or nothing would ever move",
       web(1, percent("0%"), percent("0%")));
  roll("roll-zero-percent-of-3", "three replicas, 0 % and 0 %: one may be missing",
       web(3, percent("0%"), percent("0%")));
  roll("roll-one-percent-of-3", "three replicas, surge 1 %: rounds up to 1",
       web(3, percent("1%"), percent("0%")));
  roll("roll-nothing", "no replicas: the new set takes over without a Machine", web(0, 1, 0));
}

void add_scaling(std::vector<Story>& all) {
  all.push_back({.name = "first-machines",
                 .title = "a new MachineDeployment of three",
                 .deployment = web(3, 1, 0),
                 .from_nothing = true});
  all.push_back({.name = "scale-up",
                 .title = "from three to five",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {scales(5)}}});
  all.push_back({.name = "scale-down",
                 .title = "from five to two",
                 .deployment = web(5, 1, 0),
                 .behaviour = {.user = {scales(2)}}});
  all.push_back({.name = "scale-to-zero-and-back",
                 .title = "from three to nothing and back to two",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {scales(0), scales(2, quiet())}}});
  all.push_back({.name = "scale-up-while-rolling",
                 .title = "a rollout of three becomes one of five",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), scales(5, available("web-2", 1))}}});
  all.push_back({.name = "scale-down-while-rolling",
                 .title = "a rollout of six becomes one of three",
                 .deployment = web(6, 2, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), scales(3, available("web-2", 2))}}});
  all.push_back({.name = "scale-down-late-in-a-rollout",
                 .title = "most are new already when six become two",
                 .deployment = web(6, 2, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), scales(2, available("web-2", 4))}}});
  all.push_back({.name = "scale-to-zero-while-rolling",
                 .title = "nothing is wanted any more half-way",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), scales(0, available("web-2", 1))}}});
  all.push_back({.name = "limits-change-while-rolling",
                 .title = "surge 1 becomes surge 3 half-way",
                 .deployment = web(4, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), limits(3, 0, available("web-2", 1))}}});
}

void add_revisions(std::vector<Story>& all) {
  all.push_back({.name = "back-half-way",
                 .title = "the template is changed back half-way: the old set grows again",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), upgrades("v1.33.0", available("web-2", 2))}}});
  all.push_back(
      {.name = "back-afterwards",
       .title = "the template is changed back after the rollout: the old set is gone, a third is made",
       .deployment = web(2, 1, 0),
       .behaviour = {.user = {upgrades("v1.34.0"), upgrades("v1.33.0", [](const RolloutWorld& world) {
                                return world.has_set("web-2") && is_settled(world);
                              })}}});
  all.push_back({.name = "three-revisions",
                 .title = "a third template before the second is rolled out",
                 .deployment = web(4, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), upgrades("v1.35.0", available("web-2", 2))}}});
  all.push_back({.name = "back-to-the-first-of-three",
                 .title = "three templates, and back to the first",
                 .deployment = web(4, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), upgrades("v1.35.0", available("web-2", 2)),
                                        upgrades("v1.33.0", available("web-3", 1))}}});
  all.push_back({.name = "two-changes-at-once",
                 .title = "a second change before the first has had a Machine",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), upgrades("v1.35.0", present("web-2"))}}});
  all.push_back(
      {.name = "label-while-rolling",
       .title = "a label of the template reaches old and new Machines, and replaces none",
       .deployment = web(3, 1, 0),
       .behaviour = {.user = {upgrades("v1.34.0"), labels("team", "blue", available("web-2", 1))}}});
  all.push_back({.name = "label-alone",
                 .title = "a label of the template alone: no rollout",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {labels("team", "blue")}}});
  all.push_back({.name = "rollout-after-passed",
                 .title = "rollout.after in the past replaces what is older",
                 .deployment = web(2, 1, 0),
                 .behaviour = {.user = {rolls_after(Seconds(-10))}}});
  all.push_back({.name = "rollout-after-ahead",
                 .title = "rollout.after in the future: nothing until then",
                 .deployment = web(2, 1, 0),
                 .behaviour = {.user = {rolls_after(Seconds(3600)), waits(Seconds(3605), quiet())}}});
}

void add_broken(std::vector<Story>& all) {
  all.push_back({.name = "new-machines-broken",
                 .title = "new Machines never work: the old ones stay",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0")}, .stays_broken = broken_version("v1.34.0")},
                 .end = fleet({{"web-1", 3}, {"web-2", 1}})});
  all.push_back({.name = "new-machines-broken-unavailable-1",
                 .title = "new Machines never work: no more is lost than was given away",
                 .deployment = web(3, 1, 1),
                 .behaviour = {.user = {upgrades("v1.34.0")}, .stays_broken = broken_version("v1.34.0")},
                 .end = fleet({{"web-1", 2}, {"web-2", 2}})});
  all.push_back({.name = "new-machines-broken-then-repaired",
                 .title = "a third template repairs the second",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), upgrades("v1.34.1",
                                                                      [](const RolloutWorld& world) {
                                                                        return world.machines_of("web-2") ==
                                                                               1;
                                                                      })},
                               .stays_broken = broken_version("v1.34.0")}});
  all.push_back({.name = "new-machines-broken-then-back",
                 .title = "back to the template that worked",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), upgrades("v1.33.0",
                                                                      [](const RolloutWorld& world) {
                                                                        return world.machines_of("web-2") ==
                                                                               1;
                                                                      })},
                               .stays_broken = broken_version("v1.34.0")}});
  all.push_back({.name = "old-machine-broken",
                 .title = "a broken old Machine goes first",
                 .deployment = web(3, 1, 1),
                 .behaviour = {.user = {breaks("web-1-b"), upgrades("v1.34.0")}}});
  all.push_back(
      {.name = "old-machine-broken-deadlock",
       .title = "a broken old Machine and nothing to spare: one step below the promise frees the rollout",
       .deployment = web(3, 1, 0),
       .behaviour = {.user = {breaks("web-1-b"), upgrades("v1.34.0")}}});
  all.push_back({.name = "old-machines-all-broken",
                 .title = "nothing works any more: the rollout repairs it",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {breaks("web-1-a"), breaks("web-1-b"), breaks("web-1-c"),
                                        upgrades("v1.34.0")}}});
  all.push_back({.name = "new-machine-breaks-and-recovers",
                 .title = "a new Machine fails and recovers half-way",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), breaks("web-2-a", available("web-2", 1)),
                                        heals("web-2-a", at_once())},
                               .allowed = {Exception::UnseenFailure}}});
  all.push_back({.name = "machine-deleted-by-hand",
                 .title = "somebody deletes a Machine: it is replaced",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {deletes_machine("web-1-b")}}});
  all.push_back(
      {.name = "machine-deleted-while-rolling",
       .title = "somebody deletes a new Machine half-way",
       .deployment = web(3, 1, 0),
       .behaviour = {.user = {upgrades("v1.34.0"), deletes_machine("web-2-a", available("web-2", 1))},
                     .allowed = {Exception::UnseenFailure}}});
}

// Where the reference goes below what was promised: by an order of age the sets take sound Machines too.
void add_exceptions(std::vector<Story>& all) {
  const auto by_age = [](std::int32_t replicas) {
    return web(replicas, 1, 0).with([](api::MachineDeployment& deployment) {
      deployment.spec.deletion.order = Text(api::deletion_order::kOldest);
    });
  };
  all.push_back(
      {.name = "old-machine-stalled-deadlock",
       .title = "nothing to spare, and the order of age does not ask which old Machine does not work",
       .deployment = by_age(3),
       .behaviour = {.user = {stalls("web-1-c"), upgrades("v1.34.0", counted("web-1", 2))},
                     .allowed = {Exception::DeadlockBreaker}}});
  all.push_back({.name = "scale-down-with-stalled-machines",
                 .title = "scaled down by age while two Machines do not work: sound ones go all the same",
                 .deployment = by_age(5),
                 .behaviour = {.user = {stalls("web-1-d"), stalls("web-1-e"), scales(3, counted("web-1", 3)),
                                        heals("web-1-d", shrunk("web-1", 3)), heals("web-1-e")},
                               .allowed = {Exception::NewSetScalesDown}}});
  all.push_back(
      {.name = "scale-down-takes-stalled-machines",
       .title = "scaled down while two Machines do not work: these two go",
       .deployment = web(5, 1, 0),
       .behaviour = {.user = {stalls("web-1-d"), stalls("web-1-e"), scales(3, counted("web-1", 3))}}});
  all.push_back({.name = "paused-scaling-down-with-stalled-machines",
                 .title = "paused and scaled down by age while a Machine does not work: a sound one goes",
                 .deployment = by_age(4),
                 .behaviour = {.user = {stalls("web-1-d"), pauses(counted("web-1", 3)), scales(3),
                                        heals("web-1-d", shrunk("web-1", 3))},
                               .allowed = {Exception::PausedScaling}}});
}

void add_on_delete(std::vector<Story>& all) {
  const auto on_delete = [](std::int32_t replicas) {
    return builders::a_machine_deployment("web").replicas(replicas).version("v1.33.0").on_delete();
  };
  all.push_back({.name = "on-delete-waits",
                 .title = "OnDelete: a new template alone replaces nothing",
                 .deployment = on_delete(3),
                 .behaviour = {.user = {upgrades("v1.34.0")}},
                 .end = fleet({{"web-1", 3}, {"web-2", 0}})});
  all.push_back({.name = "on-delete-one-by-one",
                 .title = "OnDelete: each deleted Machine comes back new",
                 .deployment = on_delete(2),
                 .behaviour = {.user = {upgrades("v1.34.0"), deletes_machine("web-1-a", present("web-2")),
                                        deletes_machine("web-1-b", available("web-2", 1))}}});
  all.push_back({.name = "on-delete-scale-up",
                 .title = "OnDelete: what is added is new",
                 .deployment = on_delete(2),
                 .behaviour = {.user = {upgrades("v1.34.0"), scales(4, present("web-2"))}},
                 .end = fleet({{"web-1", 2}, {"web-2", 2}})});
  all.push_back({.name = "on-delete-scale-down",
                 .title = "OnDelete: what is too much is old",
                 .deployment = on_delete(4),
                 .behaviour = {.user = {upgrades("v1.34.0"), scales(2, present("web-2"))}},
                 .end = fleet({{"web-1", 2}, {"web-2", 0}})});
  all.push_back(
      {.name = "on-delete-becomes-rolling",
       .title = "OnDelete is given up: the rollout goes on by itself",
       .deployment = on_delete(3),
       .behaviour = {.user = {upgrades("v1.34.0"),
                              {"turns to RollingUpdate, surge 1", present("web-2"), [](RolloutWorld& world) {
                                 world.change([](auto& deployment) {
                                   deployment.spec.rollout.strategy = api::RolloutStrategy{
                                       .type = Text(api::rollout_strategy::kRollingUpdate)};
                                 });
                               }}}}});
}

void add_paused(std::vector<Story>& all) {
  all.push_back({.name = "paused-template",
                 .title = "paused: a new template waits for the rollout to go on",
                 .deployment = web(2, 1, 0),
                 .behaviour = {.user = {pauses(), upgrades("v1.34.0"), resumes(quiet())}}});
  all.push_back({.name = "paused-scaling",
                 .title = "paused: replicas are followed all the same",
                 .deployment = web(2, 1, 0),
                 .behaviour = {.user = {pauses(), scales(4)}}});
  all.push_back({.name = "paused-from-the-start",
                 .title = "paused from the start: nothing is made until the rollout may go on",
                 .deployment = web(2, 1, 0).rollout_paused(),
                 .behaviour = {.user = {resumes([](const RolloutWorld& world) {
                                 return world.deployment()->status.phase == "ScalingUp";
                               })}},
                 .from_nothing = true});
  all.push_back(
      {.name = "paused-scaling-up-half-way",
       .title = "paused half-way and scaled up: the largest set takes it all",
       .deployment = web(4, 1, 0),
       .behaviour = {.user = {upgrades("v1.34.0"), pauses(available("web-2", 1)), scales(7),
                              resumes([](const RolloutWorld& world) { return world.available() >= 8; })}}});
  all.push_back(
      {.name = "paused-scaling-down-half-way",
       .title = "paused half-way and scaled down: the largest set gives it all",
       .deployment = web(6, 1, 0),
       .behaviour = {.user = {upgrades("v1.34.0"), pauses(available("web-2", 2)), scales(3),
                              resumes([](const RolloutWorld& world) { return world.total() <= 4; })}}});
  all.push_back(
      {.name = "paused-while-a-machine-is-held",
       .title = "paused while a finalizer holds a deleted Machine: it counts until it is gone",
       .deployment = web(4, 1, 0),
       .behaviour = {.user = {holds_machine("web-1-c"), upgrades("v1.34.0"), pauses(going("web-1-c")),
                              releases_machine("web-1-c", at_rest()), resumes(at_rest())}}});
  all.push_back(
      {.name = "paused-while-the-last-old-machine-is-held",
       .title = "paused while a finalizer holds the last old Machine: the new set waits for it",
       .deployment = web(4, 0, 1),
       .behaviour = {.user = {holds_machine("web-1-d"), upgrades("v1.34.0"), pauses(going("web-1-d")),
                              releases_machine("web-1-d", at_rest()), resumes(at_rest())}}});
  all.push_back({.name = "paused-to-zero",
                 .title = "paused half-way and scaled to nothing",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), pauses(available("web-2", 1)), scales(0)}},
                 .end = fleet({{"web-1", 0}, {"web-2", 0}})});
}

void add_deletion(std::vector<Story>& all) {
  all.push_back({.name = "deleted",
                 .title = "deleted at rest",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {deletes()}},
                 .end = gone()});
  all.push_back({.name = "deleted-half-way",
                 .title = "deleted in the middle of a rollout",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {upgrades("v1.34.0"), deletes(available("web-2", 1))}},
                 .end = gone()});
  all.push_back({.name = "deleted-at-birth",
                 .title = "deleted before its first Machine works",
                 .deployment = web(3, 1, 0),
                 .behaviour = {.user = {deletes(present("web-1"))}},
                 .from_nothing = true,
                 .end = gone()});
  all.push_back({.name = "selector-misses-template",
                 .title = "a selector that does not match its own template: nothing is made",
                 .deployment = web(3, 1, 0).with(
                     [](auto& deployment) { deployment.spec.selector.match_labels.set("team", "red"); }),
                 .behaviour = {.user = {labels("team", "red",
                                               [](const RolloutWorld& world) {
                                                 return world.deployment()->status.phase == "ScalingUp";
                                               })}},
                 .from_nothing = true});
}

}  // namespace

bool is_settled(const RolloutWorld& world) {
  if (!world.deployment() || world.sets().size() != 1) return false;
  const auto& deployment = *world.deployment();
  const api::MachineSet& set = world.sets().begin()->second;
  const Count wanted = *deployment.spec.replicas;
  return *set.spec.replicas == wanted && world.total() == wanted && world.available() == wanted &&
         deployment.status.replicas == wanted && deployment.status.available_replicas == wanted;
}

bool has_arrived(const RolloutWorld& world) {
  return is_settled(world) && std::ranges::all_of(world.machines(), [&](const auto& each) {
           return each.second.spec.version == world.deployment()->spec.machine_template.spec.version &&
                  api::conditions::is_true(each.second.status.conditions, api::condition::kUpToDate);
         });
}

std::vector<Story> all_stories() {
  std::vector<Story> all;
  add_limits(all);
  add_scaling(all);
  add_revisions(all);
  add_broken(all);
  add_exceptions(all);
  add_on_delete(all);
  add_paused(all);
  add_deletion(all);
  return all;
}

}  // namespace capstan::scenarios
