#include "test/scenarios/health/health_world.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "controllers/machineset/decide.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"
#include "test/builders/node.h"

namespace capstan::scenarios {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace machineset = controllers::machineset;
using namespace std::chrono_literals;

const kube::ObjectKey kTheCluster{.namespace_ = std::string(builders::kNamespace),
                                  .name = std::string(builders::kCluster)};
const kube::Resource kMachines = kube::resource_of<api::Machine>();
const kube::Resource kChecks = kube::resource_of<api::MachineHealthCheck>();
const kube::Resource kPolicies = kube::resource_of<api::MachineLifecyclePolicy>();
const kube::Resource kRequests =
    controllers::provider_resource(api::group::kInfrastructure, "BoxRemediation", "boxremediations");
const kube::Resource kTemplates = controllers::provider_resource(
    api::group::kInfrastructure, "BoxRemediationTemplate", "boxremediationtemplates");
constexpr std::string_view kFinalizer = "machine.cluster.x-k8s.io";
constexpr Seconds kGoneAfter{30};

std::string indented(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "                 ";
  }
  return out;
}

std::string first_line(std::string_view text) {
  const auto more = text.find("\n  * ");
  return more == std::string_view::npos ? std::string(text) : std::string(text.substr(more + 5));
}

}  // namespace

HealthWorld::HealthWorld(fakes::Baton& with, const HealthStory& story)
    : ControllerFixture(with, {.name = "machinehealthcheck", .kind = "MachineHealthCheck", .pace = 100ms}),
      story_(story),
      workload_api_({.clock = with}),
      workload_(workload_api_, with),
      acts_(story.acts) {
  set_stage();
}

// A fleet that has been running for an hour.
void HealthWorld::set_stage() {
  make(kube::resources::custom_resource_definitions(), controllers::provider_crd(kRequests));
  make(kube::resources::custom_resource_definitions(), controllers::provider_crd(kTemplates));
  const Time long_ago = Time::from(baton.now() - 1h);
  put(builders::a_cluster()
          .condition(condition::kInfrastructureReady, "True", "Ready", "", long_ago)
          .condition(condition::kControlPlaneInitialized, "True", "Initialized", "", long_ago)
          .build());
  for (const auto& policy : story_.policies) make_policy(policy);
  for (const Pool& pool : story_.pools) make_pool(pool);
  for (const auto& check : story_.checks) make(kChecks, api::to_json(check));
  workload_clusters.connect(kTheCluster, &workload_);
}

void HealthWorld::make_pool(const Pool& pool) {
  auto deployment = builders::a_machine_deployment(pool.name).replicas(pool.replicas);
  if (!pool.team.empty()) deployment.labelled("team", pool.team);
  if (pool.max_in_flight) deployment.max_in_flight(IntOrString(*pool.max_in_flight));
  make(kube::resource_of<api::MachineDeployment>(), api::to_json(deployment.build()));
  deployments_[pool.name] = read<api::MachineDeployment>(pool.name);
  auto set = builders::a_machine_set(pool.name).replicas(pool.replicas).build();
  set.metadata.owner_references = api::OwnerReferences({{.api_version = Text(api::kApiVersion),
                                                         .kind = Text(api::kind::kMachineDeployment),
                                                         .name = Text(pool.name),
                                                         .uid = deployments_[pool.name].metadata.uid,
                                                         .controller = true}});
  make(kube::resource_of<api::MachineSet>(), api::to_json(set));
  sets_[pool.name] = read<api::MachineSet>(pool.name);
  for (int i = 0; i < pool.replicas; ++i) make_machine(pool, Time::from(baton.now() - 1h));
}

void HealthWorld::make_machine(const Pool& pool, Time made) {
  const int number = made_[pool.name]++;
  const std::string name = fmt::format("{}-{}", pool.name, number + 1);
  auto machine = builders::a_machine(name).labelled("role", "worker").labelled("pool", pool.name);
  machine.finalized_by(kFinalizer).created(made);
  machine.condition(condition::kInfrastructureReady, "True", "Ready", "", made);
  if (!pool.zones.empty())
    machine.in_failure_domain(pool.zones[static_cast<std::size_t>(number) % pool.zones.size()]);
  machine.owned_by({.api_version = Text(api::kApiVersion),
                    .kind = Text(api::kind::kMachineSet),
                    .name = Text(pool.name),
                    .uid = sets_.at(pool.name).metadata.uid,
                    .controller = true});
  put(machine.build());
  if (made < now()) join(name, made);
}

