#include "test/scenarios/health/health_stories.h"

#include <fmt/format.h>

#include "api/names.h"
#include "test/builders/identity.h"

namespace capstan::scenarios {
namespace {

using builders::a_policy;
using namespace std::chrono_literals;

// --- checks ---

// Of all workers: a Node that is not ready for five minutes.
api::MachineHealthCheck check(std::string_view name = "check") {
  api::MachineHealthCheck check;
  check.metadata = builders::metadata_of(api::kind::kMachineHealthCheck, name);
  check.spec.cluster_name = Text(builders::kCluster);
  check.spec.selector.match_labels.set("role", "worker");
  for (const std::string_view bad : {"False", "Unknown"})
    check.spec.checks.unhealthy_node_conditions.push_back(
        {.type = "Ready"_text, .status = Text(bad), .timeout_seconds = 300});
  return check;
}
api::MachineHealthCheck at_most(std::string_view limit) {
  auto limited = check();
  limited.spec.remediation.trigger_if.unhealthy_less_than_or_equal_to = IntOrString(Text(limit));
  return limited;
}
api::MachineHealthCheck in_range(std::string_view range) {
  auto limited = check();
  limited.spec.remediation.trigger_if.unhealthy_in_range = Text(range);
  return limited;
}
api::MachineHealthCheck by_reboot() {
  auto external = check();
  external.spec.remediation.template_ref =
      api::RemediationTemplateRef{.api_version = "infrastructure.cluster.x-k8s.io/v1beta2"_text,
                                  .kind = "BoxRemediationTemplate"_text,
                                  .name = "reboot"_text};
  return external;
}
api::MachineHealthCheck of_pool(std::string_view pool, std::string_view name) {
  auto narrow = check(name);
  narrow.spec.selector.match_labels.set("pool", pool);
  return narrow;
}

// --- what happens ---

Act breaks(Seconds at, const std::string& machine) {
  return {at, fmt::format("the kubelet of {} says that it is not ready", machine),
          [=](HealthWorld& world) { world.node_turns(machine, "False"); }};
}
Act heals(Seconds at, const std::string& machine) {
  return {at, fmt::format("{} is ready again", machine),
          [=](HealthWorld& world) { world.node_turns(machine, "True"); }};
}
Act vanishes(Seconds at, const std::string& machine) {
  return {at, fmt::format("somebody deletes the Node of {}", machine),
          [=](HealthWorld& world) { world.node_vanishes(machine); }};
}
Act annotated(Seconds at, const std::string& machine, std::string_view key) {
  return {at, fmt::format("somebody annotates Machine {} with {}", machine, key),
          [machine, key = std::string(key)](HealthWorld& world) { world.annotate(machine, key); }};
}

using Machines = std::vector<std::string>;
Machines numbered(const std::string& pool, int first, int last) {
  Machines names;
  for (int i = first; i <= last; ++i) names.push_back(fmt::format("{}-{}", pool, i));
  return names;
}
Act unreachable(Seconds at, const std::string& what, const Machines& machines) {
  return {at, what, [=](HealthWorld& world) {
            for (const auto& machine : machines) world.node_turns(machine, "Unknown");
          }};
}
Act reachable(Seconds at, const std::string& what, const Machines& machines) {
  return {at, what, [=](HealthWorld& world) {
            for (const auto& machine : machines) world.node_turns(machine, "True");
          }};
}

// --- promises ---

using Broken = std::function<std::string(const HealthWorld&)>;

Broken replaced(int count) {
  return [=](const HealthWorld& world) {
    return world.replaced() == count
               ? std::string()
               : fmt::format("{} Machines were replaced, not {}", world.replaced(), count);
  };
}
Broken told(std::string_view text) {
  return [text = std::string(text)](const HealthWorld& world) {
    const auto shown = world.allowed("check");
    return shown.starts_with(text) ? std::string() : "the check says " + shown;
  };
}
Broken never_more_than(int most) {
  return [=](const HealthWorld& world) {
    return world.most_in_flight() <= most
               ? std::string()
               : fmt::format("{} were in flight at once, {} are allowed", world.most_in_flight(), most);
  };
}
Broken all(std::vector<Broken> promises) {
  return [promises = std::move(promises)](const HealthWorld& world) {
    for (const auto& promise : promises)
      if (auto broken = promise(world); !broken.empty()) return broken;
    return std::string();
  };
}

void tell_the_rules(std::vector<HealthStory>& stories) {
  stories.push_back({.name = "node-not-ready",
                     .title = "a Node is not ready for five minutes: its Machine is replaced",
                     .pools = {{}},
                     .checks = {check()},
                     .acts = {breaks(10s, "web-2")},
                     .broken = all({replaced(1), told("True")})});
  stories.push_back({.name = "node-recovers",
                     .title = "a Node recovers a second before its five minutes are over",
                     .pools = {{}},
                     .checks = {check()},
                     .acts = {breaks(10s, "web-2"), heals(309s, "web-2")},
                     .broken = replaced(0)});
  stories.push_back({.name = "node-deleted",
                     .title = "a Node that is deleted needs no timeout",
                     .pools = {{}},
                     .checks = {check()},
                     .acts = {vanishes(10s, "web-2")},
                     .length = 120s,
                     .broken = replaced(1)});
  auto young = check();
  young.spec.checks.node_startup_timeout_seconds = 180;
  stories.push_back({.name = "startup-timeout",
                     .title = "the replacement never joins: after its startup timeout another one is made",
                     .pools = {{.never_join = {"web-5"}}},
                     .checks = {young},
                     .acts = {vanishes(10s, "web-2")},
                     .broken = replaced(2)});
  auto by_condition = check();
  by_condition.spec.checks.unhealthy_machine_conditions.push_back(
      {.type = "DiskIsFine"_text, .status = "False"_text, .timeout_seconds = 60});
  stories.push_back({.name = "machine-condition",
                     .title = "a condition of the Machine, set by somebody else, is a reason too",
                     .pools = {{}},
                     .checks = {by_condition},
                     .acts = {{10s, "an agent says DiskIsFine False of Machine web-3",
                               [](HealthWorld& world) { world.condition("web-3", "DiskIsFine", "False"); }}},
                     .length = 180s,
                     .broken = replaced(1)});
  stories.push_back(
      {.name = "skip-remediation",
       .title = "a Machine that is exempt is no target, whatever its Node does",
       .pools = {{}},
       .checks = {check()},
       .acts = {annotated(5s, "web-2", api::annotation::kSkipRemediation), breaks(10s, "web-2")},
       .length = 400s,
       .broken = replaced(0)});
  stories.push_back({.name = "remediate-by-hand",
                     .title = "the annotation remediate-machine replaces a Machine that is well",
                     .pools = {{}},
                     .checks = {check()},
                     .acts = {annotated(10s, "web-2", api::annotation::kRemediateMachine)},
                     .length = 120s,
                     .broken = replaced(1)});
  stories.push_back(
      {.name = "cluster-out-of-reach",
       .title = "nobody is judged while the cluster is out of reach",
       .pools = {{}},
       .checks = {check()},
       .acts = {breaks(10s, "web-2"),
                {20s, "the cluster is out of reach", [](HealthWorld& world) { world.lose_cluster(); }},
                {500s, "the cluster is back", [](HealthWorld& world) { world.find_cluster(); }}},
       .broken = replaced(1)});
}

void tell_the_limits(std::vector<HealthStory>& stories) {
  stories.push_back({.name = "too-many",
                     .title = "no more than 40% may be unhealthy: the second one stops remediation",
                     .pools = {{.replicas = 4}},
                     .checks = {at_most("40%")},
                     .acts = {breaks(10s, "web-1"), breaks(12s, "web-2")},
                     .length = 400s,
                     .broken = all({replaced(0), told("False TooManyUnhealthy")})});
  stories.push_back({.name = "too-many-then-fewer",
                     .title = "one of two recovers: the other one may be replaced",
                     .pools = {{.replicas = 4}},
                     .checks = {at_most("40%")},
                     .acts = {breaks(10s, "web-1"), breaks(12s, "web-2"), heals(350s, "web-1")},
                     .broken = replaced(1)});
  stories.push_back(
      {.name = "range",
       .title = "between two and three unhealthy ones are wanted: one alone is left, two are replaced",
       .pools = {{.replicas = 5}},
       .checks = {in_range("[2-3]")},
       .acts = {breaks(10s, "web-1"), vanishes(400s, "web-2")},
       .length = 600s,
       .broken = replaced(2)});
  stories.push_back({.name = "one-in-flight",
                     .title = "the MachineDeployment allows one remediation at a time",
                     .pools = {{.replicas = 4, .max_in_flight = 1}},
                     .checks = {check()},
                     .acts = {breaks(10s, "web-1"), breaks(10s, "web-2"), breaks(10s, "web-3")},
                     .broken = all({replaced(3), never_more_than(1)})});
  stories.push_back({.name = "range-nobody-understands",
                     .title = "a range that is none: the condition says how to write one",
                     .pools = {{}},
                     .checks = {in_range("[5-2]")},
                     .acts = {breaks(10s, "web-2")},
                     .length = 400s,
                     .broken = all({replaced(0), told("Unknown")})});
}

void tell_mistakes(std::vector<HealthStory>& stories) {
  stories.push_back(
      {.name = "external-template-missing",
       .title = "the remediation template is missing: said on Machine and check; then it is made",
       .pools = {{}},
       .checks = {by_reboot()},
       .acts = {breaks(10s, "web-2"),
                {400s, "somebody makes the BoxRemediationTemplate",
                 [](HealthWorld& world) { world.make_template(); }}},
       .length = 500s,
       .broken = replaced(0)});
  stories.push_back({.name = "external-remediation",
                     .title = "a reboot is asked for, and taken back when the Node is ready",
                     .pools = {{}},
                     .checks = {by_reboot()},
                     .acts = {{1s, "somebody makes the BoxRemediationTemplate",
                               [](HealthWorld& world) { world.make_template(); }},
                              breaks(10s, "web-2"),
                              heals(400s, "web-2")},
                     .length = 500s,
                     .broken = replaced(0)});
  stories.push_back({.name = "overlapping-checks",
                     .title = "two checks select the same Machines: both say so",
                     .pools = {{}},
                     .checks = {check(), of_pool("web", "other")},
                     .acts = {breaks(10s, "web-2"),
                              {350s, "somebody deletes the check other",
                               [](HealthWorld& world) { world.delete_check("other"); }}},
                     .length = 420s,
                     .broken = replaced(1)});
  stories.push_back({.name = "selects-nothing",
                     .title = "a check whose selector matches nothing says so, and what to do",
                     .pools = {{}},
                     .checks = {of_pool("wbe", "check")},
                     .acts = {breaks(10s, "web-2"),
                              {320s, "somebody corrects the selector",
                               [](HealthWorld& world) {
                                 world.change_check(
                                     "check",
                                     {{"spec", {{"selector", {{"matchLabels", {{"pool", "web"}}}}}}}});
                               }}},
                     .length = 400s,
                     .broken = replaced(1)});
}

const Machines kAll = numbered("web", 1, 6);

void tell_shared_causes(std::vector<HealthStory>& stories) {
  const api::MachineLifecyclePolicy policy = a_policy("p").selecting_everything().shared_cause();
  const auto path_breaks = unreachable(10s, "the path to all Nodes breaks", kAll);
  const auto path_heals = reachable(1810s, "the path is back", kAll);

  stories.push_back(
      {.name = "shared-cause-cluster",
       .title = "all Nodes unreachable for thirty minutes: nobody is replaced, and the check says why",
       .pools = {{.replicas = 6}},
       .checks = {check()},
       .policies = {policy},
       .acts = {path_breaks},
       .length = 1810s,
       .broken = all({replaced(0), told("False SharedCause")})});
  stories.push_back(
      {.name = "shared-cause-ends",
       .title = "the path comes back, one Node does not: it is replaced once the others stayed well",
       .pools = {{.replicas = 6}},
       .checks = {check()},
       .policies = {policy},
       .acts = {path_breaks, reachable(1810s, "the path is back, but not for web-6", numbered("web", 1, 5))},
       .length = 2300s,
       .broken = all({replaced(1), told("True")})});
  stories.push_back({.name = "shared-cause-no-policy",
                     .title = "the same without a policy: all are replaced, as upstream does",
                     .pools = {{.replicas = 6}},
                     .checks = {check()},
                     .acts = {path_breaks},
                     .length = 1810s,
                     .broken = replaced(6)});
  stories.push_back({.name = "shared-cause-another-pools-policy",
                     .title = "a policy that selects another pool changes nothing here",
                     .pools = {{.replicas = 6}},
                     .checks = {check()},
                     .policies = {a_policy("p").selecting("team", "db").shared_cause().build()},
                     .acts = {path_breaks},
                     .length = 600s,
                     .broken = replaced(6)});
  stories.push_back(
      {.name = "shared-cause-zone",
       .title = "one zone goes dark: its Machines are left alone, a broken one elsewhere is replaced",
       .pools = {{.replicas = 9, .zones = {"a", "b", "c"}}},
       .checks = {check()},
       .policies = {policy},
       .acts = {breaks(10s, "web-2"), unreachable(320s, "zone c goes dark", {"web-3", "web-6", "web-9"}),
                reachable(1000s, "zone c is back", {"web-3", "web-6", "web-9"})},
       .length = 1100s,
       .broken = all({replaced(1), told("True")})});
  stories.push_back(
      {.name = "shared-cause-pool",
       .title = "the Machines of one pool break together: another pool's are still replaced",
       .pools = {{.name = "web", .replicas = 4}, {.name = "db", .replicas = 8}},
       .checks = {check()},
       .policies = {policy},
       .acts = {unreachable(10s, "the kubelets of web crash after a bad update", numbered("web", 1, 4)),
                breaks(20s, "db-1")},
       .length = 500s,
       .broken = all({replaced(1), told("False SharedCause")})});
  stories.push_back({.name = "shared-cause-by-hand",
                     .title = "while remediation is on hold, a person may still have a Machine replaced",
                     .pools = {{.replicas = 6}},
                     .checks = {check()},
                     .policies = {policy},
                     .acts = {path_breaks, annotated(400s, "web-2", api::annotation::kRemediateMachine)},
                     .length = 450s,
                     .broken = all({replaced(1), told("False SharedCause")})});
  stories.push_back(
      {.name = "shared-cause-policy-removed",
       .title = "the policy is deleted while remediation is on hold: upstream's behaviour again",
       .pools = {{.replicas = 6}},
       .checks = {check()},
       .policies = {policy},
       .acts = {path_breaks,
                {400s, "somebody deletes the MachineLifecyclePolicy",
                 [](HealthWorld& world) { world.delete_policy("p"); }}},
       .length = 420s,
       .broken = replaced(6)});
  stories.push_back(
      {.name = "shared-cause-mark-taken-back",
       .title = "the first expires before the others are missed: its mark is taken back in time",
       .pools = {{.replicas = 6, .max_in_flight = 0}},
       .checks = {check()},
       .policies = {policy},
       .acts = {unreachable(10s, "the path to one Node breaks", {"web-1"}),
                unreachable(315s, "and to all others", numbered("web", 2, 6))},
       .length = 400s,
       .broken = all({replaced(0), told("False SharedCause")})});
  stories.push_back({.name = "shared-cause-conflicting-policies",
                     .title = "two policies select the same pool: none applies, and the check says so",
                     .pools = {{.replicas = 6, .team = "a"}},
                     .checks = {check()},
                     .policies = {policy, a_policy("q").selecting("team", "a").shared_cause().build()},
                     .acts = {path_breaks},
                     .length = 400s,
                     .broken = replaced(6)});

  const auto one_after_the_other =
      std::vector<Act>{breaks(10s, "web-2"), breaks(400s, "web-5"), breaks(800s, "web-9")};
  stories.push_back(
      {.name = "third-broken-one-by-one",
       .title = "three of ten really break, one after the other: all are replaced, one at a time",
       .pools = {{.replicas = 10, .max_in_flight = 1}},
       .checks = {check()},
       .policies = {policy},
       .acts = one_after_the_other,
       .length = 1300s,
       .broken = all({replaced(3), never_more_than(1), told("True")})});
  stories.push_back({.name = "third-broken-one-by-one-no-policy",
                     .title = "the same without a policy: the same happens",
                     .pools = {{.replicas = 10, .max_in_flight = 1}},
                     .checks = {check()},
                     .acts = one_after_the_other,
                     .length = 1300s,
                     .broken = all({replaced(3), never_more_than(1), told("True")})});
}

}  // namespace

std::vector<HealthStory> health_stories() {
  std::vector<HealthStory> stories;
  tell_the_rules(stories);
  tell_the_limits(stories);
  tell_mistakes(stories);
  tell_shared_causes(stories);
  return stories;
}

}  // namespace capstan::scenarios
