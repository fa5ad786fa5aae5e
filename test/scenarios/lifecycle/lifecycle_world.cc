#include "test/scenarios/lifecycle/lifecycle_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "api/conditions/conditions.h"
#include "api/contract/contract_object.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "api/schema/crd.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "controllers/lifecycle/judge.h"
#include "controllers/safety/fleet_request.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::scenarios {
namespace {

namespace condition = api::condition;
using namespace std::chrono_literals;
using builders::kNamespace;

constexpr std::string_view kPool = "web";
constexpr std::string_view kNeighbour = "db";
constexpr Seconds kVmTakes{20};
constexpr Seconds kNodeTakes{30};  // from the VM on
constexpr Seconds kVmGoes{30};
const kube::ObjectKey kTheCluster{.namespace_ = std::string(kNamespace),
                                  .name = std::string(builders::kCluster)};
const kube::ObjectKey kOtherCluster{.namespace_ = std::string(kNamespace), .name = "c2"};

kube::Resource provider(std::string_view group, std::string_view kind, std::string_view plural) {
  return {.group = std::string(group),
          .version = "v1beta2",
          .plural = std::string(plural),
          .kind = std::string(kind)};
}
const kube::Resource kInfra = provider(api::group::kInfrastructure, "DockerMachine", "dockermachines");
const kube::Resource kInfraTemplates =
    provider(api::group::kInfrastructure, "DockerMachineTemplate", "dockermachinetemplates");
const kube::Resource kConfigs = provider(api::group::kBootstrap, "KubeadmConfig", "kubeadmconfigs");
const kube::Resource kConfigTemplates =
    provider(api::group::kBootstrap, "KubeadmConfigTemplate", "kubeadmconfigtemplates");
const kube::Resource kMachines = kube::resource_of<api::Machine>();
const kube::Resource kPolicies = kube::resource_of<api::MachineLifecyclePolicy>();
const kube::Resource kFleets = kube::resource_of<api::FleetPolicy>();

json::value provider_crd(const kube::Resource& resource) {
  const json::value schema = {
      {"openAPIV3Schema", {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}};
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata",
           {{"name", resource.plural + "." + resource.group},
            {"labels", {{"cluster.x-k8s.io/v1beta2", "v1beta2"}}}}},
          {"spec",
           {{"group", resource.group},
            {"scope", "Namespaced"},
            {"names",
             {{"plural", resource.plural}, {"kind", resource.kind}, {"listKind", resource.kind + "List"}}},
            {"versions", json::array{{{"name", "v1beta2"},
                                      {"served", true},
                                      {"storage", true},
                                      {"subresources", {{"status", json::object()}}},
                                      {"schema", schema}}}}}}};
}

std::vector<json::value> definitions() {
  return {api::crd<api::Cluster>(),          api::crd<api::Machine>(),
          api::crd<api::MachineSet>(),       api::crd<api::MachineDeployment>(),
          api::crd<api::MachinePool>(),      api::crd<api::MachineHealthCheck>(),
          api::crd<api::MachineDrainRule>(), api::crd<api::MachineLifecyclePolicy>(),
          api::crd<api::FleetPolicy>(),      provider_crd(kInfra),
          provider_crd(kInfraTemplates),     provider_crd(kConfigs),
          provider_crd(kConfigTemplates)};
}

kube::ObjectKey named(std::string_view name) {
  return {.namespace_ = std::string(kNamespace), .name = std::string(name)};
}

kube::ObjectKey key_in(const kube::Resource& resource, std::string_view name) {
  return resource.namespaced ? named(name) : kube::ObjectKey{.namespace_ = {}, .name = std::string(name)};
}

std::string time_text(Time time) { return time.to_string(); }

json::object ready_condition(std::string_view status, std::string_view reason, Time since) {
  return {
      {"type", "Ready"}, {"status", status}, {"reason", reason}, {"lastTransitionTime", time_text(since)}};
}

// All that a Machine asks of its Node before it is Available.
json::array healthy_conditions(Time since) {
  json::array all = {ready_condition("True", "KubeletReady", since)};
  for (const auto* type : {"MemoryPressure", "DiskPressure", "PIDPressure"}) {
    json::object none = ready_condition("False", "KubeletHasNone", since);
    none["type"] = type;
    all.push_back(std::move(none));
  }
  return all;
}

bool has(const json::value& object, std::string_view path) {
  json::error_code missing;
  const auto* found = object.find_pointer(path, missing);
  return found != nullptr && !found->is_null() && !(found->is_array() && found->as_array().empty());
}

controllers::Settings core_settings(bool granting, bool mcm_aliases) {
  return {.concurrency = {.machine = 2,
                          .machine_set = 1,
                          .machine_deployment = 1,
                          .machine_pool = 1,
                          .machine_health_check = 1},
          .mcm_aliases = mcm_aliases,
          .owns_fleet_policy = granting,
          .left_out = {std::string(api::controller::kCluster)}};
}

}  // namespace

LifecycleWorld::LifecycleWorld(fakes::Baton& baton, const LifecycleStory& story)
    : baton_(baton),
      story_(story),
      api_({.clock = baton}),
      workload_api_({.clock = baton}),
      user_(api_, baton, {.user_agent = "kubectl/1"}),
      manager_(api_, baton, {.user_agent = "manager/1"}),
      workload_(workload_api_, baton),
      network_(manager_, baton, baton, management_plan()),
      workload_network_(workload_, baton, baton, network_plan()),
      agent_(story.agent.value_or(NodeAgent())),
      loop_(baton, baton),
      acts_(story.acts) {
  set_stage();
}

