#include "test/scenarios/pool_stories.h"

#include <fmt/format.h>

#include <algorithm>

namespace capstan::scenarios {
namespace {

using Beginning = PoolWorld::Beginning;

// --- when ---

using When = std::function<bool(const PoolWorld&)>;

When at_once() {
  return [](const PoolWorld&) { return true; };
}
When at_rest() {
  return [](const PoolWorld& world) { return world.at_rest(); };
}
When instances(std::size_t number) {
  return [=](const PoolWorld& world) { return world.instances().size() >= number; };
}
When nodes(std::size_t number) {
  return [=](const PoolWorld& world) { return world.nodes().size() >= number; };
}
When says(const std::string& type, const std::string& beginning) {
  return
      [=](const PoolWorld& world) { return world.exists() && world.condition(type).starts_with(beginning); };
}

// --- what happens ---

PoolAct act(std::string who, std::string text, When when, std::function<void(PoolWorld&)> then) {
  return {std::move(who), std::move(text), std::move(when), std::move(then)};
}
PoolAct scales(std::string who, std::int32_t replicas, When when = at_once()) {
  return act(std::move(who), fmt::format("wants {} replicas", replicas), std::move(when),
             [=](PoolWorld& world) { world.scale(replicas); });
}
PoolAct deletes(When when = at_once()) {
  return act("user", "deletes the MachinePool", std::move(when),
             [](PoolWorld& world) { world.remove_pool(); });
}
PoolAct capacity(int number, When when = at_once()) {
  return act("cloud", fmt::format("has room for {} instances", number), std::move(when),
             [=](PoolWorld& world) { world.set_capacity(number); });
}
PoolAct loses(const std::string& name, When when = at_once()) {
  return act("cloud", "loses instance " + name, std::move(when),
             [=](PoolWorld& world) { world.lose_instance(name); });
}
PoolAct disconnects(When when = at_once()) {
  return act("user", "loses the kubeconfig", std::move(when),
             [](PoolWorld& world) { world.set_connected(false); });
}
PoolAct connects(When when = at_rest()) {
  return act("user", "puts the kubeconfig back", std::move(when),
             [](PoolWorld& world) { world.set_connected(true); });
}
PoolAct passes(std::string text, Seconds span, When when = at_rest()) {
  return act("clock", std::move(text), std::move(when), [=](PoolWorld& world) { world.let_time_pass(span); });
}
PoolAct mutes(bool muted, When when = at_once()) {
  return act("provider", muted ? "stops writing its list" : "writes its list again", std::move(when),
             [=](PoolWorld& world) { world.mute(muted); });
}
PoolAct holds(bool held, When when = at_once()) {
  return act("cloud", held ? "boots slowly from now on" : "has booted", std::move(when),
             [=](PoolWorld& world) { world.hold_kubelets(held); });
}
PoolAct pauses(bool paused, When when = at_rest()) {
  return act("user", paused ? "pauses the Cluster" : "resumes the Cluster", std::move(when),
             [=](PoolWorld& world) { world.pause(paused); });
}
PoolAct empties(When when = at_once()) {
  return act("provider", "writes an empty list although its instances run", std::move(when),
             [](PoolWorld& world) { world.publish_nothing(); });
}
PoolAct replaces(const std::string& name, When when = at_once()) {
  return act("cloud", fmt::format("replaces instance {} by another one of that name", name), std::move(when),
             [=](PoolWorld& world) { world.replace_instance(name); });
}
PoolAct marks(const std::string& machine, When when = at_once()) {
  return act("autoscaler", fmt::format("marks Machine {} to go first", machine), std::move(when),
             [=](PoolWorld& world) { world.mark_for_deletion(machine); });
}

PoolAct names(const std::string& machine, std::optional<std::int32_t> replicas = {}) {
  const std::string and_wants =
      replicas ? fmt::format(" and wants {} replicas, in one write", *replicas) : "";
  return act("user", fmt::format("names Machine {} in capstan.dev/victims{}", machine, and_wants), at_once(),
             [=](PoolWorld& world) {
               world.name_victims(machine);
               if (replicas) world.scale(*replicas);
             });
}
PoolAct pod_on(const std::string& node, bool held) {
  return act("user",
             fmt::format("runs Pod web on Node {}, {}", node,
                         held ? "its budget allows nothing" : "its budget allows one to go"),
             at_once(), [=](PoolWorld& world) {
               world.put_pod(node);
               world.set_budget(!held);
             });
}
PoolAct relaxes(When when = at_rest()) {
  return act("user", "lets the budget allow one", std::move(when),
             [](PoolWorld& world) { world.set_budget(true); });
}

// --- how it ends ---

When gone() {
  return [](const PoolWorld& world) {
    return !world.exists() && world.provider_objects_are_gone() && world.instances().empty() &&
           world.nodes().empty() && world.machines().empty();
  };
}
When has(const std::vector<std::string>& names) {
  return [=](const PoolWorld& world) {
    std::vector<std::string> there;
    for (const auto& instance : world.instances()) there.push_back(instance.name);
    return has_arrived(world) && there == names;
  };
}
When secret(const std::string& name) {
  return [=](const PoolWorld& world) {
    return has_arrived(world) && *world.pool().spec.machine_template.spec.bootstrap.data_secret_name == name;
  };
}
When phase_with(const std::string& phase, std::size_t instances) {
  return [=](const PoolWorld& world) {
    return world.exists() && world.pool().status.phase == phase && world.instances().size() == instances;
  };
}

void coming_and_going(std::vector<PoolStory>& all) {
  all.push_back({.name = "first-instances", .title = "from nothing to three", .from_nothing = true});
  all.push_back({.name = "first-machines",
                 .title = "from nothing to three, with a Machine for each",
                 .beginning = {.with_machines = true},
                 .from_nothing = true});
  all.push_back({.name = "users-own-secret",
                 .title = "the user gives the data Secret: it is never touched",
                 .beginning = {.own_secret = true},
                 .from_nothing = true,
                 .end = secret("mine")});
  all.push_back({.name = "scale-down",
                 .title = "from three to one: Nodes go with their instances",
                 .acts = {scales("user", 1)},
                 .end = has({"n3"})});
  all.push_back({.name = "scale-down-machines",
                 .title = "from three to one: the autoscaler says whose turn it is, Machines drain",
                 .beginning = {.with_machines = true},
                 .acts = {marks("m-n3"), marks("m-n2"), scales("autoscaler", 1)},
                 .end = has({"n1"})});
  all.push_back({.name = "scale-to-zero-and-back",
                 .title = "down to none, which has to be seen twice, and up again",
                 .acts = {scales("user", 0), scales("user", 2, at_rest())},
                 .end = has({"n4", "n5"})});
  all.push_back(
      {.name = "two-who-scale",
       .title = "a user and an autoscaler want different sizes at once: the last word counts",
       .acts = {scales("user", 5), scales("autoscaler", 2), scales("user", 4)},
       .end = [](const PoolWorld& world) { return has_arrived(world) && world.instances().size() == 4; }});
  all.push_back(
      {.name = "two-who-scale-machines",
       .title = "the same with Machines, one of them marked by the autoscaler",
       .beginning = {.with_machines = true},
       .acts = {scales("user", 5), marks("m-n2"), scales("autoscaler", 2), scales("user", 4)},
       .end = [](const PoolWorld& world) { return has_arrived(world) && world.instances().size() == 4; }});
  all.push_back(
      {.name = "sized-by-the-cloud",
       .title = "an autoscaler of the cloud owns the size: the pool follows",
       .beginning = {.managed_by = "cloud"},
       .acts = {act("cloud", "wants two instances more", at_once(),
                    [](PoolWorld& world) { world.grow_by_itself(2); })},
       .end = [](const PoolWorld& world) { return has_arrived(world) && world.instances().size() == 5; }});
}

void nodes_and_lists(std::vector<PoolStory>& all) {
  all.push_back({.name = "nodes-before-the-list",
                 .title = "Nodes register before the provider says which instances there are",
                 .acts = {mutes(true), scales("user", 5), mutes(false, nodes(5))}});
  all.push_back({.name = "nodes-after-the-list",
                 .title = "the list is there long before the Nodes",
                 .acts = {holds(true), scales("user", 5), holds(false, at_rest())}});
  all.push_back(
      {.name = "list-of-nothing",
       .title = "the provider's list is empty for a moment: no Node is touched",
       .acts = {empties(), mutes(false, says("InfrastructureReady", "False InvalidProviderIDList"))}});
  all.push_back({.name = "list-of-nothing-that-lasts",
                 .title = "the provider insists: after a second look it is believed, and corrected later",
                 .acts = {empties(), mutes(false, at_rest())},
                 .lies = {"n1", "n2", "n3"}});
  all.push_back({.name = "list-with-a-double",
                 .title = "the provider names an instance twice: the list known before stays",
                 .acts = {act("provider", "names instance n2 twice", at_once(),
                              [](PoolWorld& world) { world.publish_twice("n2"); }),
                          mutes(false, at_rest())}});
  all.push_back({.name = "replaced-under-its-name",
                 .title = "the cloud replaces an instance under the same name: its new Node is kept",
                 .acts = {replaces("n2")}});
  all.push_back({.name = "replaced-behind-a-late-list",
                 .title = "the same while the provider's list is late",
                 .acts = {mutes(true), replaces("n2"), mutes(false, at_rest())}});
}

void troubles(std::vector<PoolStory>& all) {
  all.push_back({.name = "capacity-lost",
                 .title = "the cloud has no room: the pool says so and gets there later",
                 .acts = {capacity(4), scales("user", 6), capacity(100, at_rest())}});
  all.push_back({.name = "capacity-lost-for-good",
                 .title = "the cloud has no room and stays so",
                 .acts = {capacity(4), scales("user", 6)},
                 .end = phase_with("ScalingUp", 4)});
  all.push_back({.name = "instance-lost",
                 .title = "the cloud loses an instance: its Node goes, another one comes",
                 .acts = {loses("n2")},
                 .end = has({"n1", "n3", "n4"})});
  all.push_back({.name = "instance-lost-machines",
                 .title = "the same with Machines: the Machine goes with its instance",
                 .beginning = {.with_machines = true},
                 .acts = {loses("n2")},
                 .end = has({"n1", "n3", "n4"})});
  all.push_back({.name = "node-breaks",
                 .title = "a Node breaks: the pool counts and says it, nothing is replaced",
                 .acts = {act("cloud", "Node n2 falls silent", at_once(),
                              [](PoolWorld& world) { world.break_node("n2"); })},
                 .end = phase_with("ScalingUp", 3)});
  all.push_back(
      {.name = "kubeconfig-lost-for-an-hour",
       .title = "the cluster is out of reach while the pool shrinks and grows",
       .acts = {disconnects(), scales("user", 2), passes("half an hour passes", Seconds(1800)),
                scales("user", 4, at_rest()), passes("half an hour passes", Seconds(1800)), connects()},
       .end = has({"n2", "n3", "n4", "n5"})});
  all.push_back(
      {.name = "kubeconfig-lost-for-an-hour-machines",
       .title = "the same with Machines",
       .beginning = {.with_machines = true},
       .acts = {disconnects(), scales("user", 5), passes("an hour passes", Seconds(3600)), connects()}});
  all.push_back({.name = "secret-rotated",
                 .title = "the bootstrap token is rotated: the new Secret reaches the instances to come",
                 .acts = {act("config", "has to rotate its token", at_once(),
                              [](PoolWorld& world) { world.rotate_secret(); })},
                 .end = secret("data-2")});
  all.push_back({.name = "paused",
                 .title = "nothing happens to a pool of a paused Cluster",
                 .acts = {pauses(true), scales("user", 5), pauses(false, at_rest())}});
}

void endings(std::vector<PoolStory>& all) {
  all.push_back(
      {.name = "deleted", .title = "a pool goes, with its Nodes", .acts = {deletes()}, .end = gone()});
  all.push_back({.name = "deleted-machines",
                 .title = "a pool goes, with its Machines",
                 .beginning = {.with_machines = true},
                 .acts = {deletes()},
                 .end = gone()});
  all.push_back({.name = "deleted-at-birth",
                 .title = "a pool goes before any of its instances has a Node",
                 .beginning = {.boots_slowly = true},
                 .acts = {deletes(instances(1))},
                 .from_nothing = true,
                 .end = gone()});
  all.push_back(
      {.name = "deleted-before-the-first-copy",
       .title = "a pool goes when its provider has named the first instances and it has not copied the list",
       .acts = {deletes(instances(1))},
       .from_nothing = true,
       .end = gone()});
  all.push_back(
      {.name = "deleted-out-of-reach",
       .title = "a pool goes while its cluster is out of reach: after the timeout its Nodes stay behind",
       .acts = {disconnects(), deletes()},
       .end = [](const PoolWorld& world) { return !world.exists() && world.nodes().size() == 3; }});
  all.push_back({.name = "deleted-while-paused",
                 .title = "a pool of a paused Cluster waits with going",
                 .acts = {pauses(true, at_once()), deletes(), pauses(false, at_rest())},
                 .end = gone()});
}

void named(std::vector<PoolStory>& all) {
  const auto without_n2 = [](std::size_t number) {
    return [=](const PoolWorld& world) {
      return has_arrived(world) && world.instances().size() == number && !world.names_victims() &&
             std::ranges::find(world.instances(), "n2", &CloudInstance::name) == world.instances().end();
    };
  };
  all.push_back(
      {.name = "named-victim-machines",
       .title = "a user names a Machine and wants one fewer: the provider is asked to take that one",
       .beginning = {.with_machines = true},
       .acts = {names("m-n2", 2)},
       .end = without_n2(2)});
  all.push_back({.name = "named-victim-replaced-machines",
                 .title = "a user names a Machine and wants no fewer: the pool deletes it, and its provider "
                          "makes another instance",
                 .beginning = {.with_machines = true},
                 .acts = {names("m-n2")},
                 .end = without_n2(3)});
  all.push_back({.name = "named-victim-lost-machines",
                 .title = "a named Machine whose instance the cloud has lost goes once, and no other with it",
                 .beginning = {.with_machines = true},
                 .acts = {loses("n2"), names("m-n2")},
                 .end = without_n2(3)});
  all.push_back({.name = "named-victim-without-machines",
                 .title = "a pool without Machines drops a name, and nothing goes",
                 .acts = {names("m-n2")},
                 .end = [has_all = has({"n1", "n2", "n3"})](const PoolWorld& world) {
                   return has_all(world) && !world.names_victims();
                 }});
}

void drains(std::vector<PoolStory>& all) {
  const When emptied = [](const PoolWorld& world) { return has_arrived(world) && !world.has_pods(); };
  all.push_back({.name = "drained-scale-down",
                 .title = "a policy asks for it: the Node of an instance that left is emptied before it goes",
                 .beginning = {.drains = true},
                 .acts = {pod_on("n1", false), scales("user", 2)},
                 .end = emptied});
  all.push_back({.name = "drained-scale-down-held-up",
                 .title = "the same with a budget that allows nothing: the Node stays until it does",
                 .beginning = {.drains = true},
                 .acts = {pod_on("n1", true), scales("user", 2), relaxes()},
                 .end = emptied});
  all.push_back(
      {.name = "drained-deletion-held-up",
       .title = "a policy asks for it: no instance of a pool that goes ends before its Pods have gone",
       .beginning = {.drains = true},
       .acts = {pod_on("n2", true), deletes(), relaxes()},
       .end = gone()});
  all.push_back({.name = "not-drained",
                 .title = "no policy asks for it: the Node goes with its Pod, as Cluster API has it",
                 .acts = {pod_on("n1", true), scales("user", 2)}});
}

}  // namespace

std::vector<PoolStory> all_pool_stories() {
  std::vector<PoolStory> all;
  coming_and_going(all);
  nodes_and_lists(all);
  troubles(all);
  endings(all);
  named(all);
  drains(all);
  return all;
}

bool has_arrived(const PoolWorld& world) {
  if (!world.exists()) return false;
  const auto& pool = world.pool();
  const auto wanted = static_cast<std::size_t>(*pool.spec.replicas);
  return pool.status.phase == "Running" && world.instances().size() == wanted &&
         world.nodes().size() == wanted && pool.status.node_refs.size() == wanted &&
         world.condition("Available").starts_with("True");
}

}  // namespace capstan::scenarios
