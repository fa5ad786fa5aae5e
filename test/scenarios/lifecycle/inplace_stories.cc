#include "test/scenarios/lifecycle/inplace_stories.h"

#include <fmt/format.h>

#include "api/policy/names.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::scenarios {
namespace {

using namespace std::chrono_literals;
namespace label = api::policy::label;
using Promise = std::function<std::string(const LifecycleWorld&)>;

constexpr std::string_view kWanted = "v1.36.0";

api::MachineLifecyclePolicy updating(api::PolicyInPlace in_place = {}) {
  return builders::a_policy("care").selecting("team", "a").rollout({.in_place = std::move(in_place)});
}

// --- what happens ---

json::value may_be_unavailable(int machines) {
  return {{"strategy", {{"rollingUpdate", {{"maxSurge", 0}, {"maxUnavailable", machines}}}}}};
}
LifecycleAct wants(Seconds at, std::string_view version = kWanted, int unavailable = 1) {
  return {at, fmt::format("a user wants version {}, {} may be unavailable", version, unavailable),
          [version = std::string(version), unavailable](LifecycleWorld& world) {
            world.patch_owner({{"spec",
                                {{"rollout", may_be_unavailable(unavailable)},
                                 {"template", {{"spec", {{"version", version}}}}}}}});
          }};
}
LifecycleAct wants_with_surge(Seconds at) {
  return {at, fmt::format("a user wants version {}, with the default surge of one Machine", kWanted),
          [](LifecycleWorld& world) {
            world.patch_owner({{"spec", {{"template", {{"spec", {{"version", kWanted}}}}}}}});
          }};
}
LifecycleAct wants_template(Seconds at, std::string what, json::value of_machine) {
  return {at, std::move(what), [of_machine = std::move(of_machine)](LifecycleWorld& world) {
            world.make_templates("other");
            world.patch_owner(
                {{"spec", {{"rollout", may_be_unavailable(1)}, {"template", {{"spec", of_machine}}}}}});
          }};
}
LifecycleAct wants_replicas(Seconds at, int replicas) {
  return {at, fmt::format("a user wants {} replicas", replicas),
          [=](LifecycleWorld& world) { world.patch_owner({{"spec", {{"replicas", replicas}}}}); }};
}
LifecycleAct selects(Seconds at, int machine) {
  return {at, fmt::format("a user selects the Node of m{}", machine),
          [=](LifecycleWorld& world) { world.label_node(machine, label::kSelectedForUpdate, "true"); }};
}
LifecycleAct mends(Seconds at, int machine) {
  return {at, fmt::format("a user mends the Node of m{}, and takes the result off it", machine),
          [=](LifecycleWorld& world) {
            world.mend_agent(machine);
            world.label_node(machine, label::kUpdateResult, std::nullopt);
          }};
}
LifecycleAct mends_agent_and_wants(Seconds at, int machine, std::string version) {
  return {at, fmt::format("a user mends the template, and wants version {}", version),
          [=](LifecycleWorld& world) {
            world.mend_agent(machine);
            world.patch_owner({{"spec", {{"template", {{"spec", {{"version", version}}}}}}}});
          }};
}
LifecycleAct deletes_policy(Seconds at) {
  return {at, "a user deletes the policy", [](LifecycleWorld& world) { world.delete_policy(); }};
}
LifecycleAct deletes(Seconds at, int machine) {
  return {at, fmt::format("a user deletes m{}", machine),
          [=](LifecycleWorld& world) { world.delete_machine(machine); }};
}
LifecycleAct annotates_owner(Seconds at, std::string_view key, json::value value) {
  return {at, fmt::format("a user sets {} of web to {}", key, json::serialize(value)),
          [key = std::string(key), value = std::move(value)](LifecycleWorld& world) {
            world.patch_owner({{"metadata", {{"annotations", {{key, value}}}}}});
          }};
}

// --- promises ---

Promise number(std::string what, int (*count)(const LifecycleWorld&), int wanted) {
  return [=](const LifecycleWorld& world) {
    const int found = count(world);
    return found == wanted ? std::string() : fmt::format("{}: {}, not {}", what, found, wanted);
  };
}
Promise made(int wanted) {
  return number("Machines that were made", [](const LifecycleWorld& world) { return world.made(); }, wanted);
}
Promise deleted(int wanted) {
  return number(
      "Machines that were deleted", [](const LifecycleWorld& world) { return world.deleted(); }, wanted);
}
Promise never_more_than(int machines) {
  return [=](const LifecycleWorld& world) {
    const int found = world.most_there();
    return found <= machines ? std::string() : fmt::format("{} Machines were there at a time", found);
  };
}
Promise updated_at_a_time(int wanted) {
  return number(
      "Machines updated at a time", [](const LifecycleWorld& world) { return world.most_updated(); }, wanted);
}
Promise has_version(int machine, std::string_view version) {
  return [=, version = std::string(version)](const LifecycleWorld& world) {
    const auto found = world.machine_version(machine);
    return found == version ? std::string()
                            : fmt::format("m{} has version {:?}, not {:?}", machine, found, version);
  };
}
Promise is_configured_by(int machine, std::string source) {
  return [=](const LifecycleWorld& world) {
    const auto found = world.bootstrap_source(machine);
    return found == source ? std::string()
                           : fmt::format("the configuration of m{} is of {}, not {}", machine, found, source);
  };
}
Promise node_has(int machine, std::string_view key, std::string value) {
  return [=, key = std::string(key)](const LifecycleWorld& world) {
    const auto found = world.node_value(machine, key);
    return found == value ? std::string()
                          : fmt::format("the Node of m{} has {}: {}, not {}", machine, key, found, value);
  };
}
Promise rollout_is(std::string progress) {
  return [=](const LifecycleWorld& world) {
    return world.progress() == progress ? std::string() : fmt::format("the rollout is {}", world.progress());
  };
}
Promise all(std::vector<Promise> promises) {
  return [promises = std::move(promises)](const LifecycleWorld& world) {
    for (const auto& promise : promises)
      if (auto broken = promise(world); !broken.empty()) return broken;
    return std::string();
  };
}
// Nothing was made or deleted, and one Machine at a time was updated.
Promise kept_all_three() { return all({made(3), deleted(0), never_more_than(3), updated_at_a_time(1)}); }
Promise all_three_have(std::string_view version) {
  return all({has_version(1, version), has_version(2, version), has_version(3, version)});
}
Promise rollout_is_over() { return rollout_is("True NewMachineSetAvailable"); }

// --- the stories ---

void tell_of_automatic_updates(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "updated-one-after-the-other",
                     .title = "three Machines get another version in place, one after the other",
                     .policy = updating(),
                     .told_of_nodes = {std::string(label::kReadyForUpdate)},
                     .acts = {wants(5s)},
                     .length = 300s,
                     .broken = all({kept_all_three(), all_three_have(kWanted), rollout_is_over(),
                                    node_has(1, label::kCandidateForUpdate, "none")})});
  stories.push_back(
      {.name = "updated-with-a-surge",
       .title = "with a surge a fourth Machine is made first, and the last old one is not updated",
       .policy = updating(),
       .acts = {wants_with_surge(5s)},
       .length = 400s,
       .broken = all({made(4), deleted(1), never_more_than(4), updated_at_a_time(1), rollout_is_over(),
                      has_version(1, kWanted), has_version(2, kWanted), has_version(4, kWanted)})});
  stories.push_back({.name = "bootstrap-changes-in-place",
                     .title = "another bootstrap template reaches Machines in place",
                     .policy = updating(),
                     .acts = {wants_template(5s, "a user wants another bootstrap template",
                                             {{"bootstrap", {{"configRef", {{"name", "other"}}}}}})},
                     .length = 300s,
                     .broken = all({kept_all_three(), rollout_is_over(), is_configured_by(1, "other"),
                                    is_configured_by(2, "other"), is_configured_by(3, "other")})});
  stories.push_back({.name = "infrastructure-change-rolls",
                     .title = "another infrastructure template needs other Machines",
                     .policy = updating(),
                     .acts = {wants_template(5s, "a user wants another infrastructure template",
                                             {{"infrastructureRef", {{"name", "other"}}}})},
                     .length = 500s,
                     .broken = all({made(6), deleted(3), updated_at_a_time(0), rollout_is_over()})});
}