LifecycleWorld::~LifecycleWorld() { stop_manager(); }

fakes::FaultPlan LifecycleWorld::management_plan() {
  auto plan = network_plan();
  plan.choose = [this, usual = plan.choose](const fakes::FaultPoint& at) {
    if (deaf_to_ != kAllKinds && (deaf_to_.empty() || deaf_to_ != at.kind)) return usual(at);
    if (at.call == fakes::Call::Piece) return fakes::Fault::Cut;
    const bool is_stream = at.call == fakes::Call::Watch || at.call == fakes::Call::ListStream;
    return is_stream ? fakes::Fault::Unavailable : usual(at);
  };
  return plan;
}

fakes::FaultPlan LifecycleWorld::network_plan() {
  return {.choose =
              [this](const fakes::FaultPoint& at) {
                if (at.call == fakes::Call::Piece)
                  return lag_ > Nanoseconds::zero() ? fakes::Fault::Stale : fakes::Fault::None;
                return dead_ ? fakes::Fault::Unavailable : fakes::Fault::None;
              },
          .span = [this] { return lag_; },
          .on_effect = [this](const fakes::FaultPoint& at) { count_effect(at); }};
}

// Of one that is dead nothing goes out any more.
void LifecycleWorld::count_effect(const fakes::FaultPoint& at) {
  if (at.kind == api::kind::kMachine) ++writes_;
  written_.push_back(fmt::format("{} {}", to_string(at.call), at.kind));
  if (writes_to_live_ == 0) return;
  --writes_to_live_;
  if (writes_to_live_ == 0) dead_ = died_ = true;
}

void LifecycleWorld::start_manager() {
  core_ =
      std::make_unique<controllers::Controllers>(controllers::Seams{.clock = baton_,
                                                                    .threads = baton_,
                                                                    .client = network_,
                                                                    .randomness = randomness_,
                                                                    .loop = loop_,
                                                                    .workload_clusters = *workload_clusters_,
                                                                    .brake = brake_},
                                                 core_settings(granting_, story_.mcm_aliases));
  core_->start_informers();
  while (core_->not_synced()) baton_.pause(Deadline::in(baton_, 20ms));
  core_->start();
}

void LifecycleWorld::stop_manager() {
  if (!core_) return;
  core_->stop();
  core_->stop_informers();
  core_.reset();
}

// The registry of workload clusters goes with the manager, and the new one sees all Nodes anew.
void LifecycleWorld::restart() {
  stop_manager();
  dead_ = false;
  workload_clusters_ = std::make_unique<fakes::FakeWorkloadClusters>();
  for (auto& [name, version] : nodes_shown_) {
    if (version != "gone") version.clear();
  }
  mirror_nodes();
  if (reached_) workload_clusters_->connect(kTheCluster, &workload_network_, now());
  if (story_.neighbours > 0) workload_clusters_->connect(kOtherCluster, &workload_, now());
  start_manager();
}

void LifecycleWorld::stop_granting() {
  granting_ = false;
  restart();
}

void LifecycleWorld::make(const kube::Resource& resource, json::value object) {
  auto& metadata = object.as_object()["metadata"].as_object();
  for (const auto* field : {"uid", "resourceVersion", "generation", "creationTimestamp"})
    metadata.erase(field);
  const std::string name(metadata.at("name").as_string());
  const auto made = user_.create(resource, key_in(resource, name), object, {}, Deadline::never());
  ASSERT_TRUE(made) << made.error().describe();
}

void LifecycleWorld::patch(const kube::Resource& resource, std::string_view name, const json::value& body,
                           std::string_view subresource) {
  const auto key = key_in(resource, name);
  const auto patched =
      user_.patch(resource, key, body, {.subresource = std::string(subresource)}, Deadline::never());
  ASSERT_TRUE(patched) << patched.error().describe();
}

void LifecycleWorld::set_stage() {
  for (auto& definition : definitions())
    make(kube::resources::custom_resource_definitions(), std::move(definition));
  make_cluster(builders::kCluster);
  make_templates(kPool);
  if (story_.policy) make(kPolicies, api::to_json(*story_.policy));
  if (story_.check) make(kube::resource_of<api::MachineHealthCheck>(), api::to_json(*story_.check));
  if (story_.fleet) make(kFleets, api::to_json(*story_.fleet));
  if (story_.drains_nodes) make_control_plane_machine();
  make_owner();
  find_cluster();
  if (story_.neighbours > 0) make_neighbour();
}

void LifecycleWorld::make_cluster(std::string_view name) {
  const auto cluster =
      builders::a_cluster(name).without_control_plane_ref().without_infrastructure_ref().running();
  const json::value document = api::to_json(cluster.build());
  make(kube::resource_of<api::Cluster>(), document);
  patch(kube::resource_of<api::Cluster>(), name, {{"status", document.at("status")}}, "status");
}

// Paused: nothing becomes of it.
void LifecycleWorld::make_control_plane_machine() {
  make(kube::resource_of<api::Machine>(),
       api::to_json(builders::a_machine("cp").control_plane().paused().build()));
}

