#include "test/scenarios/lifecycle/node_stories.h"

#include <fmt/format.h>

#include "api/policy/names.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::scenarios {
namespace {

using namespace std::chrono_literals;
using NodeBroken = std::function<std::string(const LifecycleWorld&)>;

constexpr std::string_view kLicences = "example.com/licence";
constexpr std::string_view kDedicated = "example.com/dedicated";

api::MachineLifecyclePolicy gives_nodes(api::PolicyNodeTemplate wanted) {
  return builders::a_policy("care").selecting("team", "a").with([&](api::MachineLifecyclePolicy& policy) {
    policy.spec.node_template = std::move(wanted);
  });
}

LifecycleAct changes_template(Seconds at, std::string what, std::string_view wanted) {
  return {at, std::move(what), [wanted = std::string(wanted)](LifecycleWorld& world) {
            world.patch_policy({{"spec", {{"nodeTemplate", json::parse(wanted)}}}});
          }};
}
LifecycleAct labels_node(Seconds at, int machine, std::string key, std::string value) {
  return {at, fmt::format("a user labels the Node of m{} with {}: {}", machine, key, value),
          [=](LifecycleWorld& world) { world.label_node(machine, key, value); }};
}

NodeBroken no_machine_went() {
  return [](const LifecycleWorld& world) {
    return world.deleted() == 0 ? std::string() : fmt::format("{} Machines were deleted", world.deleted());
  };
}
NodeBroken on_node(int machine, std::string_view key, std::string value) {
  return [=, key = std::string(key)](const LifecycleWorld& world) {
    const std::string shown = world.node_value(machine, key);
    return shown == value ? std::string() : fmt::format("the Node of m{} has {}: {}", machine, key, shown);
  };
}
NodeBroken every(std::vector<NodeBroken> promises) {
  return [promises = std::move(promises)](const LifecycleWorld& world) {
    for (const auto& promise : promises)
      if (auto broken = promise(world); !broken.empty()) return broken;
    return std::string();
  };
}

void tell_of_templates(std::vector<LifecycleStory>& stories) {
  stories.push_back(
      {.name = "node-template-comes-and-changes",
       .title = "what a policy gives Nodes reaches those that are there, and changes without a rollout",
       .replicas = 2,
       .policy = gives_nodes({}),
       .told_of_nodes = {"tier", std::string(kDedicated), std::string(kLicences)},
       .acts = {changes_template(
                    10s, "a user wants a label, a taint and licences on all Nodes",
                    R"({"labels":{"tier":"front"},"virtualCapacity":{"example.com/licence":"4"},)"
                    R"("taints":[{"key":"example.com/dedicated","effect":"NoSchedule"}]})"),
                changes_template(40s, "the user wants another label and no taint",
                                 R"({"labels":{"tier":"back"},"taints":null})")},
       .length = 60s,
       .broken = every({no_machine_went(), on_node(1, "tier", "back"), on_node(2, kLicences, "4"),
                        on_node(2, kDedicated, "none")})});
  stories.push_back({.name = "node-template-is-forced-back",
                     .title = "a label that the policy gives is put back, and a user's own stays",
                     .replicas = 1,
                     .policy = gives_nodes({.labels = {{"tier", "front"}}}),
                     .told_of_nodes = {"tier", "mine"},
                     .acts = {labels_node(10s, 1, "tier", "back"), labels_node(30s, 1, "mine", "yes")},
                     .length = 60s,
                     .broken = every({on_node(1, "tier", "front"), on_node(1, "mine", "yes")})});
  stories.push_back(
      {.name = "node-template-goes-with-its-policy",
       .title = "the policy is deleted: what it gave Nodes is taken back, and nothing else",
       .replicas = 1,
       .policy = gives_nodes({.labels = {{"tier", "front"}}, .virtual_capacity = {{kLicences, "4"}}}),
       .told_of_nodes = {"tier", "mine", std::string(kLicences)},
       .acts = {labels_node(10s, 1, "mine", "yes"),
                {20s, "a user deletes the policy", [](LifecycleWorld& world) { world.delete_policy(); }}},
       .length = 60s,
       .broken = every({on_node(1, "tier", "none"), on_node(1, "mine", "yes"), on_node(1, kLicences, "none"),
                        on_node(1, api::policy::annotation::kNodeTemplate, "none")})});
  stories.push_back(
      {.name = "node-template-forgotten",
       .title = "what a Node remembers can't be read any more: it is replaced, and what is wanted stays",
       .replicas = 1,
       .policy = gives_nodes({.labels = {{"tier", "front"}}}),
       .told_of_nodes = {"tier", std::string(api::policy::annotation::kNodeTemplate)},
       .acts = {{10s, "a user writes something else over the memory of m1's Node",
                 [](LifecycleWorld& world) {
                   world.annotate_node(1, api::policy::annotation::kNodeTemplate, "mine");
                 }}},
       .length = 60s,
       .broken = every({on_node(1, "tier", "front"),
                        on_node(1, api::policy::annotation::kNodeTemplate, R"({"labels":["tier"]})")})});
}

LifecycleAct rolls_to(Seconds at, std::string version) {
  return {at, "a user wants version " + version, [=](LifecycleWorld& world) {
            world.patch_owner({{"spec",
                                {{"rollout", {{"strategy", {{"rollingUpdate", {{"maxSurge", "100%"}}}}}}},
                                 {"template", {{"spec", {{"version", version}}}}}}}});
          }};
}
NodeBroken has_gone(int machine) {
  return [=](const LifecycleWorld& world) {
    return world.is_deleted(machine) ? std::string() : fmt::format("m{} is still there", machine);
  };
}

const std::string kAutoscaler(api::policy::annotation::kScaleDownDisabled);
const std::string kOurMark(api::policy::annotation::kScaleDownDisabledByUs);

void tell_of_rollout_marks(std::vector<LifecycleStory>& stories) {
  const auto rolling = builders::a_policy("care").selecting("team", "a").rollout();
  stories.push_back({.name = "autoscaler-is-kept-off-while-rolling",
                     .title = "the autoscaler leaves Nodes of the old and the new template alone during a "
                              "rollout, but for the one of which a user has said false",
                     .replicas = 2,
                     .policy = rolling,
                     .never_join = {4},
                     .told_of_nodes = {kAutoscaler},
                     .acts = {{5s, "a user annotates the Node of m1 with scale-down-disabled: false",
                               [](LifecycleWorld& world) { world.annotate_node(1, kAutoscaler, "false"); }},
                              rolls_to(10s, "v1.36.0")},
                     .length = 100s,
                     .broken = every({on_node(3, kAutoscaler, "true"), on_node(3, kOurMark, "true"),
                                      on_node(1, kOurMark, "none")})});
  stories.push_back({.name = "autoscaler-is-let-in-after-a-rollout",
                     .title = "when the rollout is over the autoscaler may take its Nodes again",
                     .replicas = 2,
                     .policy = rolling,
                     .told_of_nodes = {kAutoscaler},
                     .acts = {rolls_to(10s, "v1.36.0")},
                     .length = 300s,
                     .broken = every({has_gone(1), has_gone(2), on_node(3, kAutoscaler, "none"),
                                      on_node(4, kAutoscaler, "none"), on_node(4, kOurMark, "none")})});
  stories.push_back(
      {.name = "preserved-machine-goes-with-its-rollout",
       .title = "a rollout does not keep a preserved Machine: it goes with the others of its template",
       .replicas = 2,
       .policy = builders::MachineLifecyclePolicyBuilder(rolling).preservation(),
       .acts = {{5s, "a user annotates m1 with capstan.dev/preserve: now",
                 [](LifecycleWorld& world) { world.annotate(1, api::policy::annotation::kPreserve, "now"); }},
                rolls_to(10s, "v1.36.0")},
       .length = 300s,
       .broken = every({has_gone(1), has_gone(2)})});
}

// No room for m3; a try costs two hundred seconds, a creation may take a hundred.
LifecycleStory without_room(std::string name, std::string title) {
  LifecycleStory story{.name = std::move(name), .title = std::move(title), .replicas = 2};
  story.policy =
      builders::a_policy("care").selecting("team", "a").with([](api::MachineLifecyclePolicy& policy) {
        policy.spec.creation =
            api::PolicyCreation{.timeout_seconds = 100, .resource_exhausted_retry_seconds = 200};
      });
  story.never_made = {3};
  return story;
}
LifecycleAct wants_replicas(Seconds at, int replicas) {
  return {at, fmt::format("a user wants {} replicas", replicas),
          [=](LifecycleWorld& world) { world.patch_owner({{"spec", {{"replicas", replicas}}}}); }};
}
NodeBroken were_made(int count) {
  return [=](const LifecycleWorld& world) {
    return world.made() == count ? std::string() : fmt::format("{} were made, not {}", world.made(), count);
  };
}

void tell_of_exhaustion(std::vector<LifecycleStory>& stories) {
  LifecycleStory waits = without_room("no-room-for-another-machine",
                                      "a provider without capacity is asked for no other VM for a while, and "
                                      "the creation timeout waits, too, also over a restart of the manager");
  waits.acts = {wants_replicas(10s, 3),
                wants_replicas(60s, 4),
                {100s, "the manager is restarted", [](LifecycleWorld& world) { world.restart(); }}};
  waits.length = 225s;
  waits.broken = every({no_machine_went(), were_made(3)});
  LifecycleStory ends = waits;
  ends.name = "room-is-asked-for-again";
  ends.title = "after a while one more Machine is made, and the one without a VM is replaced";
  ends.length = 400s;
  ends.broken = every({has_gone(3), were_made(5)});
  LifecycleStory deleted = without_room("no-room-although-the-machine-is-gone",
                                        "the Machine without a VM is deleted: its MachineSet has noted that "
                                        "there is no room, and makes no other one yet");
  deleted.acts = {wants_replicas(10s, 3),
                  {60s, "a user deletes m3", [](LifecycleWorld& world) { world.delete_machine(3); }}};
  deleted.length = 225s;
  deleted.broken = every({has_gone(3), were_made(3)});
  for (auto* story : {&waits, &ends, &deleted}) stories.push_back(std::move(*story));
}

}  // namespace

void tell_of_nodes(std::vector<LifecycleStory>& stories) {
  tell_of_templates(stories);
  tell_of_rollout_marks(stories);
}
void tell_of_room(std::vector<LifecycleStory>& stories) { tell_of_exhaustion(stories); }

}  // namespace capstan::scenarios
