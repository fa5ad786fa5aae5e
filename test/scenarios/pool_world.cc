#include "test/scenarios/pool_world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/policy/names.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "controllers/lifecycle/victims.h"
#include "controllers/machinepool/decide.h"
#include "controllers/machinepool/observe.h"
#include "controllers/machinepool/plan_fixture.h"
#include "kube/resource.h"
#include "runtime/paused.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"

namespace capstan::scenarios {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace json = boost::json;
using namespace controllers::machinepool;

constexpr std::string_view kPool = "pool";
constexpr std::string_view kVictims = api::policy::annotation::kVictims;
constexpr int kTooLong = 20'000;  // turns
// In the order in which they act within a round; then come kubelets and Machines.
constexpr std::array kActors = {kPool, std::string_view("config"), std::string_view("provider")};

kube::Resource resource(std::string_view group, std::string_view plural, std::string_view kind) {
  return {.group = std::string(group) + ".cluster.x-k8s.io",
          .version = "v1beta2",
          .plural = std::string(plural),
          .kind = std::string(kind)};
}
const kube::Resource& box_pools() {
  static const auto kind = resource("infrastructure", "boxpools", "BoxPool");
  return kind;
}
const kube::Resource& boxes() {
  static const auto kind = resource("infrastructure", "boxes", "Box");
  return kind;
}
const kube::Resource& recipes() {
  static const auto kind = resource("bootstrap", "recipes", "Recipe");
  return kind;
}

using Object = api::contract::ContractObject;
using controllers::ExternalSeen;
std::shared_ptr<const Object> object_of(const kube::Resource& kind, std::string_view name,
                                        json::object document) {
  document["apiVersion"] = kind.api_version();
  document["kind"] = kind.kind;
  json::object metadata = {{"name", name}, {"namespace", builders::kNamespace}};
  if (const auto* more = document.if_contains("metadata")) {
    for (const auto& [key, value] : more->as_object()) metadata[key] = value;
  }
  document["metadata"] = std::move(metadata);
  return std::make_shared<const Object>(api::from_json<Object>(json::value(std::move(document))).value());
}

ExternalSeen external(const kube::Resource& kind, const std::optional<json::object>& document) {
  ExternalSeen seen{.state = document ? ExternalSeen::State::Found : ExternalSeen::State::Missing,
                    .resource = kind,
                    .key = {.namespace_ = std::string(builders::kNamespace), .name = std::string(kPool)}};
  if (document) seen.object = object_of(kind, kPool, *document);
  return seen;
}

bool is_ready(const api::Node& node) {
  const auto* ready = node.condition(condition::kReady);
  return ready != nullptr && ready->status == api::status::kTrue;
}

std::string names_of(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

// Something is wrong, or waited for.
bool is_worth_telling(const api::Condition& condition) {
  const bool scaling = condition.type == condition::kScalingUp || condition.type == condition::kScalingDown;
  if (scaling) return condition.message.str().contains('\n');  // more than the two numbers
  if (condition.message.empty()) return false;
  return condition.status != api::status::kTrue || condition.type == condition::kDeleting;
}

std::string short_id(const Text& id) { return id.str().substr(id.str().rfind('/') + 1); }

}  // namespace

PoolWorld::PoolWorld(const Beginning& beginning)
    : cluster_(builders::a_cluster().running().shared()), beginning_(beginning), now_(builders::noon()) {
  api::MachinePool pool;
  pool.metadata = builders::metadata_of(api::kind::kMachinePool, kPool);
  pool.metadata.generation = 1;
  pool.metadata.creation_timestamp = now_;
  pool.metadata.finalizers = api::Finalizers(std::vector<Text>{Text(api::finalizer::kMachinePool)});
  pool.spec.cluster_name = Text(builders::kCluster);
  pool.spec.replicas = beginning.replicas;
  if (!beginning.managed_by.empty()) {
    pool.metadata.annotations.set(Text(api::annotation::kReplicasManagedBy), Text(beginning.managed_by));
    wanted_by_cloud_ = beginning.replicas;
  }
  auto& machine = pool.spec.machine_template.spec;
  machine.cluster_name = pool.spec.cluster_name;
  machine.infrastructure_ref = {
      .api_group = Text(box_pools().group), .kind = Text(box_pools().kind), .name = Text(kPool)};
  if (beginning.own_secret) {
    machine.bootstrap.data_secret_name = Text("mine");
  } else {
    machine.bootstrap.config_ref = api::ContractRef{
        .api_group = Text(recipes().group), .kind = Text(recipes().kind), .name = Text(kPool)};
    config_.emplace();
    awake_.insert("config");
  }
  machine.deletion.node_deletion_timeout_seconds = 10;
  held_ = beginning.boots_slowly;
  pool_ = std::move(pool);
  infra_.emplace();
  wake_pool();
}

void PoolWorld::begin_story(std::vector<PoolAct> acts, std::set<std::string> lies) {
  acts_ = std::move(acts);
  lies_ = std::move(lies);
  log_.clear();
  last_state_.clear();
  round_ = 0;
}

// --- turns ---

std::set<std::string> PoolWorld::busy() const {
  std::set<std::string> all = awake_;
  for (const auto& instance : instances_) {
    if (!held_ && !nodes_.contains(instance.name)) all.insert(instance.name);
  }
  return all;
}

void PoolWorld::settle(std::optional<std::uint64_t> seed) {
  std::optional<SeededRandomness> chance;
  if (seed) chance.emplace(*seed);
  int turns = 0;
  const auto act = [&] { return let_someone_act(chance ? &*chance : nullptr); };
  while ((!busy().empty() || act() || wait_for_the_clock()) && ++turns < kTooLong) {
    if (chance) {
      now_ = now_ + Seconds(1);
      round_ = turns;
      ring();
      act();
      const auto who = busy();
      if (who.empty()) continue;
      auto chosen = who.begin();
      std::advance(chosen, static_cast<std::ptrdiff_t>(below(*chance, who.size())));
      take_turn(std::string(*chosen));
      continue;
    }
    now_ = now_ + Seconds(5);
    ++round_;
    ring();
    act();
    const auto round = busy();
    for (const std::string_view actor : kActors) {
      if (round.contains(std::string(actor))) take_turn(std::string(actor));
    }
    for (const auto& who : round) {
      if (std::ranges::find(kActors, who) == kActors.end()) take_turn(who);
    }
    tell_state();
  }
  if (turns >= kTooLong) faults_.emplace_back("never comes to rest");
  check_rest();
}

bool PoolWorld::let_someone_act(Randomness* chance) {
  if (acts_.empty() || !acts_.front().when(*this)) return false;
  // Hesitation makes for more orders; with nothing else going on it comes at once.
  if (chance != nullptr && !busy().empty() && below(*chance, 3) != 0) return false;
  PoolAct act = std::move(acts_.front());
  acts_.erase(acts_.begin());
  tell(act.who, act.text);
  act.then(*this);
  return true;
}

bool PoolWorld::wait_for_the_clock() {
  if (!due_) return false;
  now_ = std::max(now_, *due_);
  ring();
  return true;
}

void PoolWorld::ring() {
  if (!due_ || now_ < *due_) return;
  due_.reset();
  wake_pool();
}

void PoolWorld::let_time_pass(Seconds span) {
  now_ = now_ + span;
  ring();
}

void PoolWorld::take_turn(const std::string& who) {
  awake_.erase(who);
  if (who == kPool) return turn_of_pool();
  if (who == "config") return turn_of_config();
  if (who == "provider") return turn_of_provider();
  if (machines_.contains(who) && who.starts_with("m-")) return turn_of_machine(who);
  const auto found = std::ranges::find(instances_, who, &CloudInstance::name);
  if (found != instances_.end()) turn_of_kubelet(CloudInstance(*found));
}

// --- users and autoscalers ---

void PoolWorld::scale(std::int32_t replicas) {
  pool_->spec.replicas = replicas;
  ++pool_->metadata.generation;
  wake_pool();
  wake_provider();
}

void PoolWorld::pause(bool paused) {
  paused_ = paused;
  wake_pool();
  wake_provider();
}

void PoolWorld::remove_pool() {
  pool_->metadata.deletion_timestamp = now_;
  wake_pool();
}

void PoolWorld::mark_for_deletion(const std::string& machine) {
  for (auto& instance : instances_) {
    if ("m-" + instance.name == machine) instance.marked = true;
  }
}

void PoolWorld::name_victims(const std::string& machines) {
  pool_->metadata.annotations.set(Text(kVictims), Text(machines));
  wake_pool();
}

// --- the cloud ---

void PoolWorld::set_capacity(int instances) {
  capacity_ = instances;
  wake_provider();
}

void PoolWorld::lose_instance(const std::string& name) {
  std::erase_if(instances_, [&](const CloudInstance& each) { return each.name == name; });
  if (nodes_.contains(name)) break_node(name);
  wake_provider();
}

void PoolWorld::replace_instance(const std::string& name) {
  const auto found = std::ranges::find(instances_, name, &CloudInstance::name);
  found->provider_id += "-again";
  nodes_.erase(name);  // the cloud's own controller knows that this one is gone
  wake_pool();
  wake_provider();
}

void PoolWorld::grow_by_itself(int instances) {
  wanted_by_cloud_ += instances;
  wake_provider();
}

void PoolWorld::rotate_secret() {
  ++secret_;
  awake_.insert("config");
}

void PoolWorld::publish_nothing() {
  muted_ = true;
  (*infra_)["spec"] = json::object{{"providerIDList", json::array()}};
  (*infra_)["status"].as_object()["replicas"] = 0;
  wake_pool();
}

void PoolWorld::publish_twice(const std::string& name) {
  muted_ = true;
  const auto found = std::ranges::find(instances_, name, &CloudInstance::name);
  (*infra_)["spec"].as_object()["providerIDList"].as_array().emplace_back(found->provider_id);
  wake_pool();
}

void PoolWorld::mute(bool muted) {
  muted_ = muted;
  wake_provider();
}

void PoolWorld::hold_kubelets(bool held) { held_ = held; }

void PoolWorld::set_connected(bool connected) {
  connected_ = connected;
  wake_pool();
  for (const auto& [name, machine] : machines_) awake_.insert(name);
}

void PoolWorld::break_node(const std::string& name) {
  api::Node& node = nodes_.at(name);
  node.status.conditions = builders::a_node(name).unreachable().build().status.conditions;
  wake_pool();
}

// --- the bootstrap provider ---

void PoolWorld::turn_of_config() {
  if (!config_) return;
  const std::string secret = fmt::format("data-{}", secret_);
  (*config_)["status"] =
      json::object{{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", secret}};
  tell("config", fmt::format("has made Secret {}", secret));
  wake_pool();
}

// --- the infrastructure provider ---

void PoolWorld::turn_of_provider() {
  if (!infra_) return;
  if (infra_deleting_) return take_group_down();
  if (paused_ || !pool_->spec.machine_template.spec.bootstrap.data_secret_name) return;
  fit_group();
  publish();
}

void PoolWorld::take_group_down() {
  if (beginning_.drains && has_pods()) faults_.emplace_back("its instances go with their Pods");
  for (auto& [name, machine] : machines_) {
    if (machine.metadata.deleting()) continue;
    tell("provider", "deletes Machine " + name);
    machine.metadata.deletion_timestamp = now_;
    awake_.insert(name);
  }
  if (!machines_.empty()) return;  // each takes its instance along
  if (!instances_.empty()) {
    tell("provider", fmt::format("ends all {} instances", instances_.size()));
    instances_.clear();
  }
  tell("provider", "has taken the group down");
  infra_.reset();
  wake_pool();
}

void PoolWorld::fit_group() {
  const bool managed = !beginning_.managed_by.empty();
  if (managed && pool_->spec.replicas != wanted_by_cloud_) {
    pool_->spec.replicas = wanted_by_cloud_;
    ++pool_->metadata.generation;
    tell("provider", fmt::format("sets spec.replicas to {}, as its autoscaler wants", wanted_by_cloud_));
    wake_pool();
  }
  const auto wanted = static_cast<std::size_t>(std::min(*pool_->spec.replicas, capacity_));
  while (instances_.size() < wanted) add_instance();
  const auto staying = [&] {
    return static_cast<std::size_t>(
        std::ranges::count(instances_, false, [](const CloudInstance& each) { return each.doomed; }));
  };
  while (staying() > wanted) retire_one();
}

void PoolWorld::add_instance() {
  const std::string name = fmt::format("n{}", ++named_);
  instances_.push_back({.name = name, .provider_id = "box:///" + name});
  tell("provider", "makes instance " + name);
}

// Those that were marked go first, then the oldest.
void PoolWorld::retire_one() {
  auto victim =
      std::ranges::find_if(instances_, [](const CloudInstance& each) { return each.marked && !each.doomed; });
  if (victim == instances_.end()) victim = std::ranges::find(instances_, false, &CloudInstance::doomed);
  const auto machine = machines_.find("m-" + victim->name);
  if (machine != machines_.end()) {
    tell("provider", "deletes Machine " + machine->first);
    machine->second.metadata.deletion_timestamp = now_;
    victim->doomed = true;
    awake_.insert(machine->first);
    wake_pool();
    return;
  }
  tell("provider", "ends instance " + victim->name);
  instances_.erase(victim);
}

void PoolWorld::publish() {
  if (muted_) return;
  json::array ids;
  for (const auto& instance : instances_) ids.emplace_back(instance.provider_id);
  Document status = {{"ready", true}, {"replicas", instances_.size()}};
  if (beginning_.with_machines) status["infrastructureMachineKind"] = boxes().kind;
  if (static_cast<int>(instances_.size()) < *pool_->spec.replicas) {
    status["conditions"] = json::array{{{"type", "Ready"},
                                        {"status", "False"},
                                        {"reason", "InsufficientCapacity"},
                                        {"message", fmt::format("no room for more than {}", capacity_)}}};
  }
  Document after = {{"spec", {{"providerIDList", std::move(ids)}}}, {"status", std::move(status)}};
  if (const auto* metadata = infra_->if_contains("metadata")) after["metadata"] = *metadata;
  if (json::value(after) == json::value(*infra_)) return;
  infra_ = std::move(after);
  wake_pool();
}

// --- kubelets ---

void PoolWorld::turn_of_kubelet(const CloudInstance& instance) {
  if (nodes_.contains(instance.name)) return;
  api::Node node = builders::a_node(instance.name)
                       .provider_id(instance.provider_id)
                       .tainted(api::taint::kUninitialized, api::taint::kNoSchedule)
                       .build();
  node.metadata.uid = builders::uid_of(api::kind::kNode, fmt::format("{}-{}", instance.name, ++uids_));
  nodes_.insert_or_assign(instance.name, std::move(node));
  tell(instance.name, "registers its Node");
  wake_pool();
  if (machines_.contains("m-" + instance.name)) awake_.insert("m-" + instance.name);
}

// --- Machines of the pool, as their controller treats them ---

void PoolWorld::turn_of_machine(const std::string& name) {
  api::Machine& machine = machines_.at(name);
  const std::string node = name.substr(2);
  if (machine.metadata.deleting()) {
    if (connected_ && nodes_.erase(node) > 0) tell(name, "drains and deletes Node " + node);
    std::erase_if(instances_, [&](const CloudInstance& each) { return each.name == node; });
    tell(name, "is gone with its instance");
    machines_.erase(name);
    wake_pool();
    wake_provider();
    return;
  }
  if (!connected_ || !nodes_.contains(node) || machine.status.node_ref) return;
  machine.status.node_ref = api::MachineNodeRef{.name = Text(node)};
  machine.spec.provider_id = nodes_.at(node).spec.provider_id;
  for (const auto type : {condition::kReady, condition::kAvailable}) {
    conditions::set(machine.status.conditions, conditions::make(type, api::status::kTrue, type), 1, now_);
  }
  tell(name, "is available");
  wake_pool();
}

// --- the pool: its real decide, report and decide_deletion ---

bool PoolWorld::is_paused() const {
  return runtime::paused(paused_, pool_->metadata, api::kind::kMachinePool).paused;
}

void PoolWorld::turn_of_pool() {
  if (!pool_) return;
  due_.reset();
  if (is_paused()) {
    api::MachinePool after = *pool_;
    after.status.conditions =
        runtime::judge_pause(runtime::paused(true, pool_->metadata, api::kind::kMachinePool),
                             pool_->status.conditions, pool_->metadata.generation, now_)
            .conditions;
    return save(std::move(after));
  }
  if (pool_->metadata.deleting()) return go_away();
  Observation seen = look();
  confirm_empty_list(seen);
  const Plan plan = decide(seen);
  Effects effects{.pool = *seen.pool};
  carry_out(plan, effects);
  const Reported reported = report(seen, plan, effects);
  for (const auto& recheck : {plan.recheck, reported.recheck}) {
    if (recheck && (!due_ || now_ + *recheck < *due_)) due_ = now_ + *recheck;
  }
  save(reported.after);
}

PoolWorld::Observation PoolWorld::look() {
  Observation seen{
      .now = now_, .pool = std::make_shared<const api::MachinePool>(*pool_), .cluster = cluster_};
  if (!beginning_.own_secret) seen.bootstrap = external(recipes(), config_);
  seen.infra = external(box_pools(), infra_);
  seen.infra_says = read_infra(seen.infra, *pool_);
  if (seen.deleting()) seen.late = named_late(seen.infra_says, *pool_);
  for (const auto& [name, machine] : machines_) {
    seen.machines.machines.push_back(std::make_shared<const api::Machine>(machine));
  }
  if (seen.infra_says.machine_kind) {
    seen.machines.state = MachinesSeen::State::Known;
    seen.machines.resource = boxes();
    for (const auto& each : instances_) {
      seen.machines.objects.push_back(
          object_of(boxes(), "m-" + each.name, {{"spec", {{"providerID", each.provider_id}}}}));
    }
  }
  seen.drains = beginning_.drains && seen.machines.state == MachinesSeen::State::Unsupported;
  if (!connected_) {
    seen.reach = {.last_success = seen.now, .problem = "Secret c1-kubeconfig does not exist"};
    return seen;
  }
  seen.reach.connected = true;
  seen.connected = true;
  for (const Text& id : list_to_be(seen).ids) {
    Instance instance{.provider_id = id};
    for (const auto& [name, node] : nodes_) {
      if (node.spec.provider_id == id) instance.node = std::make_shared<const api::Node>(node);
    }
    instance.has_machine =
        std::ranges::any_of(machines_, [&](const auto& each) { return each.second.spec.provider_id == id; });
    seen.instances.push_back(std::move(instance));
  }
  for (const auto& ref : pool_->status.node_refs) {
    const auto found = nodes_.find(ref.name.str());
    if (found == nodes_.end() || found->second.metadata.uid != ref.uid) continue;
    const bool current = std::ranges::any_of(seen.instances, [&](const Instance& each) {
      return each.node && each.node->metadata.uid == ref.uid;
    });
    if (!current) seen.former.push_back(std::make_shared<const api::Node>(found->second));
  }
  return seen;
}

void PoolWorld::confirm_empty_list(Observation& seen) {
  if (!says_emptied(seen.infra_says, *seen.pool)) return emptied_.reset();
  if (!emptied_) emptied_ = now_;
  if (now_ - *emptied_ < kSecondLook) return;
  tell(kPool, "has looked twice: the group says that it is empty");
  accept_empty_list(seen);
}

void PoolWorld::carry_out(const Plan& plan, Effects& effects) {
  auto& spec = pool_->spec;
  if (spec.replicas != plan.wanted.spec.replicas) faults_.emplace_back("writes spec.replicas");
  if (spec.provider_id_list != plan.wanted.spec.provider_id_list) {
    std::vector<std::string> ids;
    for (const Text& id : plan.wanted.spec.provider_id_list) ids.push_back(short_id(id));
    tell(kPool, "copies the list: " + names_of(ids));
  }
  const auto& secret = plan.wanted.spec.machine_template.spec.bootstrap.data_secret_name;
  if (secret != spec.machine_template.spec.bootstrap.data_secret_name) {
    if (beginning_.own_secret) faults_.emplace_back("writes over the user's Secret");
    tell(kPool, fmt::format("hands Secret {} on", secret->view()));
    wake_provider();
  }
  const bool grown = spec != plan.wanted.spec;
  pool_->metadata.labels = plan.wanted.metadata.labels;
  pool_->metadata.owner_references = plan.wanted.metadata.owner_references;
  spec = plan.wanted.spec;
  if (grown) ++pool_->metadata.generation;
  effects.pool = *pool_;
  for (const auto& claim : actions_of<ClaimProvider>(plan)) {
    if (claim.which != Provider::Infrastructure || !infra_) continue;
    (*infra_)["metadata"] = json::object{{"labels", {{api::label::kClusterName, builders::kCluster}}}};
    json::array owners;
    for (const auto& owner : *claim.to.owners) owners.push_back(api::to_json(owner));
    (*infra_)["metadata"].as_object()["ownerReferences"] = std::move(owners);
    tell(kPool, "takes its provider's group over");
    wake_provider();
  }
  make_machines(plan);
  settle_victims(plan, effects);
  std::vector<std::string> written;
  for (const auto& write : actions_of<WriteNode>(plan)) {
    api::Node& node = nodes_.at(write.node->metadata.name.str());
    for (const auto& [key, value] : write.change.annotations) node.metadata.annotations.set(key, *value);
    if (write.change.taints) node.spec.taints = *write.change.taints;
    written.push_back(node.metadata.name.str());
  }
  if (!written.empty()) tell(kPool, "initializes Nodes " + names_of(written));
  for (const auto& retire : actions_of<RetireNodes>(plan)) {
    for (const auto& node : retire.nodes) retire_node(node, retire.drain, effects);
  }
}

void PoolWorld::retire_node(const std::shared_ptr<const api::Node>& node, bool drain, Effects& effects) {
  if (drain && !emptied(node->metadata.name.str())) {
    effects.kept.push_back(node);
    effects.draining = fmt::format("Node {} waits for the budget of Pod web", node->metadata.name.view());
  } else {
    delete_node(*node, "its instance has left the list");
  }
}

void PoolWorld::make_machines(const Plan& plan) {
  for (const auto& create : actions_of<CreateMachine>(plan)) {
    const std::string name = create.machine.metadata.name.str();
    if (machines_.contains(name)) faults_.push_back("makes Machine " + name + " twice");
    machines_.emplace(name, create.machine);
    tell(kPool, "makes Machine " + name);
    awake_.insert(name);
    wake_pool();
  }
  for (const auto& write : actions_of<WriteUpToDate>(plan)) {
    const auto found = machines_.find(write.from->metadata.name.str());
    if (found != machines_.end()) found->second.status.conditions = write.to.status.conditions;
  }
  for (const auto& each : actions_of<DeleteMachine>(plan)) {
    const std::string name = each.machine->metadata.name.str();
    tell(kPool, fmt::format("deletes Machine {}: its instance is gone", name));
    if (std::ranges::find(instances_, name.substr(2), &CloudInstance::name) != instances_.end()) {
      faults_.push_back("deletes Machine " + name + " of a living instance");
    }
    machines_.at(name).metadata.deletion_timestamp = now_;
    awake_.insert(name);
  }
}

void PoolWorld::settle_victims(const Plan& plan, Effects& effects) {
  for (const auto& apply : actions_of<ApplyMachine>(plan)) write_mark(apply.to);
  for (const auto& each : actions_of<ReplaceMachine>(plan)) {
    const std::string name = each.machine->metadata.name.str();
    tell(kPool, fmt::format("deletes Machine {}, which is named", name));
    if (machines_.at(name).metadata.deleting()) faults_.push_back("deletes Machine " + name + " twice");
    machines_.at(name).metadata.deletion_timestamp = now_;
    awake_.insert(name);
  }
  for (const auto& write : actions_of<WriteVictims>(plan)) {
    for (const std::string& reason : write.dropped) tell(kPool, "drops a name: " + reason);
    tell(kPool, fmt::format("writes {}: {}", kVictims, write.to.empty() ? "none" : write.to));
    controllers::lifecycle::rewrite_victims(pool_->metadata.annotations, write.to);
    effects.pool = *pool_;
  }
}

// Its provider heeds it.
void PoolWorld::write_mark(const api::Machine& wanted) {
  const std::string name = wanted.metadata.name.str();
  const auto found = machines_.find(name);
  if (found == machines_.end()) return;
  auto& annotations = found->second.metadata.annotations;
  const Text* mark = wanted.metadata.annotations.find(api::annotation::kDeleteMachine);
  if ((mark != nullptr) == annotations.contains(api::annotation::kDeleteMachine)) return;
  annotations = wanted.metadata.annotations;
  tell(kPool, fmt::format("{} Machine {} to go first",
                          mark != nullptr ? "marks" : "does not ask any more for", name));
  for (auto& instance : instances_)
    if ("m-" + instance.name == name) instance.marked = mark != nullptr;
  wake_pool();
}

// What the drain of a Node comes to.
bool PoolWorld::emptied(const std::string& node) {
  if (!pods_.contains(node)) return true;
  if (!budget_allows_) return false;
  tell(kPool, fmt::format("evicts Pod web from Node {}", node));
  pods_.erase(node);
  return true;
}

void PoolWorld::put_pod(const std::string& node) { pods_.insert(node); }

void PoolWorld::set_budget(bool allows) {
  budget_allows_ = allows;
  wake_pool();
}

void PoolWorld::delete_node(const api::Node& node, std::string_view why) {
  const std::string name = node.metadata.name.str();
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || found->second.metadata.uid != node.metadata.uid) return;
  tell(kPool, fmt::format("deletes Node {}: {}", name, why));
  if (is_alive(node.spec.provider_id.view()) && !lies_.contains(name)) {
    faults_.push_back("deletes Node " + name + " of a living instance");
  }
  if (pods_.erase(name) > 0) {
    if (beginning_.drains) faults_.push_back("deletes Node " + name + " with its Pod");
    tell(name, "had a Pod that nobody has evicted");
  }
  nodes_.erase(found);
}

void PoolWorld::go_away() {
  const Observation seen = look();
  const Plan plan = decide(seen);
  Effects effects{.pool = *seen.pool};
  take_down(seen, plan, effects);
  if (effects.gone) {
    tell(kPool, "is gone");
    if (!provider_objects_are_gone()) faults_.emplace_back("goes before its provider's objects");
    pool_.reset();
    due_.reset();
    return;
  }
  if (plan.recheck) due_ = now_ + *plan.recheck;
  auto after = report(seen, plan, effects).after;
  after.spec = pool_->spec;
  save(std::move(after));
}

void PoolWorld::take_down(const Observation& seen, const Plan& plan, Effects& effects) {
  if (!seen.late.empty()) {
    std::vector<std::string> ids;
    for (const Text& id : seen.late) {
      pool_->spec.provider_id_list.push_back(id);
      ids.push_back(short_id(id));
    }
    tell(kPool, "adds to its list what the provider has named since: " + names_of(ids));
  }
  for (const auto& drain : actions_of<DrainNodes>(plan)) {
    for (const auto& node : drain.nodes) {
      if (emptied(node->metadata.name.str())) continue;
      effects.waits_for = {
          .reason = api::reason::kDrainingNode,
          .message = fmt::format("Node {} waits for the budget of Pod web", node->metadata.name.view())};
    }
  }
  if (effects.waits_for) return;
  for (const auto& deletion : actions_of<DeleteProvider>(plan)) delete_provider(seen, deletion.which);
  for (const auto& deletion : actions_of<DeleteNodes>(plan)) {
    for (const auto& node : deletion.nodes) delete_node(*node, "the pool goes");
  }
  effects.gone = !actions_of<DropFinalizer>(plan).empty();
}

void PoolWorld::delete_provider(const Observation& seen, Provider which) {
  const ExternalSeen& external = seen.provider(which);
  if (which == Provider::Infrastructure && infra_deleting_) return;
  tell(kPool, fmt::format("deletes {} {}", external.resource.kind, external.key.name));
  if (which == Provider::Infrastructure) {
    infra_deleting_ = true;
    wake_provider();
  } else {
    config_.reset();
    wake_pool();
  }
}

void PoolWorld::save(api::MachinePool after) {
  const api::MachinePool before = *pool_;
  pool_ = std::move(after);
  if (pool_->status == before.status) return;
  if (pool_->status.phase != before.status.phase) {
    tell(kPool, fmt::format("is {}", pool_->status.phase.view()));
  }
  for (const auto& each : pool_->status.conditions) {
    const auto was = conditions::find(before.status.conditions, each.type);
    const bool news = was == nullptr || was->status != each.status || was->message != each.message;
    if (news && is_worth_telling(each)) {
      std::string message = each.message.str();
      std::ranges::replace(message, '\n', ' ');
      tell(kPool, fmt::format("says {} {}: {}", each.type.view(), each.status.view(), message));
    }
  }
  wake_pool();  // its own write comes back as an event
}

// --- what is there ---

bool PoolWorld::is_alive(std::string_view provider_id) const {
  return std::ranges::find(instances_, provider_id, &CloudInstance::provider_id) != instances_.end();
}

std::size_t PoolWorld::ready_nodes() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(nodes_, [](const auto& each) { return is_ready(each.second); }));
}