void LifecycleWorld::make_templates(std::string_view name) {
  for (const auto& resource : {kInfraTemplates, kConfigTemplates}) {
    make(resource, {{"apiVersion", resource.api_version()},
                    {"kind", resource.kind},
                    {"metadata", {{"name", name}, {"namespace", kNamespace}}},
                    {"spec", {{"template", {{"spec", json::object()}}}}}});
  }
}

void LifecycleWorld::make_neighbour() {
  make_cluster(kOtherCluster.name);
  make_templates(kNeighbour);
  workload_clusters_->connect(kOtherCluster, &workload_, now());
  const auto deployment =
      builders::a_machine_deployment(kNeighbour).in_cluster(kOtherCluster.name).replicas(story_.neighbours);
  make(kube::resource_of<api::MachineDeployment>(), api::to_json(deployment.build()));
}

// The Nodes of both stand on one server.
kube::ObjectKey LifecycleWorld::cluster_of(std::string_view node) const {
  return node.starts_with(fmt::format("{}-", kNeighbour)) ? kOtherCluster : kTheCluster;
}

void LifecycleWorld::make_owner() {
  if (story_.stands_alone)
    return make(
        kube::resource_of<api::MachineSet>(),
        api::to_json(builders::a_machine_set(kPool).replicas(story_.replicas).labelled("team", "a").build()));
  auto deployment = builders::a_machine_deployment(kPool).replicas(story_.replicas).labelled("team", "a");
  deployment.template_label("role", "worker");
  if (story_.max_in_flight) deployment.max_in_flight(IntOrString(*story_.max_in_flight));
  make(kube::resource_of<api::MachineDeployment>(), api::to_json(deployment.build()));
}

// As the Cluster controller writes it.
void LifecycleWorld::show_contact(bool reached) {
  auto cluster = kube::get<api::Cluster>(user_, kTheCluster, Deadline::never()).value();
  api::conditions::set(
      cluster.status.conditions,
      api::conditions::make(condition::kRemoteConnectionProbe,
                            reached ? api::status::kTrue : api::status::kFalse,
                            reached ? api::reason::kProbeSucceeded : api::reason::kProbeFailed),
      cluster.metadata.generation, now());
  const json::value document = api::to_json(cluster);
  patch(kube::resource_of<api::Cluster>(), builders::kCluster,
        {{"status", {{"conditions", document.at("status").at("conditions")}}}}, "status");
}

void LifecycleWorld::run() {
  start_manager();
  for (int second = 0; second < 120; ++second) one_second();
  began_ = now();
  most_gone_ = 0;
  forget_writes();
  telling_ = true;
  policy_shown_.clear();
  fleet_shown_.clear();
  progress_shown_.clear();
  mixed_ = false;
  while (now() - began_ < story_.length) one_second();
}

void LifecycleWorld::forget_writes() {
  writes_ = 0;
  written_.clear();
}

void LifecycleWorld::one_second() {
  while (telling_ && !acts_.empty() && now() - began_ >= acts_.front().at) {
    const LifecycleAct act = acts_.front();
    acts_.erase(acts_.begin());
    tell("!", act.text);
    act.then(*this);
  }
  baton_.pause(Deadline::in(baton_, 1s));
  if (dead_) restart();
  look();
  live_of_vms();
  remove_vms();
  if (story_.agent) agent_.work(workload_, now(), numbers_);
  mirror_nodes();
}

void LifecycleWorld::look() {
  const auto listed =
      kube::list<api::Machine>(user_, {.namespace_ = std::string(kNamespace)}, Deadline::never());
  machines_.clear();
  std::vector<const api::Machine*> fresh;
  for (const auto& machine : listed->items) {
    if (machine.metadata.labels.contains(api::label::kControlPlane)) continue;
    const auto& kept = machines_.emplace(machine.metadata.name.str(), machine).first->second;
    if (!numbers_.contains(kept.metadata.name.str())) fresh.push_back(&kept);
  }
  std::ranges::sort(fresh, {}, [](const auto* machine) {
    return std::pair(machine->metadata.creation_timestamp, machine->metadata.name);
  });
  for (const auto* machine : fresh) {
    numbers_.emplace(machine->metadata.name.str(), made() + 1);
    creations_.push_back(telling_ ? now() - began_ : Seconds(0));
  }
  tell_machines();
  tell_events();
  tell_policy();
  tell_fleet();
  tell_rollout();
  tell_brakes();
  if (story_.tells_waits) tell_waits();
  count_gone();
  count_updates();
}

// --- the provider ---

void LifecycleWorld::live_of_vms() {
  for (const auto& [name, machine] : machines_) {
    if (machine.metadata.deleting() || !user_.get(kInfra, named(name), Deadline::never())) continue;
    const Seconds age = now() - machine.metadata.creation_timestamp;
    if (age >= kVmTakes) make_vm(machine);
    if (age >= kVmTakes + kNodeTakes && !story_.never_join.contains(numbers_.at(name))) make_node(machine);
  }
}

