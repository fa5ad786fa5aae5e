#include "test/interop/autoscaler_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "api/names.h"
#include "base/time.h"
#include "base/try.h"
#include "kube/resources.h"
#include "kubeconfig/connect.h"

namespace capstan::envtest {

namespace json = boost::json;

struct AutoscalerSnapshot {
  json::array deployments = {};
  json::array sets = {};
  json::array pools = {};
  json::array machines = {};
  json::array nodes = {};
};

namespace {

namespace fs = std::filesystem;
using Path = std::initializer_list<std::string_view>;

constexpr auto kPatience = std::chrono::seconds(30);
constexpr std::string_view kDefaultPods = "110";
constexpr std::string_view kDeployment = "MachineDeployment";
constexpr std::string_view kSet = "MachineSet";
constexpr std::string_view kPool = "MachinePool";
// Prefixes of the ids of instances without a Node.
constexpr std::string_view kPending = "pending-machine-";
constexpr std::string_view kDeleting = "deleting-machine-";
constexpr std::string_view kFailed = "failed-machine-";

// Annotations of the group to resources of a Node.
constexpr std::pair<std::string_view, std::string_view> kCapacityAnnotations[] = {
    {"capacity.cluster-autoscaler.kubernetes.io/cpu", "cpu"},
    {"capacity.cluster-autoscaler.kubernetes.io/memory", "memory"},
    {"capacity.cluster-autoscaler.kubernetes.io/ephemeral-disk", "ephemeral-storage"},
    {"capacity.cluster-autoscaler.kubernetes.io/maxPods", "pods"},
};

const json::value* find(const json::value& from, Path path) {
  const json::value* at = &from;
  for (const std::string_view step : path) {
    const auto* object = at->if_object();
    at = object == nullptr ? nullptr : object->if_contains(step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::optional<std::string> text_at(const json::value& from, Path path) {
  const json::value* found = find(from, path);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(found->as_string());
}

std::string word_at(const json::value& from, Path path) { return text_at(from, path).value_or(""); }

json::array array_at(const json::value& from, Path path) {
  const json::value* found = find(from, path);
  return found != nullptr && found->is_array() ? found->as_array() : json::array();
}

kube::ObjectKey key_of(const json::value& object) {
  return {word_at(object, {"metadata", "namespace"}), word_at(object, {"metadata", "name"})};
}

bool is_deleting(const json::value& object) {
  return find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

std::string cluster_of(const json::value& object) {
  if (const auto named = text_at(object, {"spec", "clusterName"})) return *named;
  return word_at(object, {"metadata", "labels", api::label::kClusterName});
}

std::string owner_of_kind(const json::value& object, std::string_view kind) {
  for (const json::value& owner : array_at(object, {"metadata", "ownerReferences"}))
    if (word_at(owner, {"kind"}) == kind) return word_at(owner, {"name"});
  return {};
}

template <typename Predicate>
const json::value* first(const json::array& objects, Predicate&& fits) {
  const auto found = std::ranges::find_if(objects, fits);
  return found == objects.end() ? nullptr : &*found;
}

const json::value* named(const json::array& objects, const kube::ObjectKey& key) {
  return first(objects, [&](const json::value& object) { return key_of(object) == key; });
}

// Absent is zero; anything but a number from zero makes the group invalid.
Result<std::int64_t> limit_of(const json::value& object, std::string_view annotation) {
  const std::string text = text_at(object, {"metadata", "annotations", annotation}).value_or("0");
  std::int64_t limit = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (trouble == std::errc() && end == text.data() + text.size() && limit >= 0) return limit;
  return fail(Code::Invalid, fmt::format("{}: {} is no number from zero", annotation, text));
}

bool has_labels(const json::value& object, const json::value& match_labels) {
  if (!match_labels.is_object()) return false;
  return std::ranges::all_of(match_labels.as_object(), [&](const auto& wanted) {
    const json::value* label = find(object, {"metadata", "labels", wanted.key()});
    return label != nullptr && *label == wanted.value();
  });
}

// Two ids mean one Node when they are equal behind the last slash.
std::string_view normalized(std::string_view id) { return id.substr(id.rfind('/') + 1); }

bool is_same_id(std::string_view one, std::string_view other) {
  return !one.empty() && normalized(one) == normalized(other);
}

std::string pseudo_id(std::string_view prefix, const json::value& machine) {
  const auto key = key_of(machine);
  return fmt::format("{}{}_{}", prefix, key.namespace_, key.name);
}

// A Machine with an id counts as running, with a Node or without.
std::optional<Instance> instance_of(const json::value& machine, const AutoscalerSnapshot& seen) {
  if (find(machine, {"status", "failureMessage"}) != nullptr)
    return Instance{pseudo_id(kFailed, machine), Instance::State::Failed};
  if (const std::string id = word_at(machine, {"spec", "providerID"}); !id.empty()) {
    if (is_deleting(machine)) return Instance{pseudo_id(kDeleting, machine), Instance::State::Deleting};
    return Instance{id, Instance::State::Running};
  }
  if (find(machine, {"status", "nodeRef"}) == nullptr)
    return Instance{pseudo_id(kPending, machine), Instance::State::Pending};
  const auto* node = named(seen.nodes, {"", word_at(machine, {"status", "nodeRef", "name"})});
  if (node == nullptr) return std::nullopt;
  return Instance{word_at(*node, {"spec", "providerID"}), Instance::State::Running};
}

std::vector<Instance> instances_of(const json::value& scalable, const AutoscalerSnapshot& seen) {
  std::vector<Instance> instances;
  if (word_at(scalable, {"kind"}) == kPool) {
    for (const json::value& id : array_at(scalable, {"spec", "providerIDList"}))
      if (id.is_string()) instances.push_back({std::string(id.as_string()), Instance::State::Running});
    return instances;
  }
  const json::value* labels = find(scalable, {"spec", "selector", "matchLabels"});
  for (const json::value& machine : seen.machines) {
    if (labels == nullptr || !has_labels(machine, *labels)) continue;
    if (cluster_of(machine) != cluster_of(scalable)) continue;
    if (auto instance = instance_of(machine, seen)) instances.push_back(std::move(*instance));
  }
  return instances;
}

const json::value* machine_of(const json::value& node, const AutoscalerSnapshot& seen) {
  const std::string id = word_at(node, {"spec", "providerID"});
  const auto* machine = first(seen.machines, [&](const json::value& one) {
    return is_same_id(word_at(one, {"spec", "providerID"}), id);
  });
  if (machine != nullptr) return machine;
  return named(seen.machines, {word_at(node, {"metadata", "annotations", api::annotation::kClusterNamespace}),
                               word_at(node, {"metadata", "annotations", api::annotation::kMachine})});
}

const json::value* scalable_of(const json::value& node, const AutoscalerSnapshot& seen) {
  const std::string id = word_at(node, {"spec", "providerID"});
  const auto* pool = first(seen.pools, [&](const json::value& one) {
    return std::ranges::any_of(array_at(one, {"spec", "providerIDList"}), [&](const json::value& listed) {
      return listed.is_string() && is_same_id(std::string_view(listed.as_string()), id);
    });
  });
  if (pool != nullptr) return pool;
  const auto* machine = machine_of(node, seen);
  if (machine == nullptr) return nullptr;
  const auto space = key_of(*machine).namespace_;
  const auto* set = named(seen.sets, {space, owner_of_kind(*machine, kSet)});
  if (set == nullptr) return nullptr;
  const auto* deployment = named(seen.deployments, {space, owner_of_kind(*set, kDeployment)});
  return deployment != nullptr ? deployment : set;
}

const json::value* object_of(const NodeGroup& group, const AutoscalerSnapshot& seen) {
  if (group.resource.kind == kPool) return named(seen.pools, group.key);
  return named(group.resource.kind == kSet ? seen.sets : seen.deployments, group.key);
}

Failure gone(const NodeGroup& group) { return fail(Code::NotFound, group.id() + " is not there"); }

}  // namespace

Result<std::unique_ptr<AutoscalerClient>> AutoscalerClient::start(const AutoscalerServers& servers,
                                                                  AutoscalerScope scope) {
  std::unique_ptr<AutoscalerClient> client(new AutoscalerClient(std::move(scope)));
  client->management_ = TRY(client->connect(servers.management));
  client->workload_ = TRY(client->connect(servers.workload));
  TRY(client->discover());
  return client;
}

Result<std::unique_ptr<kube::RemoteClient>> AutoscalerClient::connect(const fs::path& kubeconfig) {
  auto connection = TRY(kubeconfig::load(kubeconfig));
  return kube::RemoteClient::make({io_, threads_, clock_}, std::move(connection),
                                  {.user_agent = fmt::format("{}/v1", kAutoscalerAgent)});
}

// MachineSets and Machines are taken for granted.
Result<void> AutoscalerClient::discover() {
  version_ = TRY(preferred_version(api::group::kCluster));
  const auto kinds =
      TRY(management_->get_path(fmt::format("/apis/{}/{}", api::group::kCluster, version_), soon()));
  const auto is_served = [&](std::string_view plural) {
    return first(array_at(kinds, {"resources"}),
                 [&](const json::value& one) { return word_at(one, {"name"}) == plural; }) != nullptr;
  };
  if (!is_served("machinedeployments")) return fail(Code::NotFound, "MachineDeployments are not served");
  pools_served_ = is_served("machinepools");
  return {};
}

Result<std::string> AutoscalerClient::preferred_version(std::string_view api_group) {
  const auto served = TRY(management_->get_path("/apis", soon()));
  for (const json::value& one : array_at(served, {"groups"}))
    if (word_at(one, {"name"}) == api_group) return word_at(one, {"preferredVersion", "version"});
  return fail(Code::NotFound, fmt::format("{} is not served", api_group));
}

Result<std::vector<NodeGroup>> AutoscalerClient::groups() { return groups_of(TRY(look())); }

Result<AutoscalerSnapshot> AutoscalerClient::look() {
  AutoscalerSnapshot seen;
  seen.deployments = TRY(held(*management_, resource(kDeployment), scope_.namespace_));
  seen.sets = TRY(held(*management_, resource(kSet), scope_.namespace_));
  if (pools_served_) seen.pools = TRY(held(*management_, resource(kPool), scope_.namespace_));
  seen.machines = TRY(held(*management_, resource(api::kind::kMachine), scope_.namespace_));
  seen.nodes = TRY(held(*workload_, kube::resources::nodes(), {}));
  return seen;
}

Result<json::array> AutoscalerClient::held(kube::RemoteClient& client, const kube::Resource& resource,
                                           const std::string& namespace_) {
  auto& informer = informers_[resource.plural];
  if (!informer) informer = std::make_unique<AutoscalerInformer>(client, resource, namespace_);
  return informer->items(soon());
}

// A MachineSet of a MachineDeployment is no group, though it has its annotations.
Result<std::vector<NodeGroup>> AutoscalerClient::groups_of(const AutoscalerSnapshot& seen) {
  std::vector<NodeGroup> groups;
  for (const json::array* objects : {&seen.sets, &seen.deployments, &seen.pools}) {
    for (const json::value& object : *objects) {
      if (cluster_of(object) != scope_.cluster || !owner_of_kind(object, kDeployment).empty()) continue;
      NodeGroup group{.resource = resource(word_at(object, {"kind"})), .key = key_of(object)};
      group.min_size = TRY(limit_of(object, api::annotation::kAutoscalerMinSize));
      group.max_size = TRY(limit_of(object, api::annotation::kAutoscalerMaxSize));
      if (group.max_size == 0 || group.max_size < group.min_size) continue;
      const json::value* replicas = find(object, {"spec", "replicas"});
      const bool rests = replicas != nullptr && *replicas == 0;
      if (rests && !TRY(capacity_of(object))) continue;
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

Result<std::optional<Capacity>> AutoscalerClient::capacity_of(const json::value& scalable) {
  Capacity capacity = TRY(capacity_of_template(scalable));
  capacity["pods"] = kDefaultPods;
  for (const auto& [annotation, name] : kCapacityAnnotations) {
    const std::string quantity = word_at(scalable, {"metadata", "annotations", annotation});
    if (!quantity.empty()) capacity[std::string(name)] = quantity;
  }
  if (!capacity.contains("cpu") || !capacity.contains("memory")) return std::nullopt;
  return capacity;
}

// The autoscaler starts an informer for the template's kind. It makes the plural itself.
Result<Capacity> AutoscalerClient::capacity_of_template(const json::value& scalable) {
  const auto reference = [&](std::string_view field) {
    return word_at(scalable, {"spec", "template", "spec", "infrastructureRef", field});
  };
  kube::Resource templates{.group = reference("apiGroup"), .kind = reference("kind")};
  templates.version = TRY(preferred_version(templates.group));
  for (const char letter : templates.kind)
    templates.plural += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  templates.plural += 's';
  const kube::ObjectKey key{key_of(scalable).namespace_, reference("name")};
  const auto all = TRY(held(*management_, templates, scope_.namespace_));
  Capacity capacity;
  const auto* found = named(all, key);
  const auto* capacity_in_status = found == nullptr ? nullptr : find(*found, {"status", "capacity"});
  if (capacity_in_status == nullptr || !capacity_in_status->is_object()) return capacity;
  for (const auto& quantity : capacity_in_status->as_object())
    if (quantity.value().is_string())
      capacity[std::string(quantity.key())] = std::string(quantity.value().as_string());
  return capacity;
}

Result<NodeGroup> AutoscalerClient::group(std::string_view kind, std::string_view name) {
  for (NodeGroup& group : TRY(groups()))
    if (group.resource.kind == kind && group.key.name == name) return std::move(group);
  return fail(Code::NotFound, fmt::format("{} {} is no group", kind, name));
}

Result<std::vector<Instance>> AutoscalerClient::instances(const NodeGroup& group) {
  const auto seen = TRY(look());
  const auto* object = object_of(group, seen);
  if (object == nullptr) return gone(group);
  return instances_of(*object, seen);
}

Result<std::optional<Capacity>> AutoscalerClient::template_of(const NodeGroup& group) {
  const auto seen = TRY(look());
  const auto* object = object_of(group, seen);
  if (object == nullptr) return gone(group);
  return capacity_of(*object);
}

Result<std::int64_t> AutoscalerClient::target_size(const NodeGroup& group) {
  const std::string path = TRY(kube::object_path(group.resource, group.key, "scale"));
  const auto scale = TRY(management_->get_path(path, soon()));
  const json::value* replicas = find(scale, {"spec", "replicas"});
  return replicas != nullptr && replicas->is_int64() ? replicas->as_int64() : 0;
}

Result<void> AutoscalerClient::increase_size(const NodeGroup& group, std::int64_t by) {
  return set_size(group, TRY(target_size(group)) + by);
}

Result<void> AutoscalerClient::set_size(const NodeGroup& group, std::int64_t size) {
  if (size > group.max_size || size < group.min_size) {
    return fail(Code::Invalid, fmt::format("{} must stay between {} and {}, not {}", group.id(),
                                           group.min_size, group.max_size, size));
  }
  const json::value body = {{"spec", {{"replicas", size}}}};
  TRY(management_->patch(group.resource, group.key, body,
                         {.type = kube::PatchType::Merge, .subresource = "scale"}, soon()));
  return {};
}

Result<void> AutoscalerClient::decrease_target_size(const NodeGroup& group, std::int64_t by) {
  const std::int64_t size = TRY(target_size(group)) - by;
  const auto there = TRY(instances(group));
  const auto nodes = std::ranges::count(there, Instance::State::Running, &Instance::state);
  if (size < nodes) return fail(Code::Invalid, fmt::format("{} has {} Nodes", group.id(), nodes));
  return set_size(group, size);
}

Result<void> AutoscalerClient::delete_nodes(const NodeGroup& group, const std::vector<std::string>& nodes) {
  std::int64_t size = TRY(target_size(group));
  const auto count = static_cast<std::int64_t>(nodes.size());
  if (size - count < group.min_size)
    return fail(Code::Invalid, fmt::format("{} needs {} of {}", group.id(), group.min_size, size));
  const auto seen = TRY(look());
  std::vector<const json::value*> machines;
  for (const std::string& name : nodes) {
    const auto* node = named(seen.nodes, {"", name});
    if (node == nullptr) return fail(Code::NotFound, "no Node " + name);
    if (scalable_of(*node, seen) != object_of(group, seen))
      return fail(Code::Invalid, fmt::format("Node {} is none of {}", name, group.id()));
    const auto* machine = machine_of(*node, seen);
    if (machine == nullptr) return fail(Code::NotFound, "no Machine of Node " + name);
    if (!is_deleting(*machine)) machines.push_back(machine);
  }
  for (const json::value* machine : machines) {
    TRY(write_mark(key_of(*machine), true));
    const auto lowered = set_size(group, --size);
    if (lowered) continue;
    TRY(write_mark(key_of(*machine), false));
    return lowered;
  }
  return {};
}

Result<void> AutoscalerClient::write_mark(const kube::ObjectKey& key, bool marked) {
  auto machine = TRY(management_->get(resource(api::kind::kMachine), key, soon()));
  json::value& annotations = machine.at("metadata").as_object()["annotations"];
  if (!annotations.is_object()) annotations = json::object();
  if (marked)
    annotations.as_object()[api::annotation::kDeleteMachine] = MicroTime::from(clock_.now()).to_string();
  else
    annotations.as_object().erase(api::annotation::kDeleteMachine);
  TRY(management_->replace(resource(api::kind::kMachine), key, machine, {}, {}, soon()));
  return {};
}

kube::Resource AutoscalerClient::resource(std::string_view kind) const {
  return {.group = std::string(api::group::kCluster),
          .version = version_,
          .plural = kube::plural_of(kind),
          .kind = std::string(kind)};
}

Deadline AutoscalerClient::soon() const { return Deadline::in(clock_, kPatience); }

}  // namespace capstan::envtest
