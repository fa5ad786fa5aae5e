#include "test/scenarios/drain/drain_stories.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::scenarios {
namespace {

constexpr std::string_view kPreDrain = "pre-drain.delete.hook.machine.cluster.x-k8s.io/backup";
constexpr std::string_view kPreTerminate = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/dns";

// --- what happens ---

DrainAct opens(Seconds at, std::string app) {
  return {at, fmt::format("lets the budget of {} allow one", app),
          [app](DrainStage& stage) { stage.open_budget(app); }};
}
DrainAct completes(Seconds at, std::string pod) {
  return {at, fmt::format("sees Pod {} complete its work", pod),
          [pod](DrainStage& stage) { stage.complete(pod); }};
}
DrainAct forces(Seconds at, std::string pod) {
  return {at, fmt::format("deletes Pod {} by force", pod),
          [pod](DrainStage& stage) { stage.end_by_force(pod); }};
}
DrainAct detaches(Seconds at) {
  return {at, "detaches the disk", [](DrainStage& stage) { stage.detach_disk(); }};
}
DrainAct unhooks(Seconds at, std::string_view hook) {
  return {at, fmt::format("takes {} off", hook), [hook](DrainStage& stage) { stage.unannotate(hook); }};
}

// --- what is promised ---

using Promise = std::function<std::string(const DrainStage&)>;

std::string gone(const DrainStage& stage) {
  return stage.machine_is_gone() ? "" : "the Machine is still there";
}
// In groups: within one any order will do.
Promise in_order(const std::vector<std::vector<std::string>>& groups) {
  return [groups](const DrainStage& stage) {
    std::vector<std::string> wanted;
    std::vector<std::string> went = stage.told_to_go();
    auto at = went.begin();
    for (auto group : groups) {
      std::ranges::sort(group);
      const auto left = std::min<std::ptrdiff_t>(went.end() - at, static_cast<std::ptrdiff_t>(group.size()));
      std::sort(at, at + left);
      at += left;
      wanted.insert(wanted.end(), group.begin(), group.end());
    }
    if (went != wanted) return fmt::format("Pods went in the order {}", fmt::join(stage.told_to_go(), ", "));
    return gone(stage);
  };
}
// And these report it in conditions of their own.
Promise told_by(const std::set<std::string>& owners, const Promise& promise) {
  return [owners, promise](const DrainStage& stage) {
    if (stage.owners_told() == owners) return promise(stage);
    return fmt::format("told of by {}", fmt::join(stage.owners_told(), ", "));
  };
}
Promise nobody_goes() {
  return [](const DrainStage& stage) {
    return stage.told_to_go().empty() ? gone(stage) : "evicts Pod " + stage.told_to_go().front();
  };
}

Promise one_at_a_time(const Promise& promise) {
  return [promise](const DrainStage& stage) {
    if (stage.most_disks_at_once() > 1)
      return fmt::format("{} Pods with disks went at once", stage.most_disks_at_once());
    return promise(stage);
  };
}
Promise none_attached(const Promise& promise) {
  return [promise](const DrainStage& stage) {
    const auto left = stage.disks_attached();
    return left > 0 ? fmt::format("{} VolumeAttachments are left", left) : promise(stage);
  };
}

void rules(std::vector<DrainStory>& all) {
  all.push_back({.name = "order-by-rules",
                 .title = "drain rules put the Pods of one Machine in groups: web first, then the queue, the "
                          "database last; agents stay",
                 .pods = {{.name = "agent-1", .app = "agent"},
                          {.name = "db-1", .app = "db", .takes = Seconds(20)},
                          {.name = "queue-1", .app = "queue"},
                          {.name = "queue-2", .app = "queue", .takes = Seconds(15)},
                          {.name = "web-1"},
                          {.name = "web-2", .takes = Seconds(10)}},
                 .rules = {{.name = "agents", .app = "agent", .behavior = "Skip"},
                           {.name = "databases", .app = "db", .order = 10},
                           {.name = "queues", .app = "queue", .order = 5}},
                 .broken = in_order({{"web-1", "web-2"}, {"queue-1", "queue-2"}, {"db-1"}})});
  all.push_back(
      {.name = "group-held-by-a-budget",
       .title = "one Pod of the first group is held by its budget: the next group waits for it",
       .pods = {{.name = "cache-1", .app = "cache"}, {.name = "db-1", .app = "db"}, {.name = "web-1"}},
       .rules = {{.name = "databases", .app = "db", .order = 10}},
       .closed = {"cache"},
       .owner = DrainOwner::Deployment,
       .acts = {opens(Seconds(90), "cache")},
       .broken = told_by({"deployment", "set"}, in_order({{"web-1"}, {"cache-1"}, {"db-1"}}))});
  all.push_back({.name = "wait-completed",
                 .title = "a rule says WaitCompleted: the job is not evicted but waited for",
                 .pods = {{.name = "job-1", .app = "job"}, {.name = "web-1"}},
                 .rules = {{.name = "jobs", .app = "job", .behavior = "WaitCompleted"}},
                 .acts = {completes(Seconds(240), "job-1")},
                 .broken = in_order({{"web-1"}})});
  all.push_back({.name = "contradicting-rules",
                 .title =
                     "two rules want different things of a Pod: the first by name counts, the Machine says "
                     "so, and correcting it works at once",
                 .pods = {{.name = "db-1", .app = "db"}},
                 .rules = {{.name = "a-keep-databases", .app = "db", .behavior = "WaitCompleted"},
                           {.name = "b-move-databases", .app = "db", .order = 10}},
                 .acts = {{Seconds(120), "deletes rule a-keep-databases",
                           [](DrainStage& stage) { stage.delete_rule("a-keep-databases"); }}},
                 .broken = in_order({{"db-1"}})});
}

void budgets_and_kubelets(std::vector<DrainStory>& all) {
  all.push_back({.name = "budget-opens-late",
                 .title = "a budget allows nothing for five minutes: few attempts, then at once",
                 .pods = {{.name = "web-1"}},
                 .closed = {"web"},
                 .owner = DrainOwner::Pool,
                 .acts = {opens(Seconds(300), "web")},
                 .broken = told_by({"pool"}, in_order({{"web-1"}}))});
  all.push_back({.name = "budget-outlasts-the-timeout",
                 .title = "a budget allows nothing, and the Machine's drain has a timeout: it is given up",
                 .pods = {{.name = "web-1"}},
                 .closed = {"web"},
                 .before = [](DrainStage& stage) { stage.set_timeouts(180, 0); },
                 .broken = nobody_goes()});
  all.push_back({.name = "ignores-its-grace-period",
                 .title = "a Pod ignores its grace period: it is named, and waited for all the same",
                 .pods = {{.name = "web-1", .stubborn = true}},
                 .acts = {forces(Seconds(240), "web-1")},
                 .broken = in_order({{"web-1"}})});
  all.push_back({.name = "unreachable-node",
                 .title = "nobody has heard of the Node's kubelet: its Pods are told to go and then given up",
                 .pods = {{.name = "web-1"}, {.name = "web-2"}},
                 .before = [](DrainStage& stage) { stage.break_node(); },
                 .broken = in_order({{"web-1", "web-2"}})});
  all.push_back(
      {.name = "kubelet-lost-on-the-way",
       .title = "the kubelet falls silent while a Pod is on its way out",
       .pods = {{.name = "web-1", .takes = Seconds(25)}},
       .acts = {{Seconds(10), "pulls the plug of Node m1", [](DrainStage& stage) { stage.break_node(); }}},
       .broken = in_order({{"web-1"}})});
}

void once_and_whose(std::vector<DrainStory>& all) {
  all.push_back(
      {.name = "finished-once",
       .title = "a drain that has finished is not begun again: a Pod that comes later is nobody's promise",
       .pods = {{.name = "web-1"}},
       .before = [](DrainStage& stage) { stage.attach_disk(); },
       .acts = {{Seconds(60), "runs Pod late-1 on the Node all the same",
                 [](DrainStage& stage) { stage.make_pod({.name = "late-1"}); }},
                detaches(Seconds(180))},
       .broken = in_order({{"web-1"}})});
  all.push_back({.name = "users-cordon",
                 .title = "a user has cordoned the Node before: that cordon is never written over",
                 .pods = {{.name = "web-1"}},
                 .before = [](DrainStage& stage) { stage.cordon(); },
                 .broken = in_order({{"web-1"}})});
  all.push_back(
      {.name = "blocking-chain",
       .title = "hook, budget, volume, hook: what holds the Machine up is shown on it, and from the first "
                "minute on by its owners",
       .pods = {{.name = "web-1"}},
       .closed = {"web"},
       .before =
           [](DrainStage& stage) {
             stage.annotate(kPreDrain);
             stage.annotate(kPreTerminate);
             stage.attach_disk();
           },
       .owner = DrainOwner::Deployment,
       .acts = {unhooks(Seconds(90), kPreDrain), opens(Seconds(180), "web"), detaches(Seconds(270)),
                unhooks(Seconds(360), kPreTerminate)},
       .broken = told_by({"deployment", "set"}, in_order({{"web-1"}}))});
}

void by_force(std::vector<DrainStory>& all) {
  const auto policy = [] { return builders::a_policy("care").selecting_everything(); };
  all.push_back({.name = "forced-by-a-label",
                 .title = "a user has seen that a budget never opens, and labels the Machine: its Pods are "
                          "deleted, the disk is not waited for, the hook is; with the VM gone the disk is "
                          "taken from the Node",
                 .pods = {{.name = "db-1", .app = "db"}, {.name = "web-1"}},
                 .rules = {{.name = "databases", .app = "db", .order = 10}},
                 .closed = {"web"},
                 .by_force = true,
                 .before =
                     [](DrainStage& stage) {
                       stage.annotate(kPreTerminate);
                       stage.attach_disk();
                     },
                 .acts = {{Seconds(120), "labels the Machine with capstan.dev/force-deletion: true",
                           [](DrainStage& stage) { stage.label("capstan.dev/force-deletion", "true"); }},
                          unhooks(Seconds(240), kPreTerminate)},
                 .broken = none_attached(in_order({{"db-1", "web-1"}}))});
  all.push_back(
      {.name = "forced-by-the-timeout",
       .title = "the drain timeout is over, and the policy has the Pods deleted that are left",
       .pods = {{.name = "cache-1", .app = "cache"}, {.name = "web-1"}},
       .closed = {"web"},
       .by_force = true,
       .policy = policy().drain_on_timeout("ForceDelete"),
       .before = [](DrainStage& stage) { stage.annotate("capstan.dev/drain-timeout-seconds", "180"); },
       .owner = DrainOwner::Deployment,
       .broken = told_by({"deployment", "set"}, in_order({{"cache-1"}, {"web-1"}}))});
  all.push_back({.name = "forced-by-the-timeout-of-the-policy",
                 .title = "the Machine has no drain timeout: that of the policy is over, and it has the Pods "
                          "deleted that are left",
                 .pods = {{.name = "cache-1", .app = "cache"}, {.name = "web-1"}},
                 .closed = {"web"},
                 .by_force = true,
                 .policy = policy().drain_on_timeout("ForceDelete").with([](auto& care) {
                   care.spec.drain.on_timeout->timeout_seconds = 180;
                 }),
                 .owner = DrainOwner::Deployment,
                 .broken = told_by({"deployment", "set"}, in_order({{"cache-1"}, {"web-1"}}))});
  all.push_back({.name = "forced-because-not-ready",
                 .title = "the Node says that it is not ready: after five minutes its Pods are deleted",
                 .pods = {{.name = "cache-1", .app = "cache"}, {.name = "web-1"}},
                 .closed = {"web"},
                 .by_force = true,
                 .policy = policy().not_ready_force(),
                 .before = [](DrainStage& stage) { stage.reach_cluster(); },
                 .owner = DrainOwner::Deployment,
                 .acts = {{Seconds(60), "breaks the Node: it says that it is not ready",
                           [](DrainStage& stage) { stage.sicken_node(); }}},
                 .broken = told_by({"deployment", "set"}, in_order({{"cache-1"}, {"web-1"}}))});
}

std::vector<StoryPod> databases(int count, const StoryDisk& disk = {}) {
  std::vector<StoryPod> pods;
  for (int i = 1; i <= count; ++i)
    pods.push_back({.name = fmt::format("db-{:02}", i), .app = "db", .disk = disk});
  return pods;
}
std::vector<std::string> names_of_all(const std::vector<StoryPod>& pods) {
  std::vector<std::string> names;
  for (const auto& pod : pods) names.push_back(pod.name);
  return names;
}
void volumes(std::vector<DrainStory>& all) {
  const auto policy = [] { return builders::a_policy("care").selecting_everything(); };
  all.push_back({.name = "volumes-one-by-one",
                 .title = "Pods with disks go one after the other, each once the disk of the one before is "
                          "attached elsewhere; the others go at once",
                 .pods = {{.name = "db-1", .app = "db", .disk = StoryDisk()},
                          {.name = "db-2", .app = "db", .disk = StoryDisk()},
                          {.name = "web-1"},
                          {.name = "web-2"}},
                 .policy = policy().volumes_in_turn(),
                 .owner = DrainOwner::Deployment,
                 .broken = one_at_a_time(in_order({{"db-1", "web-1", "web-2"}, {"db-2"}}))});
  all.push_back({.name = "disk-that-is-not-detached",
                 .title =
                     "the disk of the first Pod is stuck: after two minutes the next one goes, and at the "
                     "end the Machine waits for the disk until a user detaches it",
                 .pods = {{.name = "db-1", .app = "db", .disk = StoryDisk{.is_stuck = true}},
                          {.name = "db-2", .app = "db", .disk = StoryDisk()}},
                 .policy = policy().volumes_in_turn(),
                 .owner = DrainOwner::Deployment,
                 .acts = {{Seconds(300), "detaches the disk of db-1",
                           [](DrainStage& stage) { stage.detach_disk("db-1"); }}},
                 .broken = in_order({{"db-1"}, {"db-2"}})});
  const auto forty = databases(40, {.detaches = Seconds(8), .attaches = Seconds(4)});
  all.push_back({.name = "forty-disks",
                 .title = "forty Pods with a disk each on one Node: one after the other",
                 .pods = forty,
                 .policy = policy().volumes_in_turn(),
                 .owner = DrainOwner::Deployment,
                 .length = Seconds(1800),
                 .orders = 10,
                 .broken = one_at_a_time([names = names_of_all(forty)](const DrainStage& stage) {
                   return stage.told_to_go() == names ? gone(stage) : "in another order";
                 })});
  all.push_back({.name = "evictions-given-up",
                 .title =
                     "a budget allows nothing: after nine periods of twenty seconds the policy has the Pod "
                     "deleted",
                 .pods = {{.name = "cache-1", .app = "cache"}, {.name = "web-1"}},
                 .closed = {"cache"},
                 .by_force = true,
                 .policy = policy().eviction_retries(9),
                 .owner = DrainOwner::Deployment,
                 .broken = in_order({{"web-1"}, {"cache-1"}})});
  all.push_back({.name = "disks-of-an-unreachable-node",
                 .title = "the Node is out of reach: its disks are taken from it after the drain, before the "
                          "VM is gone",
                 .pods = {{.name = "db-1", .app = "db", .disk = StoryDisk{.is_stuck = true}}},
                 .policy = policy().attachment_cleanup(),
                 .before = [](DrainStage& stage) { stage.break_node(); },
                 .owner = DrainOwner::Deployment,
                 .broken = none_attached(in_order({{"db-1"}}))});
}

}  // namespace

std::vector<DrainStory> drain_stories() {
  std::vector<DrainStory> all;
  rules(all);
  budgets_and_kubelets(all);
  once_and_whose(all);
  by_force(all);
  volumes(all);
  return all;
}

}  // namespace capstan::scenarios