void HealthWorld::join(const std::string& machine, Time ready_since) {
  const json::value node = {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", machine}}}};
  const auto created = workload_.create(kube::resources::nodes(), {}, node, {}, Deadline::never());
  ASSERT_TRUE(created) << created.error().describe();
  workload_clusters.put_node(
      kTheCluster,
      builders::a_node(machine).created(ready_since).condition("Ready", "True", "", ready_since));
  patch(kMachines, machine, {{"status", {{"nodeRef", {{"name", machine}}}}}}, "status");
}

void HealthWorld::run() {
  start();
  machines_ = read_machines();
  began_ = now();
  tell_changes();
  checks_shown_.clear();
  events_told_ = 0;
  telling_ = true;
  tell_changes();
  while (now() - began_ < story_.length) {
    settle(1s);
    live();
  }
}

// One second of all objects but the controller.
void HealthWorld::live() {
  machines_ = read_machines();
  tell_changes();
  while (!acts_.empty() && now() - began_ >= acts_.front().at) {
    const Act act = acts_.front();
    acts_.erase(acts_.begin());
    tell("!", act.text);
    act.then(*this);
  }
  live_of_machines();
  for (const Pool& pool : story_.pools) turn_of_owner(pool);
}

void HealthWorld::live_of_machines() {
  for (const auto& [name, machine] : machines_) {
    if (machine.metadata.deleting()) {
      const Time since = leaving_.try_emplace(name, now()).first->second;
      if (now() - since < kGoneAfter) continue;
      patch(kMachines, name, {{"metadata", {{"finalizers", nullptr}}}});
      workload_clusters.remove_node(kTheCluster, name);
      continue;
    }
    const auto& pool =
        *std::ranges::find(story_.pools, machine.metadata.controller()->name.view(), &Pool::name);
    const bool joins = !machine.status.node_ref && !pool.never_join.contains(name) &&
                       now() - machine.metadata.creation_timestamp >= pool.joins_after;
    if (joins) join(name, now());
  }
}

// The MachineSet's real decide; what it wants is carried out here.
void HealthWorld::turn_of_owner(const Pool& pool) {
  machineset::Observation seen{.now = now(),
                               .stored = std::make_shared<const api::MachineSet>(sets_.at(pool.name)),
                               .set = sets_.at(pool.name)};
  seen.cluster = builders::a_cluster().running().shared();
  seen.deployment = std::make_shared<const api::MachineDeployment>(deployments_.at(pool.name));
  for (const auto& [name, machine] : read_machines()) {
    if (machine.metadata.controller()->name == pool.name)
      seen.machines.push_back(std::make_shared<const api::Machine>(machine));
  }
  seen.nodes.resize(seen.machines.size());
  const auto plan = machineset::decide(seen);
  for (const auto& action : plan.actions) {
    if (const auto* create = std::get_if<machineset::CreateMachines>(&action)) {
      for (int i = 0; i < create->count; ++i) make_machine(pool, now());
    } else if (const auto* mark = std::get_if<machineset::MarkMachine>(&action)) {
      write_mark(mark->mark.after);
    } else if (const auto* removal = std::get_if<machineset::DeleteMachine>(&action)) {
      if (removal->first) write_mark(removal->first->after);
      remove(kMachines, removal->machine->metadata.name.view());
      ++replaced_;
    }
  }
  const auto in_flight = std::ranges::count_if(read_machines(), [&](const auto& each) {
    return each.second.metadata.deleting() && each.second.metadata.controller()->name == pool.name;
  });
  most_in_flight_ = std::max(most_in_flight_, static_cast<int>(in_flight));
}

void HealthWorld::write_mark(const api::Machine& machine) {
  const json::value document = api::to_json(machine);
  patch(kMachines, machine.metadata.name.view(),
        {{"status", {{"conditions", document.at("status").at("conditions")}}}}, "status");
}

// --- people and accidents ---

void HealthWorld::node_turns(const std::string& machine, std::string_view status) {
  const Time made = machines_.at(machine).metadata.creation_timestamp;
  workload_clusters.put_node(
      kTheCluster,
      builders::a_node(machine).created(std::min(made, began_)).condition("Ready", status, "", now()));
}

void HealthWorld::node_vanishes(const std::string& machine) {
  ASSERT_TRUE(
      workload_.remove(kube::resources::nodes(), {.namespace_ = {}, .name = machine}, {}, Deadline::never()));
  workload_clusters.remove_node(kTheCluster, machine);
}

void HealthWorld::annotate(const std::string& machine, std::string_view key) {
  patch(kMachines, machine, {{"metadata", {{"annotations", {{key, ""}}}}}});
}

void HealthWorld::condition(const std::string& machine, std::string_view type, std::string_view status) {
  auto found = read<api::Machine>(machine);
  conditions::set(found.status.conditions, conditions::make(type, status, type), 1, now());
  write_mark(found);
}

void HealthWorld::delete_check(std::string_view name) { remove(kChecks, name); }
void HealthWorld::change_check(std::string_view name, const json::value& change) {
  patch(kChecks, name, change);
}
void HealthWorld::make_policy(const api::MachineLifecyclePolicy& policy) {
  make(kPolicies, api::to_json(policy));
}
void HealthWorld::delete_policy(std::string_view name) { remove(kPolicies, name); }

void HealthWorld::make_template() {
  put_provider(kTemplates, "reboot", {{"spec", {{"template", {{"spec", {{"strategy", "reboot"}}}}}}}});
}

void HealthWorld::lose_cluster() {
  workload_clusters.lose(kTheCluster, "probe failed: connection refused", now());
}
void HealthWorld::find_cluster() { workload_clusters.connect(kTheCluster, &workload_, now()); }

// --- what has become of it ---

std::map<std::string, api::Machine> HealthWorld::read_machines() const {
  std::map<std::string, api::Machine> found;
  auto& reader = const_cast<fakes::MemoryClient&>(user);
  const auto listed =
      kube::list<api::Machine>(reader, {.namespace_ = std::string(builders::kNamespace)}, Deadline::never());
  if (!listed) return found;
  for (const auto& machine : listed->items) found.emplace(machine.metadata.name.str(), machine);
  return found;
}

std::vector<std::string> HealthWorld::machines() const {
  std::vector<std::string> names;
  for (const auto& [name, machine] : read_machines())
    if (!machine.metadata.deleting()) names.push_back(name);
  return names;
}

std::string HealthWorld::allowed(std::string_view check) const {
  const auto found = caches.machine_health_checks.get(key(check));
  if (!found) return "no check";
  const auto told = conditions::find(found->status.conditions, condition::kRemediationAllowed);
  return told == nullptr
             ? "unknown"
             : fmt::format("{} {}: {}", told->status.view(), told->reason.view(), told->message.view());
}

// --- telling ---

void HealthWorld::tell(std::string_view who, std::string_view text) {
  if (!telling_) return;
  const auto at = (now() - began_).count();
  log_.push_back(fmt::format("{:>3}:{:02}  {:<9}  {}", at / 60, at % 60, who, indented(text)));
}

void HealthWorld::tell_changes() {
  for (const auto& [name, machine] : machines_) tell_machine(name, machine);
  std::erase_if(shown_, [&](const auto& each) {
    if (machines_.contains(each.first)) return false;
    tell(each.first, "is gone");
    return true;
  });
  tell_checks();
  for (; events_told_ < events.events.size(); ++events_told_) {
    const std::string& event = events.events[events_told_];
    if (event.starts_with("Warning")) tell("event", first_line(event.substr(0, event.find('\n'))));
  }
}

void HealthWorld::tell_machine(const std::string& name, const api::Machine& machine) {
  const bool is_new = !shown_.contains(name);
  Shown& shown = shown_[name];
  if (is_new)
    tell(name, machine.spec.failure_domain.empty()
                   ? std::string("is made")
                   : fmt::format("is made in zone {}", machine.spec.failure_domain.view()));
  const bool on_node = machine.status.node_ref.has_value();
  if (on_node && !std::exchange(shown.on_node, true)) tell(name, "has joined");
  const auto line = [&](std::string_view type) {
    const auto found = conditions::find(machine.status.conditions, type);
    if (found == nullptr) return std::string();
    return fmt::format("{} {}{}", found->status.view(), found->reason.view(),
                       found->message.empty() ? "" : ": " + first_line(found->message.view()));
  };
  const std::string health = line(condition::kHealthCheckSucceeded);
  if (health != std::exchange(shown.health, health)) tell(name, "HealthCheckSucceeded " + health);
  std::string handed;
  for (const auto type : {condition::kOwnerRemediated, condition::kExternallyRemediated}) {
    if (const std::string text = line(type); !text.empty()) handed += fmt::format("{} {}", type, text);
  }
  const std::string before = std::exchange(shown.handed, handed);
  if (handed != before) tell(name, handed.empty() ? "is no longer to be remediated" : handed);
  if (machine.metadata.deleting() && !std::exchange(shown.deleting, true)) tell(name, "is being deleted");
}

void HealthWorld::tell_checks() {
  for (const auto& check : caches.machine_health_checks.all()) {
    const auto& status = check->status;
    const std::string text =
        fmt::format("{} of {} healthy, {} more may be remediated; {}", status.current_healthy.value_or(0),
                    status.expected_machines.value_or(0), status.remediations_allowed.value_or(0),
                    allowed(check->metadata.name.view()));
    const std::string name = check->metadata.name.str();
    if (text == std::exchange(checks_shown_[name], text)) continue;
    tell(name, text);
  }
}

}  // namespace capstan::scenarios
