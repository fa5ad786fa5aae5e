#include "test/scenarios/drain/drain_stage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/conditions/conditions.h"
#include "controllers/shared/held_up.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::scenarios {
namespace {

namespace json = boost::json;
namespace machine = controllers::machine;
using namespace std::chrono_literals;

const kube::ObjectKey kTheCluster{"default", "c1"};
const kube::Resource kAttachments{.group = "storage.k8s.io",
                                  .version = "v1",
                                  .plural = "volumeattachments",
                                  .kind = "VolumeAttachment",
                                  .namespaced = false};
// Events that report how a drain goes.
constexpr std::array<std::string_view, 9> kEvents = {
    "SuccessfulDrainNode",       "FailedDrainNode",          "NodeVolumesDetached",
    "FailedWaitForVolumeDetach", "DrainRulesContradict",     "NodeDrainedByForce",
    "EvictionsGivenUp",          "VolumeAttachmentsDeleted", "FailedDeleteVolumeAttachments"};

kube::ObjectKey key_of(const kube::Resource& resource, std::string_view name) {
  return {.namespace_ = resource.namespaced ? "default" : "", .name = std::string(name)};
}

json::value node_that_is(std::string_view ready, std::string_view since = "2026-01-01T00:00:00Z") {
  return {
      {"status",
       {{"conditions",
         json::array{
             {{"type", "Ready"}, {"status", ready}, {"reason", "Story"}, {"lastTransitionTime", since}}}}}}};
}

std::string indented(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "                   ";
  }
  return out;
}

}  // namespace

DrainStage::DrainStage(fakes::Baton& with, const DrainStory& story)
    : story_(story),
      world_(with),
      api_({.clock = with}),
      memory_(api_, with),
      client_(memory_),
      acts_(story.acts) {
  set_stage();
}

DrainStage::~DrainStage() {
  if (owners_) owners_->stop();
  world_.stop();
}

