#include "test/simulation/fleet_facts.h"

#include <algorithm>
#include <boost/json.hpp>
#include <type_traits>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "api/schema/decode.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"
#include "base/int_or_string.h"
#include "controllers/safety/deleted_for.h"

namespace capstan::simulation {
namespace {

namespace conditions = api::conditions;

template <typename T>
std::uint64_t version_of(const T& object) {
  return std::stoull(object.metadata.resource_version.str());
}

std::string controller_of(const api::ObjectMeta& metadata, std::string_view kind) {
  const auto* owner = metadata.controller();
  return owner == nullptr || owner->kind != kind ? std::string() : owner->uid.str();
}

bool is_being_remediated(const api::Conditions& list) {
  const auto remediated = conditions::find(list, api::condition::kOwnerRemediated);
  return remediated != nullptr && remediated->reason == api::reason::kMachineDeleting;
}

bool has_failed(const api::Conditions& list) {
  const auto lifecycle = conditions::find(list, api::policy::condition::kLifecycle);
  return lifecycle != nullptr && lifecycle->reason == "Failed";
}

std::optional<Time> preserved_until(const api::ObjectMeta& metadata) {
  const auto parsed =
      Time::parse(metadata.annotations.value_or_empty(api::policy::annotation::kPreserveUntil));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

// What its set says before it deletes it: by an annotation, or by the request that the FleetPolicy has
// granted.
std::string why_deleted(const api::Machine& machine) {
  const api::TextMap& annotations = machine.metadata.annotations;
  if (controllers::safety::is_named(machine))
    return std::string(annotations.value_or_empty(controllers::safety::kDeletedFor));
  return controllers::safety::has_fleet_place(machine)
             ? std::string(annotations.value_or_empty(api::policy::annotation::kFleetRequest))
             : std::string();
}

MachineFacts machine_facts(const api::Machine& machine) {
  const auto& list = machine.status.conditions;
  const auto& config = machine.spec.bootstrap.config_ref;
  return {.name = machine.metadata.name.str(),
          .uid = machine.metadata.uid.str(),
          .set = controller_of(machine.metadata, api::kind::kMachineSet),
          .pool = controller_of(machine.metadata, api::kind::kMachinePool),
          .going = machine.metadata.deleting(),
          .available = conditions::is_true(list, api::condition::kAvailable),
          .to_remediate = conditions::is_false(list, api::condition::kHealthCheckSucceeded) &&
                          conditions::is_false(list, api::condition::kOwnerRemediated),
          .being_remediated = is_being_remediated(list),
          .marked = machine.metadata.annotations.contains(api::annotation::kDeleteMachine),
          .failed = has_failed(list),
          .granted = machine.metadata.annotations.contains(api::policy::annotation::kReplacementGranted),
          .preserved_until = preserved_until(machine.metadata),
          .deleted_for = why_deleted(machine),
          .asks_fleet = machine.metadata.annotations.contains(api::policy::annotation::kFleetRequest),
          .fleet_granted = machine.metadata.annotations.contains(api::policy::annotation::kFleetGrant),
          .bootstrap = config ? config->name.str() : std::string(),
          .infrastructure = machine.spec.infrastructure_ref.name.str(),
          .provider_id = machine.spec.provider_id.str(),
          .node = machine.status.node_ref ? machine.status.node_ref->name.str() : std::string()};
}

SetFacts set_facts(const api::MachineSet& set) {
  return {.name = set.metadata.name.str(),
          .uid = set.metadata.uid.str(),
          .deployment = controller_of(set.metadata, api::kind::kMachineDeployment),
          .version = version_of(set),
          .replicas_there = set.spec.replicas,
          .replicas = set.spec.replicas.value_or(1),
          .template_version = set.spec.machine_template.spec.version.str(),
          .going = set.metadata.deleting(),
          .orphaning = set.metadata.deleting() && set.metadata.has_finalizer("orphan")};
}

int number(const std::optional<IntOrString>& value, int of, Rounding rounding) {
  return value ? static_cast<int>(scaled_value(*value, of, rounding).value_or(0)) : 0;
}

std::optional<int> most_remediations(const std::optional<IntOrString>& limit, int replicas) {
  return limit ? std::optional(number(limit, replicas, Rounding::Up)) : std::nullopt;
}

DeploymentFacts deployment_facts(const api::MachineDeployment& deployment) {
  const int replicas = deployment.spec.replicas.value_or(1);
  const auto& strategy = deployment.spec.rollout.strategy;
  const auto rolling = strategy ? strategy->rolling_update : api::RollingUpdate();
  return {.name = deployment.metadata.name.str(),
          .uid = deployment.metadata.uid.str(),
          .version = version_of(deployment),
          .replicas_there = deployment.spec.replicas,
          .replicas = replicas,
          .surge = number(rolling.max_surge, replicas, Rounding::Up),
          .unavailable = number(rolling.max_unavailable, replicas, Rounding::Down),
          .template_version = deployment.spec.machine_template.spec.version.str(),
          .orphaning = deployment.metadata.deleting() && deployment.metadata.has_finalizer("orphan"),
          .most_remediations = most_remediations(deployment.spec.remediation.max_in_flight, replicas),
          .going = deployment.metadata.deleting()};
}

PoolFacts pool_facts(const api::MachinePool& pool) {
  std::vector<NodeFacts> nodes;
  for (const auto& ref : pool.status.node_refs)
    nodes.push_back({.name = ref.name.str(), .uid = ref.uid.str()});
  return {.name = pool.metadata.name.str(),
          .uid = pool.metadata.uid.str(),
          .version = version_of(pool),
          .replicas = pool.spec.replicas.value_or(1),
          .going = pool.metadata.deleting(),
          .nodes = std::move(nodes)};
}

template <typename Facts, typename Key>
const Facts* first(const std::vector<Facts>& all, std::string Facts::* field, Key value) {
  const auto found = std::ranges::find(all, value, field);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const MachineFacts* FleetFacts::machine(std::string_view name) const {
  return first(machines, &MachineFacts::name, name);
}
const SetFacts* FleetFacts::set(std::string_view uid) const { return first(sets, &SetFacts::uid, uid); }
const SetFacts* FleetFacts::set_named(std::string_view name) const {
  return first(sets, &SetFacts::name, name);
}
const DeploymentFacts* FleetFacts::deployment(std::string_view uid) const {
  return first(deployments, &DeploymentFacts::uid, uid);
}

int FleetFacts::owned(std::string_view set_uid) const {
  return static_cast<int>(std::ranges::count_if(
      machines, [&](const MachineFacts& machine) { return machine.set == set_uid && !machine.given; }));
}

int FleetFacts::staying(std::string_view set_uid) const {
  return static_cast<int>(std::ranges::count_if(
      machines, [&](const MachineFacts& machine) { return machine.set == set_uid && !machine.going; }));
}

int FleetFacts::owned_below(std::string_view uid) const {
  int sum = 0;
  for (const SetFacts& each : sets)
    sum += each.deployment == uid && !is_copy(each.name) ? owned(each.uid) : 0;
  return sum;
}

int FleetFacts::preserved_below(std::string_view uid, Time now) const {
  return static_cast<int>(std::ranges::count_if(machines, [&](const MachineFacts& machine) {
    const SetFacts* owner = set(machine.set);
    const bool stays = machine.preserved_until && *machine.preserved_until > now;
    return owner != nullptr && owner->deployment == uid && stays && !machine.available && !machine.going;
  }));
}

int FleetFacts::available_below(std::string_view uid) const {
  return static_cast<int>(std::ranges::count_if(machines, [&](const MachineFacts& machine) {
    const SetFacts* owner = set(machine.set);
    return owner != nullptr && owner->deployment == uid && machine.available && !machine.going;
  }));
}

namespace {

// A word where a number belongs does not make a Machine less there.
bool take_words_out(boost::json::value& object) {
  boost::json::error_code absent;
  auto* deletion = object.find_pointer("/spec/deletion", absent);
  if (deletion == nullptr) return false;
  auto& members = deletion->as_object();
  const auto* timeout = members.if_contains("nodeDrainTimeoutSeconds");
  if (timeout == nullptr || !timeout->is_string()) return false;
  members.erase("nodeDrainTimeoutSeconds");
  return true;
}

}  // namespace

template <typename T, typename Facts>
std::vector<Facts> FleetReader::read(Known<Facts>& known, Facts (*facts_of)(const T&)) const {
  Known<Facts> now;
  std::vector<Facts> all;
  for (const auto& object : api_.stored_all(api::resource<T>.group, api::resource<T>.plural)) {
    const std::string name(object->at("metadata").at("name").as_string());
    auto known_one = known.find(name);
    if (known_one == known.end() || known_one->second.first != object) {
      boost::json::value document(*object);
      const bool readable = !take_words_out(document);
      const auto decoded = api::from_json<T>(document);
      if (!decoded) continue;
      now[name] = {object, facts_of(*decoded)};
      if constexpr (std::is_same_v<Facts, MachineFacts>) now[name].second.readable = readable;
    } else {
      now[name] = std::move(known_one->second);
    }
    all.push_back(now[name].second);
  }
  known = std::move(now);
  return all;
}

FleetFacts FleetReader::look() {
  FleetFacts facts{.machines = read<api::Machine>(machines_, machine_facts),
                   .sets = read<api::MachineSet>(sets_, set_facts),
                   .deployments = read<api::MachineDeployment>(deployments_, deployment_facts),
                   .pools = read<api::MachinePool>(pools_, pool_facts)};
  for (const auto& cluster :
       api_.stored_all(api::resource<api::Cluster>.group, api::resource<api::Cluster>.plural)) {
    if (cluster->at("metadata").at("name").as_string() != kCluster) continue;
    facts.cluster_going = cluster->at("metadata").as_object().contains("deletionTimestamp");
    const auto* paused = cluster->at("spec").as_object().if_contains("paused");
    facts.cluster_paused = paused != nullptr && paused->as_bool();
  }
  return facts;
}

}  // namespace capstan::simulation