void tell_of_updates_by_hand(std::vector<LifecycleStory>& stories) {
  stories.push_back(
      {.name = "updated-by-hand",
       .title = "by hand the Machines are updated whose Nodes a user has selected, one at a time",
       .policy = updating({.mode = Text(api::PolicyInPlace::kManual)}),
       .acts = {wants(5s), selects(30s, 2), selects(31s, 3)},
       .length = 300s,
       .broken = all({kept_all_three(), has_version(1, ""), has_version(2, kWanted), has_version(3, kWanted),
                      node_has(1, label::kCandidateForUpdate, "true")})});
}

void tell_of_failed_updates(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "update-fails",
                     .title = "two are updated at a time: one fails, and the third one is not begun",
                     .policy = updating(),
                     .agent = NodeAgent{.fails = {1}},
                     .acts = {wants(5s, kWanted, 2)},
                     .length = 200s,
                     .broken = all({made(3), deleted(0), never_more_than(3), updated_at_a_time(2),
                                    has_version(1, ""), has_version(2, kWanted), has_version(3, "")})});
  stories.push_back({.name = "failed-update-is-mended",
                     .title = "a user mends the Node and takes the result off: the update goes on",
                     .policy = updating(),
                     .agent = NodeAgent{.fails = {1}},
                     .acts = {wants(5s), mends(100s, 1)},
                     .length = 400s,
                     .broken = all({kept_all_three(), all_three_have(kWanted), rollout_is_over()})});
  stories.push_back({.name = "failed-update-is-deleted",
                     .title = "a user deletes the Machine that could not be updated: it is replaced",
                     .policy = updating(),
                     .agent = NodeAgent{.fails = {1}},
                     .acts = {wants(5s), deletes(100s, 1)},
                     .length = 500s,
                     .broken = all({made(4), deleted(1), never_more_than(3), updated_at_a_time(1),
                                    has_version(4, kWanted), rollout_is_over()})});
  stories.push_back({.name = "update-takes-too-long",
                     .title = "an agent that says nothing is given up after the time of the policy",
                     .policy = updating({.timeout_seconds = 60}),
                     .agent = NodeAgent{.silent = {1}},
                     .acts = {wants(5s)},
                     .length = 200s,
                     .broken = all({kept_all_three(), all_three_have("")})});
}