// A Machine that has been running, with its Pods.
void DrainStage::set_stage() {
  world_.workload_clusters.connect(kTheCluster, &client_);
  world_.make_cluster();
  world_.make_control_plane_machine();
  world_.start();
  owners_ = DrainOwners::of(story_.owner, world_);
  if (owners_) {
    name_ = owners_->make_machine();
  } else {
    world_.make_machine();
  }
  const std::string provider_id = "docker:////" + name_;
  create(kube::resources::nodes(), name_,
         {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name_}}},
          {"spec", {{"providerID", provider_id}}}});
  change(kube::resources::nodes(), name_, node_that_is("True"), "status");
  world_.settle(200ms);
  if (story_.owner != DrainOwner::Pool) {
    world_.patch(
        machine::kKubeadmConfigs, name_,
        {{"status", {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", "data"}}}},
        "status");
  }
  world_.patch(machine::kDockerMachines, name_, {{"spec", {{"providerID", provider_id}}}});
  world_.patch(machine::kDockerMachines, name_, {{"status", {{"initialization", {{"provisioned", true}}}}}},
               "status");
  show_node_to_the_cache();
  world_.settle();
  for (const auto& pod : story_.pods) make_pod(pod);
  for (const auto& app : story_.closed) close_budget(app);
  for (const auto& rule : story_.rules) make_rule(rule);
  if (story_.policy) world_.put(*story_.policy);
  if (story_.before) story_.before(*this);
  show_node_to_the_cache();
  world_.settle();
  ASSERT_EQ(machine().status.phase, "Running");
}

void DrainStage::run() {
  world_.forget_what_happened();
  client_.forget();
  tell_node();
  tell_owners();
  telling_ = true;
  began_ = now();
  if (!cordon_.empty()) tell("node", cordon_);
  if (owners_) {
    const auto word = owners_->let_it_go();
    tell(word.who, word.text);
  } else {
    tell("user", "deletes the Machine");
    world_.remove(machine::machines(), name_);
  }
  while (now() - began_ < story_.length && !gone_) {
    live();
    world_.settle(1s);
    look_at_pods();
    show_node_to_the_cache();
    tell_node();
    tell_evictions();
    tell_events();
    tell_removals();
    tell_machine();
    tell_owner();
    tell_owners();
  }
}

// All objects but the controller, before its next second.
void DrainStage::live() {
  while (!acts_.empty() && now() - began_ >= acts_.front().at) {
    const DrainAct act = acts_.front();
    acts_.erase(acts_.begin());
    tell("user", act.text);
    act.then(*this);
  }
  run_kubelet();
  run_csi();
  run_workload_controllers();
}

void DrainStage::run_kubelet() {
  if (silent_) return;
  const std::map<std::string, Pod> pods = pods_;
  for (const auto& [name, pod] : pods) {
    if (!pod.told || pod.wish.stubborn || now() - *pod.told < pod.wish.takes) continue;
    tell("kubelet", fmt::format("Pod {} has ended", name));
    end(name);
  }
}

void DrainStage::run_csi() {
  for (auto& [pod, leaving] : leaving_) {
    const Seconds passed = now() - leaving.since;
    if (leaving.disk.is_stuck || leaving.detached || passed < leaving.disk.detaches) continue;
    tell("csi", fmt::format("has detached the disk of {}", pod));
    leaving.detached = true;
    const auto removed = memory_.remove(kAttachments, {.name = pod + "-" + name_}, {}, Deadline::never());
    if (!removed) ADD_FAILURE() << removed.error().describe();
  }
  std::erase_if(leaving_, [&](const auto& each) {
    const auto& [pod, leaving] = each;
    if (!leaving.detached || now() - leaving.since < leaving.disk.detaches + leaving.disk.attaches)
      return false;
    tell("csi", fmt::format("has attached the disk of {} to another Node", pod));
    attach_to(pod, "elsewhere");
    return true;
  });
}

void DrainStage::run_workload_controllers() {
  while (api_.run_controllers()) {
  }
}

// What has a deletionTimestamp, seen from outside.
void DrainStage::look_at_pods() {
  for (auto& [name, pod] : pods_) {
    if (pod.told) continue;
    const auto live = memory_.get(kube::resources::pods(), {"default", name}, Deadline::never());
    if (live && !live->at("metadata").as_object().contains("deletionTimestamp")) continue;
    pod.told = now();
    pod.is_gone = !live;
    told_to_go_.push_back(name);
    if (closed_.contains(pod.wish.app) && !story_.by_force)
      fault_ = fmt::format("Pod {} goes though its budget allows nothing", name);
  }
  count_disks();
  for (const auto& [name, pod] : pods_) {
    if (pod.is_gone && pod.wish.disk) leaving_[name] = {.disk = *pod.wish.disk, .since = now()};
  }
  std::erase_if(pods_, [](const auto& each) { return each.second.is_gone; });
}

void DrainStage::count_disks() {
  std::size_t going = 0;
  for (const auto& [name, pod] : pods_) going += pod.wish.disk && pod.told ? 1U : 0U;
  for (const auto& [pod, leaving] : leaving_) going += leaving.detached || leaving.disk.is_stuck ? 0U : 1U;
  most_disks_at_once_ = std::max(most_disks_at_once_, going);
}

std::size_t DrainStage::disks_attached() const {
  const auto listed = kube::list<api::VolumeAttachment>(memory_, {}, Deadline::never()).value();
  return static_cast<std::size_t>(std::ranges::count_if(
      listed.items, [&](const api::VolumeAttachment& each) { return each.spec.node_name == name_; }));
}

// --- people, kubelets and accidents ---

void DrainStage::make_pod(const StoryPod& pod) {
  json::object labels{{"app", pod.app}};
  if (!pod.drain.empty()) labels["cluster.x-k8s.io/drain"] = pod.drain;
  json::array volumes;
  if (pod.disk) {
    attach(pod.name, pod.name);
    volumes.push_back({{"name", "data"}, {"persistentVolumeClaim", {{"claimName", pod.name}}}});
  }
  create(kube::resources::pods(), pod.name,
         {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", pod.name}, {"namespace", "default"}, {"labels", std::move(labels)}}},
          {"spec",
           {{"nodeName", name_},
            {"terminationGracePeriodSeconds", pod.grace.count()},
            {"volumes", std::move(volumes)},
            {"containers", json::array{{{"name", "c"}, {"image", "i"}}}}}}});
  change(kube::resources::pods(), pod.name,
         {{"status",
           {{"phase", "Running"}, {"conditions", json::array{{{"type", "Ready"}, {"status", "True"}}}}}}},
         "status");
  pods_[pod.name] = {.wish = pod};
}

void DrainStage::make_rule(const StoryRule& rule) {
  json::object drain{{"behavior", rule.behavior}};
  if (rule.order) drain["order"] = *rule.order;
  const json::object pods{{"selector", {{"matchLabels", {{"app", rule.app}}}}}};
  world_.put(kube::resource_of<api::MachineDrainRule>(),
             {{"apiVersion", "cluster.x-k8s.io/v1beta2"},
              {"kind", "MachineDrainRule"},
              {"metadata", {{"name", rule.name}, {"namespace", "default"}}},
              {"spec", {{"drain", std::move(drain)}, {"pods", json::array{pods}}}}});
}

void DrainStage::delete_rule(std::string_view name) {
  world_.remove(kube::resource_of<api::MachineDrainRule>(), name);
}

void DrainStage::budget(const std::string& app, int may_be_missing) {
  const auto& budgets = kube::resources::pod_disruption_budgets();
  if (budgets_.insert(app).second) {
    create(budgets, app,
           {{"apiVersion", "policy/v1"},
            {"kind", "PodDisruptionBudget"},
            {"metadata", {{"name", app}, {"namespace", "default"}}},
            {"spec", {{"maxUnavailable", may_be_missing}, {"selector", {{"matchLabels", {{"app", app}}}}}}}});
  } else {
    change(budgets, app, {{"spec", {{"maxUnavailable", may_be_missing}}}});
  }
  run_workload_controllers();
}

void DrainStage::close_budget(const std::string& app) {
  closed_.insert(app);
  budget(app, 0);
}

void DrainStage::open_budget(const std::string& app) {
  closed_.erase(app);
  budget(app, 1);
}

void DrainStage::complete(const std::string& pod) {
  change(kube::resources::pods(), pod, {{"status", {{"phase", "Succeeded"}}}}, "status");
  end(pod);
}

void DrainStage::end_by_force(const std::string& pod) { end(pod); }

void DrainStage::end(const std::string& pod) {
  const auto ended = pods_.extract(pod);
  if (!ended.empty() && ended.mapped().wish.disk)
    leaving_[pod] = {.disk = *ended.mapped().wish.disk, .since = now()};
  const auto removed = memory_.remove(kube::resources::pods(), {"default", pod}, {.grace_period_seconds = 0},
                                      Deadline::never());
  if (!removed && removed.error().code != Code::NotFound) ADD_FAILURE() << removed.error().describe();
}

void DrainStage::break_node() {
  silent_ = true;
  change(kube::resources::nodes(), name_, node_that_is("Unknown"), "status");
  show_node_to_the_cache();
}

void DrainStage::sicken_node() {
  silent_ = true;
  change(kube::resources::nodes(), name_, node_that_is("False", now().to_string()), "status");
  show_node_to_the_cache();
}

void DrainStage::reach_cluster() {
  api::Cluster cluster = *world_.caches.clusters.get(kTheCluster);
  api::conditions::set(cluster.status.conditions,
                       api::conditions::make(api::condition::kRemoteConnectionProbe, api::status::kTrue,
                                             api::reason::kProbeSucceeded),
                       cluster.metadata.generation, now());
  const json::value document = api::to_json(cluster);
  world_.patch(machine::clusters(), kTheCluster.name,
               {{"status", {{"conditions", document.at("status").at("conditions")}}}}, "status");
}

void DrainStage::label(std::string_view key, std::string_view value) {
  world_.patch(machine::machines(), name_, {{"metadata", {{"labels", {{key, value}}}}}});
}

void DrainStage::cordon() { change(kube::resources::nodes(), name_, {{"spec", {{"unschedulable", true}}}}); }

void DrainStage::attach(const std::string& volume, const std::string& claim) {
  create({.version = "v1", .plural = "persistentvolumes", .kind = "PersistentVolume", .namespaced = false},
         volume,
         {{"apiVersion", "v1"},
          {"kind", "PersistentVolume"},
          {"metadata", {{"name", volume}}},
          {"spec",
           {{"capacity", {{"storage", "1Gi"}}},
            {"accessModes", json::array{"ReadWriteOnce"}},
            {"csi", {{"driver", "disk"}, {"volumeHandle", volume}}},
            {"claimRef", {{"kind", "PersistentVolumeClaim"}, {"namespace", "default"}, {"name", claim}}}}}});
  attach_to(volume, name_);
}

void DrainStage::attach_to(const std::string& volume, std::string_view node) {
  const std::string name = fmt::format("{}-{}", volume, node);
  create(
      kAttachments, name,
      {{"apiVersion", "storage.k8s.io/v1"},
       {"kind", "VolumeAttachment"},
       {"metadata", {{"name", name}}},
       {"spec", {{"attacher", "disk"}, {"nodeName", node}, {"source", {{"persistentVolumeName", volume}}}}}});
  change(kAttachments, name, {{"status", {{"attached", true}}}}, "status");
}

void DrainStage::detach_disk(const std::string& volume) {
  const auto removed = memory_.remove(kAttachments, {.name = volume + "-" + name_}, {}, Deadline::never());
  if (!removed) ADD_FAILURE() << removed.error().describe();
}

void DrainStage::annotate(std::string_view key, std::string_view value) {
  json::object annotations;
  annotations[key] = value;
  world_.patch(machine::machines(), name_, {{"metadata", {{"annotations", std::move(annotations)}}}});
}

void DrainStage::unannotate(std::string_view key) {
  json::object annotations;
  annotations[key] = nullptr;
  world_.patch(machine::machines(), name_, {{"metadata", {{"annotations", std::move(annotations)}}}});
}

void DrainStage::set_timeouts(int drain, int volumes) {
  world_.patch(
      machine::machines(), name_,
      {{"spec",
        {{"deletion", {{"nodeDrainTimeoutSeconds", drain}, {"nodeVolumeDetachTimeoutSeconds", volumes}}}}}});
}

// --- the workload cluster ---

void DrainStage::create(const kube::Resource& resource, std::string_view name, const json::value& object) {
  const auto made = memory_.create(resource, key_of(resource, name), object, {}, Deadline::never());
  if (!made) ADD_FAILURE() << made.error().describe();
}

void DrainStage::change(const kube::Resource& resource, std::string_view name, const json::value& patch,
                        std::string_view subresource) {
  const auto changed = memory_.patch(resource, key_of(resource, name), patch,
                                     {.subresource = std::string(subresource)}, Deadline::never());
  if (!changed) ADD_FAILURE() << changed.error().describe();
}

void DrainStage::show_node_to_the_cache() {
  const auto live = memory_.get(kube::resources::nodes(), {.name = name_}, Deadline::never());
  if (!live) {
    if (!node_version_.empty()) world_.workload_clusters.remove_node(kTheCluster, name_);
    node_version_.clear();
    return;
  }
  const std::string version(live->at("metadata").at("resourceVersion").as_string());
  if (version == std::exchange(node_version_, version)) return;
  world_.workload_clusters.put_node(kTheCluster, api::from_json<api::Node>(*live).value());
}

// --- telling ---

void DrainStage::tell(std::string_view who, std::string_view text) {
  if (!telling_) return;
  const auto passed = (now() - began_).count();
  log_.push_back(fmt::format("{:>2}:{:02}  {:<10} {}", passed / 60, passed % 60, who, indented(text)));
}

void DrainStage::tell_evictions() {
  for (const auto& request : client_.writes()) {
    if (request.is("delete pods")) tell("machine", fmt::format("deletes Pod {} by force", request.key.name));
    if (!request.is("evict")) continue;
    const std::string& pod = request.key.name;
    const bool went = !pods_.contains(pod) || pods_.at(pod).told;
    tell("machine",
         fmt::format("{} Pod {}{}", went ? "evicts" : "asks to evict", pod, went ? "" : ": refused"));
  }
}

void DrainStage::tell_removals() {
  for (const std::string& request : world_.client.take()) {
    if (request.starts_with("delete dockermachines")) tell("machine", "lets its infrastructure go");
  }
  for (const std::string& request : client_.take()) {
    if (request.starts_with("delete volumeattachments "))
      tell("machine", "deletes VolumeAttachment " + request.substr(request.rfind(' ') + 1));
    if (request == "delete nodes " + name_) tell("machine", "deletes Node " + name_);
  }
}

void DrainStage::tell_events() {
  const auto& told = world_.events.events;
  for (; events_told_ < told.size(); ++events_told_) {
    const std::string event = told[events_told_].substr(told[events_told_].find(' ') + 1);
    const bool matters =
        std::ranges::any_of(kEvents, [&](std::string_view reason) { return event.starts_with(reason); });
    if (matters) tell("event", event);
  }
}

void DrainStage::tell_node() {
  const auto live = memory_.get(kube::resources::nodes(), {.name = name_}, Deadline::never());
  if (!live) return;
  const auto node = api::from_json<api::Node>(*live).value();
  const std::string_view by = node.metadata.annotations.value_or_empty("capstan.dev/cordoned-by");
  std::string text;
  if (node.spec.unschedulable)
    text = by.empty() ? "is cordoned, without a mark of ours" : fmt::format("is cordoned by {}", by);
  if (text == std::exchange(cordon_, text)) return;
  tell("node", text.empty() ? "is no longer cordoned" : text);
}

void DrainStage::tell_machine() {
  if (!world_.exists(machine::machines(), name_)) {
    gone_ = true;
    return tell("machine", "is gone");
  }
  const api::Machine found = machine();
  const auto condition = api::conditions::find(found.status.conditions, api::condition::kDeleting);
  if (condition == nullptr) return;
  const std::string text = fmt::format("{}: {}", condition->reason.view(), condition->message.view());
  if (text != std::exchange(deleting_, text)) tell("machine", "says " + text);
}

// What a MachineSet, MachineDeployment or MachinePool would add to its own condition.
void DrainStage::tell_owner() {
  if (gone_ || owners_) return;
  const auto shared = std::make_shared<const api::Machine>(machine());
  const std::string text = controllers::held_up(std::array{shared}, now());
  if (text == std::exchange(owner_says_, text)) return;
  tell("owner", text.empty() ? "has nothing to say any more" : "says " + text);
}

void DrainStage::tell_owners() {
  if (!owners_) return;
  for (const auto& [who, text] : owners_->say()) {
    if (text.contains(fmt::format("* Machine {}, DrainingNode since", name_))) owners_told_.insert(who);
    if (text == std::exchange(owners_say_[who], text)) continue;
    tell(who, text.empty() ? "has nothing to say any more" : "says " + text);
  }
}

api::Machine DrainStage::machine() const {
  const auto found = world_.caches.machines.get({"default", name_});
  return found ? *found : api::Machine();
}

}  // namespace capstan::scenarios