std::string PoolWorld::condition(std::string_view type) const {
  const auto found = conditions::find(pool_->status.conditions, type);
  if (found == nullptr) return "absent";
  return fmt::format("{} {}: {}", found->status.view(), found->reason.view(), found->message.view());
}

bool PoolWorld::names_victims() const { return pool_ && pool_->metadata.annotations.contains(kVictims); }

std::vector<std::string> PoolWorld::unused() const {
  std::vector<std::string> texts;
  for (const PoolAct& act : acts_) texts.push_back(act.text);
  return texts;
}

// When no object has anything to do, what the pool says has to be what there is.
void PoolWorld::check_rest() {
  if (!pool_ || is_paused() || pool_->metadata.deleting() || muted_ || !connected_) return;
  std::vector<std::string> listed;
  for (const Text& id : pool_->spec.provider_id_list) listed.push_back(id.str());
  std::vector<std::string> living;
  std::vector<std::string> with_node;
  for (const auto& instance : instances_) {
    living.push_back(instance.provider_id);
    const auto node = nodes_.find(instance.name);
    if (node != nodes_.end()) with_node.push_back(node->second.metadata.uid.str());
  }
  if (listed != living) faults_.emplace_back("its list is not what there is");
  std::vector<std::string> referred;
  for (const auto& ref : pool_->status.node_refs) referred.push_back(ref.uid.str());
  if (referred != with_node) faults_.emplace_back("its references are not the Nodes of its instances");
  if (beginning_.with_machines && machines_.size() != instances_.size()) {
    faults_.emplace_back("it has not one Machine for each instance");
  }
}

// --- telling ---

void PoolWorld::tell(std::string_view who, std::string_view text) {
  log_.push_back(fmt::format("{:>3}  {:<9} {}", round_, who, text));
}

void PoolWorld::tell_state() {
  if (!pool_) return;
  std::string state = fmt::format("     = wants {}; {} instances, {} of {} Nodes ready",
                                  *pool_->spec.replicas, instances_.size(), ready_nodes(), nodes_.size());
  if (!machines_.empty()) state += fmt::format(", {} Machines", machines_.size());
  if (state == last_state_) return;
  last_state_ = state;
  log_.push_back(state);
}

}  // namespace capstan::scenarios