void tell_of_changes_of_mind(std::vector<LifecycleStory>& stories) {
  stories.push_back({.name = "rolled-back-while-updated",
                     .title = "the template of before comes back in the middle: what was updated goes back",
                     .policy = updating(),
                     .acts = {wants(5s), annotates_owner(40s, api::policy::annotation::kRollbackTo, "0")},
                     .length = 400s,
                     .broken = all({kept_all_three(), all_three_have(""), rollout_is_over()})});
  stories.push_back({.name = "another-version-while-updated",
                     .title = "a third version is wanted in the middle: all Machines get that one",
                     .policy = updating(),
                     .acts = {wants(5s), wants(40s, "v1.37.0")},
                     .length = 500s,
                     .broken = all({kept_all_three(), all_three_have("v1.37.0"), rollout_is_over()})});
  stories.push_back({.name = "failed-update-and-another-version",
                     .title = "another version is wanted after an update has failed: it begins anew",
                     .policy = updating(),
                     .agent = NodeAgent{.fails = {1}},
                     .acts = {wants(5s), mends_agent_and_wants(100s, 1, "v1.37.0")},
                     .length = 500s,
                     .broken = all({kept_all_three(), all_three_have("v1.37.0"), rollout_is_over()})});
  stories.push_back({.name = "deleted-while-updated",
                     .title = "a user deletes a Machine while it is updated: the new set replaces it",
                     .policy = updating(),
                     .acts = {wants(5s), deletes(20s, 1)},
                     .length = 500s,
                     .broken = all({made(4), deleted(1), never_more_than(3), updated_at_a_time(1),
                                    has_version(4, kWanted), rollout_is_over()})});
  stories.push_back({.name = "scaled-while-updated",
                     .title = "more and fewer replicas are wanted while Machines are updated",
                     .policy = updating(),
                     .acts = {wants(5s), wants_replicas(20s, 4), wants_replicas(130s, 2)},
                     .length = 500s,
                     .broken = all({made(4), deleted(2), never_more_than(4), rollout_is_over()})});
  stories.push_back(
      {.name = "policy-goes-while-updated",
       .title = "the policy is deleted in the middle: the updates are given up, the rest is replaced",
       .policy = updating(),
       .told_events = {"InPlaceUpdateGivenUp"},
       .acts = {wants(5s), deletes_policy(40s)},
       .length = 500s,
       .broken = all({made(5), deleted(2), never_more_than(3), has_version(1, kWanted),
                      has_version(4, kWanted), has_version(5, kWanted)})});
  stories.push_back({.name = "frozen-while-updated",
                     .title = "a freeze in the middle: nothing begins and nothing moves until it ends",
                     .policy = updating(),
                     .acts = {wants(5s), annotates_owner(20s, api::policy::annotation::kFreeze, "audit"),
                              annotates_owner(150s, api::policy::annotation::kFreeze, nullptr)},
                     .length = 400s,
                     .broken = all({kept_all_three(), all_three_have(kWanted), rollout_is_over()})});
}

}  // namespace

void tell_of_updates_in_place(std::vector<LifecycleStory>& stories) {
  const auto before = static_cast<std::ptrdiff_t>(stories.size());
  tell_of_automatic_updates(stories);
  tell_of_updates_by_hand(stories);
  tell_of_failed_updates(stories);
  tell_of_changes_of_mind(stories);
  for (auto story = stories.begin() + before; story != stories.end(); ++story) {
    if (!story->agent) story->agent = NodeAgent();
    story->brakes = true;
  }
}

}  // namespace capstan::scenarios