void LifecycleWorld::make_vm(const api::Machine& machine) {
  const std::string name = machine.metadata.name.str();
  const auto object = user_.get(kInfra, named(name), Deadline::never());
  if (has(*object, "/status/conditions")) return;
  if (story_.never_made.contains(numbers_.at(name)))
    return patch(
        kInfra, name,
        {{"status", {{"conditions", json::array{ready_condition("False", "ResourceExhausted", now())}}}}},
        "status");
  patch(kInfra, name,
        {{"metadata", {{"finalizers", {"provider.example.com/vm"}}}},
         {"spec", {{"providerID", "docker:////" + name}}}});
  patch(kInfra, name,
        {{"status",
          {{"initialization", {{"provisioned", true}}},
           {"conditions", json::array{ready_condition("True", "Ready", now())}}}}},
        "status");
  patch(kConfigs, name,
        {{"status", {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", name}}}},
        "status");
}

void LifecycleWorld::make_node(const api::Machine& machine) {
  const std::string name = machine.metadata.name.str();
  if (nodes_shown_.contains(name) || machine.spec.provider_id.empty()) return;
  nodes_shown_.emplace(name, "");
  json::array taints;
  if (const auto taint = story_.born_tainted.find(numbers_.at(name)); taint != story_.born_tainted.end())
    taints.push_back({{"key", taint->second}, {"effect", "NoSchedule"}});
  // A rollout waits for all that makes a Machine Available; a story of what a policy alone judges needs the
  // condition Ready only.
  const bool may_roll = !story_.policy || story_.policy->spec.rollout;
  json::array conditions =
      may_roll ? healthy_conditions(now()) : json::array{ready_condition("True", "KubeletReady", now())};
  json::value node = {{"apiVersion", "v1"},
                      {"kind", "Node"},
                      {"metadata", {{"name", name}}},
                      {"spec", {{"providerID", machine.spec.provider_id.view()}, {"taints", taints}}},
                      {"status", {{"conditions", std::move(conditions)}}}};
  const auto made = workload_.create(kube::resources::nodes(), {.namespace_ = {}, .name = name}, node, {},
                                     Deadline::never());
  ASSERT_TRUE(made) << made.error().describe();
}

// A VM whose object is being deleted takes half a minute; its Node goes with it.
void LifecycleWorld::remove_vms() {
  const auto listed = user_.list(kInfra, {.namespace_ = std::string(kNamespace)}, Deadline::never());
  for (const auto& object : listed->at("items").as_array()) {
    if (!has(object, "/metadata/deletionTimestamp")) continue;
    const std::string name(object.at("metadata").at("name").as_string());
    const Time since = going_since_.try_emplace(name, now()).first->second;
    if (now() - since < kVmGoes) continue;
    if (has(object, "/metadata/finalizers")) patch(kInfra, name, {{"metadata", {{"finalizers", nullptr}}}});
    (void)workload_.remove(kube::resources::nodes(), {.namespace_ = {}, .name = name}, {}, Deadline::never());
  }
}

// What the registry of workload clusters would have seen by now.
void LifecycleWorld::mirror_nodes() {
  std::set<std::string> there;
  const auto listed = kube::list<api::Node>(workload_, {}, Deadline::never());
  for (const auto& node : listed->items) {
    const std::string name = node.metadata.name.str();
    there.insert(name);
    const std::string version = node.metadata.resource_version.str();
    if (std::exchange(nodes_shown_[name], version) == version) continue;
    if (story_.drains_nodes) {
      workload_clusters_->mirror_node(cluster_of(name), node);
    } else {
      workload_clusters_->put_node(cluster_of(name), node);
    }
  }
  for (auto& [name, version] : nodes_shown_) {
    if (there.contains(name) || version == "gone") continue;
    if (!version.empty()) workload_clusters_->remove_node(cluster_of(name), name);
    version = "gone";
  }
}

// --- people and accidents ---

const std::string& LifecycleWorld::name_of(int machine) const {
  return std::ranges::find(numbers_, machine, &std::pair<const std::string, int>::second)->first;
}

void LifecycleWorld::node_turns(int machine, std::string_view type, std::string_view status) {
  const kube::ObjectKey key{.namespace_ = {}, .name = name_of(machine)};
  const auto node = workload_.get(kube::resources::nodes(), key, Deadline::never());
  if (!node && node.error().code == Code::NotFound) return;  // its Machine went: told already
  ASSERT_TRUE(node) << node.error().describe();
  json::array conditions;
  for (const auto& each : node->at("status").at("conditions").as_array())
    if (std::string_view(each.at("type").as_string()) != type) conditions.push_back(each);
  conditions.push_back({{"type", type},
                        {"status", status},
                        {"reason", "KubeletSays"},
                        {"lastTransitionTime", time_text(now())}});
  const auto patched =
      workload_.patch(kube::resources::nodes(), key, {{"status", {{"conditions", std::move(conditions)}}}},
                      {.subresource = "status"}, Deadline::never());
  ASSERT_TRUE(patched) << patched.error().describe();
}

void LifecycleWorld::node_vanishes(int machine) {
  const auto removed = workload_.remove(kube::resources::nodes(),
                                        {.namespace_ = {}, .name = name_of(machine)}, {}, Deadline::never());
  ASSERT_TRUE(removed) << removed.error().describe();
}

void LifecycleWorld::node_is_overlooked(int machine) {
  workload_clusters_->remove_node(kTheCluster, name_of(machine));
}

void LifecycleWorld::node_is_seen_again(int machine) { nodes_shown_[name_of(machine)].clear(); }

void LifecycleWorld::remove_taints(int machine) {
  const auto patched = workload_.patch(kube::resources::nodes(), {.namespace_ = {}, .name = name_of(machine)},
                                       {{"spec", {{"taints", nullptr}}}}, {}, Deadline::never());
  ASSERT_TRUE(patched) << patched.error().describe();
}

void LifecycleWorld::annotate(int machine, std::string_view key, std::string_view value) {
  patch(kMachines, name_of(machine), {{"metadata", {{"annotations", {{key, value}}}}}});
}

void LifecycleWorld::annotate_node(int machine, std::string_view key, std::optional<std::string> value) {
  const json::value wanted = value ? json::value(*value) : json::value(nullptr);
  const auto patched =
      workload_.patch(kube::resources::nodes(), {.namespace_ = {}, .name = name_of(machine)},
                      {{"metadata", {{"annotations", {{key, wanted}}}}}}, {}, Deadline::never());
  ASSERT_TRUE(patched) << patched.error().describe();
}

void LifecycleWorld::label_node(int machine, std::string_view key, std::optional<std::string> value) {
  const json::value wanted = value ? json::value(*value) : json::value(nullptr);
  const auto patched = workload_.patch(kube::resources::nodes(), {.namespace_ = {}, .name = name_of(machine)},
                                       {{"metadata", {{"labels", {{key, wanted}}}}}}, {}, Deadline::never());
  ASSERT_TRUE(patched) << patched.error().describe();
}

// The Pod ends as soon as it is deleted.
void LifecycleWorld::run_pod(int machine, std::string_view name) {
  const json::value pod{{"apiVersion", "v1"},
                        {"kind", "Pod"},
                        {"metadata", {{"name", name}, {"namespace", "default"}}},
                        {"spec",
                         {{"nodeName", name_of(machine)},
                          {"terminationGracePeriodSeconds", 0},
                          {"containers", json::array{{{"name", "app"}, {"image", "app"}}}}}}};
  const auto made =
      workload_.create(kube::resources::pods(), {.namespace_ = "default", .name = std::string(name)}, pod, {},
                       Deadline::never());
  ASSERT_TRUE(made) << made.error().describe();
}

int LifecycleWorld::pods() const {
  auto& reader = const_cast<fakes::MemoryClient&>(workload_);
  const auto listed = reader.list(kube::resources::pods(), {}, Deadline::never());
  return listed ? static_cast<int>(listed->at("items").as_array().size()) : 0;
}

void LifecycleWorld::cordon(int machine) {
  const auto patched = workload_.patch(kube::resources::nodes(), {.namespace_ = {}, .name = name_of(machine)},
                                       {{"spec", {{"unschedulable", true}}}}, {}, Deadline::never());
  ASSERT_TRUE(patched) << patched.error().describe();
}

void LifecycleWorld::preserve_for(int machine, Seconds span) {
  annotate(machine, api::policy::annotation::kPreserveUntil, (now() + span).to_string());
}

void LifecycleWorld::take_off(int machine, std::string_view annotation) {
  if (!machines_.contains(name_of(machine))) return;
  patch(kMachines, name_of(machine), {{"metadata", {{"annotations", {{annotation, nullptr}}}}}});
}

void LifecycleWorld::relabel(int machine, std::string_view key, std::string_view value) {
  patch(kMachines, name_of(machine), {{"metadata", {{"labels", {{key, value}}}}}});
}

void LifecycleWorld::delete_machine(int machine) {
  const auto removed = user_.remove(kMachines, named(name_of(machine)), {}, Deadline::never());
  ASSERT_TRUE(removed) << removed.error().describe();
}

void LifecycleWorld::patch_owner(const json::value& body) {
  patch(story_.stands_alone ? kube::resource_of<api::MachineSet>()
                            : kube::resource_of<api::MachineDeployment>(),
        kPool, body);
}

void LifecycleWorld::confirm_release() {
  const auto deployment = kube::get<api::MachineDeployment>(user_, named(kPool), Deadline::never());
  ASSERT_TRUE(deployment) << deployment.error().describe();
  const std::string generation = std::to_string(deployment->metadata.generation);
  patch_owner({{"metadata", {{"annotations", {{api::annotation::kConfirmRelease, generation}}}}}});
}

void LifecycleWorld::delete_lost_sets() {
  const auto sets =
      kube::list<api::MachineSet>(user_, {.namespace_ = std::string(kNamespace)}, Deadline::never());
  for (const api::MachineSet& set : sets->items) {
    if (set.metadata.controller() != nullptr) continue;
    const auto removed = user_.remove(kube::resource_of<api::MachineSet>(), named(set.metadata.name.view()),
                                      {}, Deadline::never());
    ASSERT_TRUE(removed) << removed.error().describe();
  }
}

void LifecycleWorld::patch_policy(const json::value& body) {
  patch(kPolicies, story_.policy->metadata.name.view(), body);
}

void LifecycleWorld::delete_policy() {
  const auto removed =
      user_.remove(kPolicies, named(story_.policy->metadata.name.view()), {}, Deadline::never());
  ASSERT_TRUE(removed) << removed.error().describe();
}

void LifecycleWorld::resize_neighbour(int replicas) {
  patch(kube::resource_of<api::MachineDeployment>(), kNeighbour, {{"spec", {{"replicas", replicas}}}});
}

void LifecycleWorld::patch_fleet(const json::value& body) {
  patch(kFleets, api::policy::kFleetPolicyName, body);
}

void LifecycleWorld::delete_fleet() {
  const auto removed =
      user_.remove(kFleets, key_in(kFleets, api::policy::kFleetPolicyName), {}, Deadline::never());
  ASSERT_TRUE(removed) << removed.error().describe();
}

void LifecycleWorld::lose_cluster() {
  reached_ = false;
  workload_clusters_->lose(kTheCluster, "probe failed: connection refused", now());
  show_contact(false);
}

void LifecycleWorld::find_cluster() {
  reached_ = true;
  workload_clusters_->connect(kTheCluster, &workload_network_, now());
  show_contact(true);
}

void LifecycleWorld::doubt_cluster() {
  workload_clusters_->set_reach(kTheCluster, {.last_success = now(), .doubt = "probe failed: timeout"});
}

std::string LifecycleWorld::victim(int machine) const { return name_of(machine); }

// --- what has become of it ---

int LifecycleWorld::made_by(Seconds then) const {
  return static_cast<int>(std::ranges::count_if(creations_, [&](Seconds at) { return at <= then; }));
}

bool LifecycleWorld::is_deleted(int machine) const {
  const auto found = machines_.find(name_of(machine));
  return found == machines_.end() || found->second.metadata.deleting();
}

std::string LifecycleWorld::phase(int machine) const {
  const auto found = machines_.find(name_of(machine));
  const auto standing =
      found == machines_.end() ? std::nullopt : controllers::lifecycle::standing_of(found->second);
  return standing ? std::string(to_string(standing->phase)) : "none";
}

std::string LifecycleWorld::message(int machine) const {
  const auto found = machines_.find(name_of(machine));
  const auto standing =
      found == machines_.end() ? std::nullopt : controllers::lifecycle::standing_of(found->second);
  return standing ? standing->message : "none";
}

bool LifecycleWorld::is_preserved(int machine) const {
  const auto found = machines_.find(name_of(machine));
  return found != machines_.end() &&
         api::conditions::is_true(found->second.status.conditions, api::policy::condition::kPreserved);
}

bool LifecycleWorld::is_cordoned(int machine) const {
  auto& reader = const_cast<fakes::MemoryClient&>(workload_);
  const auto node =
      kube::get<api::Node>(reader, {.namespace_ = {}, .name = name_of(machine)}, Deadline::never());
  return node && node->spec.unschedulable;
}

std::string LifecycleWorld::node_annotation(int machine, std::string_view key) const {
  auto& reader = const_cast<fakes::MemoryClient&>(workload_);
  const auto node =
      kube::get<api::Node>(reader, {.namespace_ = {}, .name = name_of(machine)}, Deadline::never());
  const Text* value = node ? node->metadata.annotations.find(key) : nullptr;
  return value == nullptr ? "none" : value->str();
}

std::string LifecycleWorld::node_value(int machine, std::string_view key) const {
  auto& reader = const_cast<fakes::MemoryClient&>(workload_);
  const auto node =
      reader.get(kube::resources::nodes(), {.namespace_ = {}, .name = name_of(machine)}, Deadline::never());
  if (!node) return "none";
  json::error_code missing;
  for (const auto* map : {"/metadata/labels", "/metadata/annotations", "/status/capacity"}) {
    const auto* found = node->find_pointer(map, missing);
    const auto* value = found == nullptr ? nullptr : found->as_object().if_contains(key);
    if (value != nullptr) return std::string(value->as_string());
  }
  const auto* taints = node->find_pointer("/spec/taints", missing);
  if (taints == nullptr || !taints->is_array()) return "none";
  for (const auto& taint : taints->as_array())
    if (std::string_view(taint.at("key").as_string()) == key)
      return std::string(taint.at("effect").as_string());
  return "none";
}

json::value LifecycleWorld::policy() const {
  auto& reader = const_cast<fakes::MemoryClient&>(user_);
  return reader.get(kPolicies, named(story_.policy->metadata.name.view()), Deadline::never()).value();
}

std::string LifecycleWorld::version() const {
  auto& reader = const_cast<fakes::MemoryClient&>(user_);
  const auto deployment = kube::get<api::MachineDeployment>(reader, named(kPool), Deadline::never());
  return deployment->spec.machine_template.spec.version.str();
}

// Machines that stand in for what was lost, and what is about to be lost.
void LifecycleWorld::count_gone() {
  if (!telling_) return;
  const auto well = std::ranges::count_if(machines_, [](const auto& each) {
    const auto& machine = each.second;
    return !machine.metadata.deleting() && machine.status.node_ref &&
           !controllers::lifecycle::is_in(machine, controllers::lifecycle::Phase::Failed);
  });
  most_gone_ = std::max(most_gone_, story_.replicas - static_cast<int>(well));
}

void LifecycleWorld::count_updates() {
  if (!telling_) return;
  const auto updated = std::ranges::count_if(machines_, [](const auto& each) {
    return each.second.metadata.annotations.contains(api::policy::annotation::kInPlaceUpdate);
  });
  most_updated_ = std::max(most_updated_, static_cast<int>(updated));
  most_there_ = std::max(most_there_, static_cast<int>(machines_.size()));
}

std::string LifecycleWorld::machine_version(int machine) const {
  const auto found = machines_.find(name_of(machine));
  return found == machines_.end() ? "none" : found->second.spec.version.str();
}

std::string LifecycleWorld::bootstrap_source(int machine) const {
  auto& reader = const_cast<fakes::MemoryClient&>(user_);
  const auto config = reader.get(kConfigs, named(name_of(machine)), Deadline::never());
  if (!config) return "none";
  const auto& annotations = config->at("metadata").at("annotations").as_object();
  return std::string(annotations.at(api::annotation::kClonedFromName).as_string());
}

// --- telling ---

std::string LifecycleWorld::with_numbers(std::string text) const {
  for (const auto& [name, number] : numbers_) {
    const std::string alias = fmt::format("m{}", number);
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + alias.size()))
      text.replace(at, name.size(), alias);
  }
  return text;
}

void LifecycleWorld::tell(std::string_view who, std::string_view text) {
  if (!telling_) return;
  const auto at = (now() - began_).count();
  std::string line;
  for (const char c : with_numbers(std::string(text)))
    line += c == '\n' ? "\n                  " : std::string(1, c);
  log_.push_back(fmt::format("{:>3}:{:02}  {:<9}  {}", at / 60, at % 60, who, line));
}

void LifecycleWorld::tell_machines() {
  std::vector<const api::Machine*> in_order;
  for (const auto& [name, machine] : machines_) in_order.push_back(&machine);
  std::ranges::sort(in_order, {},
                    [&](const auto* machine) { return numbers_.at(machine->metadata.name.str()); });
  for (const auto* machine : in_order) tell_machine(*machine);
  std::erase_if(shown_, [&](const auto& each) {
    if (machines_.contains(each.first)) return false;
    if (!each.second.deleting) count_deletion();  // within one second
    tell(fmt::format("m{}", numbers_.at(each.first)), "is gone");
    return true;
  });
}

void LifecycleWorld::tell_machine(const api::Machine& machine) {
  const std::string name = machine.metadata.name.str();
  const std::string who = fmt::format("m{}", numbers_.at(name));
  if (!shown_.contains(name)) tell(who, "is made");
  Shown& shown = shown_[name];
  const bool granted = controllers::lifecycle::is_granted(machine);
  if (granted && !std::exchange(shown.granted, granted)) tell(who, "may be replaced");
  const auto standing = controllers::lifecycle::standing_of(machine);
  const std::string lifecycle =
      standing ? fmt::format("{}: {}", to_string(standing->phase), standing->message) : std::string();
  if (lifecycle != std::exchange(shown.lifecycle, lifecycle))
    tell(who, lifecycle.empty() ? "has no life cycle any more" : lifecycle);
  tell_preservation(machine, who, shown);
  tell_fleet_request(machine, who, shown);
  if (story_.agent) tell_update(machine, who, shown);
  tell_node(numbers_.at(name), who, shown);
  if (machine.metadata.deleting() && !std::exchange(shown.deleting, true)) {
    count_deletion();
    tell(who, "is being deleted");
  }
}

void LifecycleWorld::tell_update(const api::Machine& machine, std::string_view who, Shown& shown) {
  const std::string update(
      machine.metadata.annotations.value_or_empty(api::policy::annotation::kInPlaceUpdate));
  if (update != std::exchange(shown.update, update))
    tell(who, update.empty() ? "is not updated any more" : "is updated: " + update);
  const auto* owner = machine.metadata.controller();
  const std::string set = owner == nullptr ? std::string() : owner->name.str();
  if (shown.set != set && !std::exchange(shown.set, set).empty())
    tell(who, fmt::format("belongs to MachineSet {} now, version {:?}", set, machine.spec.version.view()));
}

void LifecycleWorld::count_deletion() {
  if (!telling_) return;
  ++deleted_;
  deletions_.push_back(now() - began_);
}

void LifecycleWorld::tell_fleet_request(const api::Machine& machine, std::string_view who, Shown& shown) {
  const auto request = controllers::safety::fleet_request_of(machine);
  const std::string text = controllers::safety::has_fleet_grant(machine)
                               ? "may be deleted: the FleetPolicy says so"
                           : request ? fmt::format("asks the FleetPolicy: {}", request->reason)
                                     : std::string();
  if (text != std::exchange(shown.fleet, text))
    tell(who, text.empty() ? "asks the FleetPolicy for nothing any more" : text);
}

void LifecycleWorld::tell_preservation(const api::Machine& machine, std::string_view who, Shown& shown) {
  const auto condition = api::conditions::find(machine.status.conditions, api::policy::condition::kPreserved);
  const std::string preservation =
      condition == nullptr ? std::string()
                           : fmt::format("{}: {}", condition->reason.view(), condition->message.view());
  if (preservation != std::exchange(shown.preservation, preservation))
    tell(who, preservation.empty() ? "is not preserved any more" : preservation);
  if (!story_.preserves) return;
  const std::string autoscaler =
      node_annotation(numbers_.at(machine.metadata.name.str()), api::policy::annotation::kScaleDownDisabled);
  if (shown.autoscaler.empty() && autoscaler == "none") return;
  if (autoscaler != std::exchange(shown.autoscaler, autoscaler))
    tell(who, "its Node has scale-down-disabled: " + autoscaler);
}

void LifecycleWorld::tell_node(int machine, std::string_view who, Shown& shown) {
  for (const std::string& key : story_.told_of_nodes) {
    const std::string value = node_value(machine, key);
    std::string& before = shown.node[key];
    if (before.empty() && value == "none") continue;
    if (value != std::exchange(before, value)) tell(who, fmt::format("its Node has {}: {}", key, value));
  }
}

void LifecycleWorld::tell_events() {
  if (story_.told_events.empty()) return;
  const auto listed =
      user_.list(kube::resources::events(), {.namespace_ = std::string(kNamespace)}, Deadline::never());
  for (const auto& event : listed->at("items").as_array()) {
    const std::string_view reason = event.at("reason").as_string();
    if (std::ranges::find(story_.told_events, reason) == story_.told_events.end()) continue;
    if (!events_shown_.insert(std::string(event.at("metadata").at("name").as_string())).second) continue;
    tell(event.at("involvedObject").at("name").as_string(),
         fmt::format("Event {}: {}", reason, std::string_view(event.at("message").as_string())));
  }
}

void LifecycleWorld::tell_policy() {
  if (!story_.policy) return;
  const auto policy = kube::get<api::MachineLifecyclePolicy>(
      user_, named(story_.policy->metadata.name.view()), Deadline::never());
  if (!policy || !policy->status.lifecycle) return;
  const auto& status = *policy->status.lifecycle;
  const auto& counts = status.machines;
  std::string text =
      fmt::format("{} running, {} unhealthy, {} failed, {} on their way, {} terminating; {} in flight",
                  counts.running, counts.unhealthy, counts.failed,
                  counts.creating + counts.create_retrying + counts.joining + counts.in_place_updating +
                      counts.in_place_update_failed,
                  counts.terminating, status.in_flight);
  if (api::conditions::is_true(policy->status.conditions, api::policy::condition::kHealthCheckOverlap))
    text += "; overlaps a health check";
  if (text != std::exchange(policy_shown_, text)) tell("policy", text);
}

void LifecycleWorld::tell_fleet() {
  if (!story_.fleet) return;
  const auto fleet =
      kube::get<api::FleetPolicy>(user_, key_in(kFleets, api::policy::kFleetPolicyName), Deadline::never());
  std::string text = "is gone";
  if (fleet) {
    const auto& status = fleet->status;
    text = fmt::format("{} waiting, {} in flight", status.waiting, status.in_flight);
    for (const auto type : {api::policy::condition::kLimiting, api::policy::condition::kSomeFrozen}) {
      const auto says = api::conditions::find(status.conditions, type);
      if (says != nullptr && says->status == api::status::kTrue)
        text += fmt::format("\n* {}", says->message.view());
    }
  }
  if (text != std::exchange(fleet_shown_, text)) tell("fleet", text);
}

void LifecycleWorld::tell_rollout() {
  if (!story_.policy || !story_.policy->spec.rollout) return;
  const auto sets =
      kube::list<api::MachineSet>(user_, {.namespace_ = std::string(kNamespace)}, Deadline::never());
  sets_ = static_cast<int>(sets->items.size());
  std::set<std::string> versions;
  for (const auto& [name, machine] : machines_) versions.insert(machine.spec.version.str());
  mixed_ = mixed_ || versions.size() > 1;
  const auto deployment = kube::get<api::MachineDeployment>(user_, named(kPool), Deadline::never());
  const auto says =
      api::conditions::find(deployment->status.conditions, api::policy::condition::kProgressing);
  const std::string text =
      says == nullptr ? std::string() : fmt::format("{} {}", says->status.view(), says->reason.view());
  if (text == std::exchange(progress_shown_, text)) return;
  tell(kPool,
       text.empty() ? "tells no progress any more" : fmt::format("{}: {}", text, says->message.view()));
}

void LifecycleWorld::tell_brakes() {
  if (!story_.brakes) return;
  const auto deployments =
      kube::list<api::MachineDeployment>(user_, {.namespace_ = std::string(kNamespace)}, Deadline::never());
  const auto sets =
      kube::list<api::MachineSet>(user_, {.namespace_ = std::string(kNamespace)}, Deadline::never());
  for (const auto& deployment : deployments->items) tell_brakes_of(deployment, kPool);
  for (const auto& set : sets->items) tell_brakes_of(set, story_.stands_alone ? kPool : "its set");
}

template <typename T>
void LifecycleWorld::tell_brakes_of(const T& object, std::string_view who) {
  const auto told = [&](std::string_view what, const std::string& text, std::string_view otherwise) {
    auto& shown = brakes_shown_[fmt::format("{} {}", object.metadata.name.view(), what)];
    if (text != std::exchange(shown, text)) tell(who, text.empty() ? otherwise : text);
  };
  const auto& list = object.status.conditions;
  const auto frozen = api::conditions::find(list, api::policy::condition::kFrozen);
  const bool holds = frozen != nullptr && frozen->status == api::status::kTrue;
  if (who == kPool) frozen_shown_ = holds ? frozen->reason.str() : "no";
  told("frozen", holds ? fmt::format("{}: {}", frozen->reason.view(), frozen->message.view()) : "",
       "is not frozen any more");
  for (const auto type : {condition::kScalingUp, condition::kScalingDown, condition::kRollingOut}) {
    const auto said = api::conditions::find(list, type);
    const bool held =
        said != nullptr && said->status == api::status::kTrue && said->message.view().contains("\n* ");
    told(type, held ? said->message.str() : "", fmt::format("{} is not held up any more", type));
  }
}

}  // namespace capstan::scenarios
