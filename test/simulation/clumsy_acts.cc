// What the clumsy user of fleet_clumsy.h does, act by act.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cctype>

#include "api/bootstrap/cloud_config.h"
#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/driver/driver_machine_pool.h"
#include "api/driver/driver_machine_template.h"
#include "api/names.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/simulation/fleet_clumsy.h"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;

constexpr int kInsists = 120;
constexpr int kLooks = 40;
constexpr Nanoseconds kBetweenEdits = 20s;

const kube::Resource& machines() {
  static const kube::Resource kind = kube::resource_of<api::Machine>();
  return kind;
}
const kube::Resource& machine_sets() {
  static const kube::Resource kind = kube::resource_of<api::MachineSet>();
  return kind;
}
const kube::Resource& machine_deployments() {
  static const kube::Resource kind = kube::resource_of<api::MachineDeployment>();
  return kind;
}
const kube::Resource& clusters() {
  static const kube::Resource kind = kube::resource_of<api::Cluster>();
  return kind;
}

json::value driver_cluster(std::string_view name) {
  const auto kind = kube::resource_of<api::DriverCluster>();
  return {{"apiGroup", kind.group}, {"kind", kind.kind}, {"name", name}};
}

// As `kubectl get -o yaml` gives it, under another name.
json::object copied(json::object original, const std::string& name) {
  original.erase("status");
  auto& metadata = original.at("metadata").as_object();
  for (const char* field : {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields",
                            "finalizers", "deletionTimestamp", "deletionGracePeriodSeconds"})
    metadata.erase(field);
  metadata["name"] = name;
  return original;
}

void erase_label(json::object& object, std::string_view label) {
  if (auto* labels = object.at("metadata").as_object().if_contains("labels"))
    labels->as_object().erase(label);
}

json::value labelled(std::string_view label, const json::value& value) {
  return {{"metadata", {{"labels", {{label, value}}}}}};
}

const json::value kProvisioned = {{"status", {{"initialization", {{"provisioned", true}}}}}};

const json::value kProvisionedGroup = {
    {"status", {{"initialization", {{"provisioned", true}}}, {"ready", true}, {"replicas", 1}}}};

std::string lower(std::string_view word) {
  std::string made(word);
  std::ranges::transform(made, made.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return made;
}

// A kind like one of ours, that no provider of ours knows.
json::value definition(std::string_view original, std::string_view kind) {
  for (const json::value& each : fleet_kinds()) {
    if (each.at("spec").at("names").at("kind").as_string() != original) continue;
    std::string text = json::serialize(each);
    boost::replace_all(text, original, kind);
    boost::replace_all(text, lower(original), lower(kind));
    return json::parse(text);
  }
  return {};
}

kube::Resource pool_kind() {
  kube::Resource kind = kube::resource_of<api::DriverMachinePool>();
  kind.kind = "PlainMachinePool";
  kind.plural = "plainmachinepools";
  return kind;
}

json::object group_of(const kube::Resource& kind, const std::string& name, const std::string& instance) {
  return {{"apiVersion", kind.api_version()},
          {"kind", kind.kind},
          {"metadata", {{"name", name}, {"namespace", kNamespace}}},
          {"spec", {{"providerIDList", json::array{instance}}}}};
}

json::object reference_to(const kube::Resource& kind, const std::string& name) {
  return {{"apiGroup", kind.group}, {"kind", kind.kind}, {"name", name}};
}

const json::value* drain_timeout(const json::value& machine) {
  json::error_code absent;
  return machine.find_pointer("/spec/deletion/nodeDrainTimeoutSeconds", absent);
}

kube::Resource kind_of(std::string_view word) {
  kube::Resource kind = kube::resource_of<api::DriverMachine>();
  kind.kind = fmt::format("{}Machine", word);
  kind.plural = lower(kind.kind) + "s";
  return kind;
}

}  // namespace

// --- copies ---

std::optional<json::object> ClumsyUser::copied_machine(const MachineFacts& original,
                                                       const std::string& name) const {
  auto document = read({machines(), original.name});
  if (!document) return {};
  return copied(std::move(*document), name);
}

// One whose objects are its own already: of two that name an object that has no owner yet, either may come
// first.
bool ClumsyUser::copy_machine() {
  const bool of_workers = deps_.baton.draw(4) != 0;
  const MachineFacts* control_plane = deps_.auditor.facts().machine(kControlPlane);
  const bool has_vm = control_plane != nullptr && !control_plane->provider_id.empty();
  const auto original = of_workers ? draw_worker_with_vm()
                        : has_vm   ? std::optional(*control_plane)
                                   : std::nullopt;
  if (!original) return false;
  const std::string name = new_name();
  auto copy = copied_machine(*original, name);
  if (!copy) return false;
  const auto forgotten = of_workers ? deps_.baton.draw(3) : 2;
  if (forgotten > 0) copy->at("metadata").as_object().erase("ownerReferences");
  if (forgotten > 1) erase_label(*copy, kPoolLabel);
  static constexpr std::array kForgotten = {"with its owner", "with its labels", "without its labels"};
  note(ClumsyAct::CopyMachine, fmt::format("copies Machine {} as {}, {}", original->name, name,
                                           kForgotten.at(static_cast<std::size_t>(forgotten))));
  deps_.auditor.excuse(LegalCase::MachineLost);
  if (!create(machines(), *copy)) return true;
  note_copy(ClumsyAct::CopyMachine, {machines(), name}, forgotten > 1);
  return true;
}

// The object it refers to is the original's, and the Node no Machine's.
bool ClumsyUser::type_provider_id() {
  const auto original = draw_worker_with_vm();
  const auto workload = deps_.workload();
  if (!original || workload == nullptr) return false;
  const std::string name = new_name();
  auto copy = copied_machine(*original, name);
  if (!copy) return false;
  copy->at("metadata").as_object().erase("ownerReferences");
  erase_label(*copy, kPoolLabel);
  const std::string node = fmt::format("{}{}", kHandMade, name);
  const std::string provider_id = "hand:///" + node;
  copy->at("spec").as_object()["providerID"] = provider_id;
  const json::object made = {{"apiVersion", "v1"},
                             {"kind", "Node"},
                             {"metadata", {{"name", node}}},
                             {"spec", {{"providerID", provider_id}}}};
  note(ClumsyAct::TypeProviderId,
       fmt::format("makes Node {} by hand, and copies Machine {} as {} for it", node, original->name, name));
  if (!workload->create(kube::resources::nodes(), {.name = node}, made, {}, Deadline::never())) return true;
  if (create(machines(), *copy)) note_copy(ClumsyAct::TypeProviderId, {machines(), name}, true);
  return true;
}

// By a definition that was edited so that it takes words, too.
bool ClumsyUser::mistype_number() {
  const auto worker = draw_worker();
  const kube::ObjectKey key{.name = fmt::format("{}.{}", machines().plural, machines().group)};
  const auto& definitions = kube::resources::custom_resource_definitions();
  const auto there = deps_.client.get(definitions, key, Deadline::never());
  if (!worker || !there) return false;
  json::value versions = there->at("spec").at("versions");
  for (json::value& version : versions.as_array()) {
    json::error_code absent;
    auto* field = version.find_pointer(
        "/schema/openAPIV3Schema/properties/spec/properties/deletion/properties/nodeDrainTimeoutSeconds",
        absent);
    if (field != nullptr) *field = {{"x-kubernetes-int-or-string", true}};
  }
  const Object object{machines(), worker->name};
  const auto timeout = [](const json::value& value) -> json::value {
    return {{"spec", {{"deletion", {{"nodeDrainTimeoutSeconds", value}}}}}};
  };
  const auto before = read(object);
  const json::value whole(*before);
  const json::value* number = drain_timeout(whole);
  if (number != nullptr && number->is_string()) return false;
  note(ClumsyAct::MistypeNumber, fmt::format("gives Machine {} a timeout in words", worker->name));
  (void)deps_.client.patch(definitions, key, {{"spec", {{"versions", versions}}}}, {}, Deadline::never());
  if (!write(object, timeout("soon"))) return true;
  mistakes_.push_back({.act = ClumsyAct::MistypeNumber,
                       .what = "the timeout of Machine " + worker->name,
                       .mend = [this, object, body = timeout(number == nullptr ? json::value() : *number)] {
                         write(object, body);
                       }});
  return true;
}

bool ClumsyUser::has_mistyped_number(const Object& machine) const {
  const json::value whole(read(machine).value_or(json::object()));
  const json::value* number = drain_timeout(whole);
  return number != nullptr && number->is_string();
}

bool ClumsyUser::share_provider_id() {
  const auto original = draw_worker_with_vm();
  // Without a Node, or with another's object, both have an equal right to the VM, and neither is available.
  if (!original || original->node.empty() || has_misplaced_references()) return false;
  if (!install_kind("Foreign")) return false;
  const std::string name = new_name();
  auto copy = copied_machine(*original, name);
  if (!copy) return false;
  copy->at("metadata").as_object().erase("ownerReferences");
  erase_label(*copy, kPoolLabel);
  auto& spec = copy->at("spec").as_object();
  auto& bootstrap = spec.at("bootstrap").as_object();
  if (!bootstrap.contains("dataSecretName")) return false;
  bootstrap.erase("configRef");
  spec["infrastructureRef"] = {
      {"apiGroup", api::group::kInfrastructure}, {"kind", "ForeignMachine"}, {"name", name}};
  const bool says_so_itself = deps_.baton.draw(2) == 0;
  if (!says_so_itself) spec.erase("providerID");
  const kube::Resource kind = kind_of("Foreign");
  note(ClumsyAct::ShareProviderId,
       fmt::format("makes Machine {} of another provider, whose VM is that of {}", name, original->name));
  const json::object vm = {{"apiVersion", kind.api_version()},
                           {"kind", kind.kind},
                           {"metadata", {{"name", name}, {"namespace", kNamespace}}},
                           {"spec", {{"providerID", original->provider_id}}}};
  if (!create(kind, vm) || !write({kind, name}, kProvisioned, "status")) return true;
  if (create(machines(), *copy))
    note_copy(ClumsyAct::ShareProviderId, {machines(), name}, true, {{kind, name}});
  return true;
}

bool ClumsyUser::pool_of_foreign_ids() {
  const auto original = draw_worker_with_vm();
  if (!original) return false;
  const std::string name = new_name();
  const auto group = kube::resource_of<api::DriverMachinePool>();
  json::object instances = group_of(group, name, original->provider_id);
  instances.at("metadata").as_object()["annotations"] = {{api::annotation::kPaused, ""}};
  note(ClumsyAct::PoolOfForeignIds,
       fmt::format("makes MachinePool {}, which lists the VM of Machine {}", name, original->name));
  if (!create(group, instances) || !write({group, name}, kProvisionedGroup, "status")) return true;
  return make_pool(ClumsyAct::PoolOfForeignIds, name, reference_to(group, name));
}

// With the bootstrap data of some worker: it has no instance that would read it.
bool ClumsyUser::make_pool(ClumsyAct act, const std::string& name, const json::object& reference) {
  const auto worker = draw_worker_with_vm();
  const auto machine = worker ? read({machines(), worker->name}) : std::nullopt;
  const auto* secret =
      machine ? machine->at("spec").at("bootstrap").as_object().if_contains("dataSecretName") : nullptr;
  kube::Resource group = kube::resource_of<api::DriverMachinePool>();
  if (reference.at("kind").as_string() != group.kind) group = pool_kind();
  if (secret == nullptr) {
    remove({group, name});
    return true;
  }
  const auto pools = kube::resource_of<api::MachinePool>();
  const json::object spec = {{"clusterName", kCluster},
                             {"bootstrap", {{"dataSecretName", *secret}}},
                             {"infrastructureRef", reference}};
  const json::object pool = {
      {"apiVersion", pools.api_version()},
      {"kind", pools.kind},
      {"metadata", {{"name", name}, {"namespace", kNamespace}}},
      {"spec", {{"clusterName", kCluster}, {"replicas", 1}, {"template", {{"spec", spec}}}}}};
  if (!create(pools, pool)) return true;
  note_copy(act, {pools, name}, true, {{group, name}});
  return true;
}

bool ClumsyUser::copy_cluster() {
  auto document = read({clusters(), std::string(kCluster)});
  if (!document) return false;
  const std::string name = new_name();
  json::object copy = copied(std::move(*document), name);
  copy.at("spec").as_object().erase("paused");
  note(ClumsyAct::CopyCluster, fmt::format("copies the Cluster as {}", name));
  if (!create(clusters(), copy)) return true;
  outliving_.insert(name);
  note_copy(ClumsyAct::CopyCluster, {clusters(), name}, true);
  return true;
}

// A Cluster of its own first, that is there and well; then the wrong line.
bool ClumsyUser::take_reference() {
  const auto name = make_cluster(ClumsyAct::TakeReference);
  if (!name) return true;
  rest_up_to(60s, stop_);
  deps_.tell(fmt::format("clumsy user: points Cluster {} at DriverCluster {}", *name, kCluster));
  const json::value body = {{"spec", {{"infrastructureRef", driver_cluster(kCluster)}}}};
  if (!write({clusters(), *name}, body)) deps_.tell("clumsy user: is refused");
  return true;
}

std::optional<std::string> ClumsyUser::make_cluster(ClumsyAct act) {
  std::string name = new_name();
  const auto infrastructure = kube::resource_of<api::DriverCluster>();
  const json::object own = {{"apiVersion", infrastructure.api_version()},
                            {"kind", infrastructure.kind},
                            {"metadata", {{"name", name}, {"namespace", kNamespace}}},
                            {"spec", json::object()}};
  const json::object cluster = {{"apiVersion", clusters().api_version()},
                                {"kind", clusters().kind},
                                {"metadata", {{"name", name}, {"namespace", kNamespace}}},
                                {"spec", {{"infrastructureRef", driver_cluster(name)}}}};
  note(act, fmt::format("makes Cluster {}", name));
  if (!create(infrastructure, own) || !create(clusters(), cluster)) return {};
  outliving_.insert(name);
  note_copy(act, {clusters(), name}, true, {{infrastructure, name}});
  return name;
}

bool ClumsyUser::copy_infrastructure() {
  const auto original = draw_worker_with_vm();
  const auto kind = kube::resource_of<api::DriverMachine>();
  auto document = original ? read({kind, original->infrastructure}) : std::nullopt;
  if (!document) return false;
  const std::string name = new_name();
  json::object copy = copied(std::move(*document), name);
  const bool with_owner = deps_.baton.draw(2) == 0;
  if (!with_owner) copy.at("metadata").as_object().erase("ownerReferences");
  note(ClumsyAct::CopyInfrastructure,
       fmt::format("copies DriverMachine {} as {}, {} its owner", original->infrastructure, name,
                   with_owner ? "with" : "without"));
  if (!create(kind, copy)) return true;
  note_copy(ClumsyAct::CopyInfrastructure, {kind, name}, false);
  // As a tool does that restores status, too.
  if (deps_.baton.draw(2) == 0) write({kind, name}, kProvisioned, "status");
  return true;
}

bool ClumsyUser::copy_deployment() {
  auto document = read({machine_deployments(), std::string(kDeployment)});
  if (!document || has_orphans()) return false;
  const std::string name = new_name();
  json::object copy = copied(std::move(*document), name);
  copy.at("spec").as_object()["replicas"] = 1;
  copy.at("spec").as_object().erase("paused");
  note(ClumsyAct::CopyDeployment, fmt::format("copies the MachineDeployment as {}", name));
  if (create(machine_deployments(), copy))
    note_copy(ClumsyAct::CopyDeployment, {machine_deployments(), name}, true);
  return true;
}

bool ClumsyUser::copy_set() {
  const auto worker = draw_worker();
  const SetFacts* original = worker ? deps_.auditor.facts().set(worker->set) : nullptr;
  auto document = original == nullptr ? std::nullopt : read({machine_sets(), original->name});
  if (!document || has_orphans()) return false;
  const std::string name = new_name();
  json::object copy = copied(std::move(*document), name);
  const bool with_owner = deps_.baton.draw(2) == 0;
  if (!with_owner) copy.at("metadata").as_object().erase("ownerReferences");
  note(ClumsyAct::CopySet, fmt::format("copies MachineSet {} as {}, {} its owner", worker->set, name,
                                       with_owner ? "with" : "without"));
  if (create(machine_sets(), copy)) note_copy(ClumsyAct::CopySet, {machine_sets(), name}, false);
  return true;
}

bool ClumsyUser::remediate_by_template() {
  const std::string name = new_name();
  const auto kind = kube::resource_of<api::MachineHealthCheck>();
  const auto infrastructure = kube::resource_of<api::DriverMachineTemplate>();
  json::object check = health_check_document().object.as_object();
  check.at("metadata").as_object()["name"] = name;
  auto& spec = check.at("spec").as_object();
  if (deps_.baton.draw(2) == 0) spec["selector"] = {{"matchLabels", {{api::label::kClusterName, kCluster}}}};
  spec["remediation"] = {
      {"templateRef",
       {{"apiVersion", infrastructure.api_version()}, {"kind", infrastructure.kind}, {"name", kDeployment}}}};
  note(ClumsyAct::RemediateByTemplate,
       fmt::format("makes MachineHealthCheck {}, whose templateRef names a {}", name, infrastructure.kind));
  if (!create(kind, check)) return true;
  note_copy(ClumsyAct::RemediateByTemplate, {kind, name}, true);
  mistakes_.back().mend = [this, taken_back = std::move(mistakes_.back().mend)] {
    taken_back();
    remove_health_marks();
  };
  return true;
}

// The marks of a check stay when it is deleted, as upstream's do: a user who deletes one for its mistakes
// takes them off.
void ClumsyUser::remove_health_marks() {
  const auto is_mark = [](const json::value& condition) {
    const auto& type = condition.at("type").as_string();
    return type == api::condition::kHealthCheckSucceeded || type == api::condition::kOwnerRemediated;
  };
  const auto machines_now = deps_.auditor.facts().machines;
  for (const MachineFacts& each : machines_now) {
    const auto machine = read({machines(), each.name});
    const auto* status = machine ? machine->if_contains("status") : nullptr;
    const auto* conditions = status == nullptr ? nullptr : status->as_object().if_contains("conditions");
    if (conditions == nullptr) continue;
    json::array kept;
    for (const auto& condition : conditions->as_array())
      if (!is_mark(condition)) kept.push_back(condition);
    if (kept.size() == conditions->as_array().size()) continue;
    const json::value body = {
        {"metadata", {{"resourceVersion", machine->at("metadata").at("resourceVersion")}}},
        {"status", {{"conditions", std::move(kept)}}}};
    write({machines(), each.name}, body, "status");
  }
}

bool ClumsyUser::mistype_kind() {
  const auto original = draw_worker_with_vm();
  if (!original) return false;
  const std::string name = new_name();
  auto copy = copied_machine(*original, name);
  if (!copy) return false;
  copy->at("metadata").as_object().erase("ownerReferences");
  erase_label(*copy, kPoolLabel);
  auto& spec = copy->at("spec").as_object();
  spec.erase("providerID");
  spec["infrastructureRef"] = {
      {"apiGroup", api::group::kInfrastructure}, {"kind", "DriverMachin"}, {"name", name}};
  note(ClumsyAct::MistypeKind, fmt::format("makes Machine {} of kind DriverMachin", name));
  if (create(machines(), *copy)) note_copy(ClumsyAct::MistypeKind, {machines(), name}, true);
  return true;
}

// The Machine is held up until the kind is put right: its VM runs under the kind that was meant.
bool ClumsyUser::edit_kind() {
  const auto worker = draw_worker_with_vm();
  if (!worker) return false;
  const Object object{machines(), worker->name};
  const auto body = [](std::string_view kind) -> json::value {
    return {{"spec", {{"infrastructureRef", {{"kind", kind}}}}}};
  };
  note(ClumsyAct::EditKind,
       fmt::format("makes Machine {} of kind DriverMachin and deletes it", worker->name));
  deps_.auditor.excuse(LegalCase::MachineLost);
  if (!write(object, body("DriverMachin"))) return true;
  deps_.auditor.kind_edited(worker->name);
  mistakes_.push_back({.act = ClumsyAct::EditKind,
                       .what = "the kind of the infrastructureRef of Machine " + worker->name,
                       .mend = [this, object, body] { write(object, body("DriverMachine")); }});
  rest_up_to(kBetweenEdits, stop_);
  deps_.auditor.machine_taken();
  remove(object);
  return true;
}

// As a restore from a backup does it that knows no patience. The Machine's own controller may see the objects
// of the new one while it has the old one in its cache.
bool ClumsyUser::restore_machine() {
  const auto original = draw_worker_with_vm();
  const auto kind = kube::resource_of<api::DriverMachine>();
  const auto backup = original ? read({kind, original->infrastructure}) : std::nullopt;
  if (!backup) return false;
  const std::string name = new_name();
  auto machine = copied_machine(*original, name);
  if (!machine) return false;
  json::object infrastructure = copied(*backup, name);
  for (json::object* each : {&*machine, &infrastructure}) {
    each->at("metadata").as_object().erase("ownerReferences");
    each->at("spec").as_object().erase("providerID");
    erase_label(*each, kPoolLabel);
  }
  machine->at("spec").as_object().at("infrastructureRef").as_object()["name"] = name;
  note(ClumsyAct::RestoreMachine, fmt::format("makes Machine {} without its DriverMachine", name));
  const Object object{machines(), name};
  if (!create(machines(), *machine)) return true;
  note_copy(ClumsyAct::RestoreMachine, object, false, {{kind, name}});
  rest_up_to(kBetweenEdits, stop_);
  deps_.tell(fmt::format("clumsy user: takes Machine {} away by force and restores both", name));
  remove(object);
  strip(object);
  if (!read(object) && create(kind, infrastructure)) create(machines(), *machine);
  return true;
}

bool ClumsyUser::stray_machine() {
  const auto original = draw_worker();
  if (!original) return false;
  const std::string name = new_name();
  auto copy = copied_machine(*original, name);
  if (!copy) return false;
  copy->at("metadata").as_object().erase("ownerReferences");
  erase_label(*copy, kPoolLabel);
  auto& spec = copy->at("spec").as_object();
  spec.erase("providerID");
  spec["clusterName"] = "another";
  spec.at("infrastructureRef").as_object()["name"] = name;
  if (auto* config = spec.at("bootstrap").as_object().if_contains("configRef"))
    config->as_object()["name"] = name;
  note(ClumsyAct::StrayMachine,
       fmt::format("makes Machine {} of Cluster another, labelled {}", name, kCluster));
  if (!create(machines(), *copy)) return true;
  outliving_.insert(name);
  note_copy(ClumsyAct::StrayMachine, {machines(), name}, true);
  return true;
}

// A provider that is taken away, with the kinds that it brought.
bool ClumsyUser::delete_definition() {
  const auto original = draw_worker();
  if (!original || !install_kind("Gone")) return false;
  const std::string name = new_name();
  auto copy = copied_machine(*original, name);
  if (!copy || !copy->at("spec").at("bootstrap").as_object().contains("dataSecretName")) return false;
  copy->at("metadata").as_object().erase("ownerReferences");
  erase_label(*copy, kPoolLabel);
  auto& spec = copy->at("spec").as_object();
  spec.erase("providerID");
  spec.at("bootstrap").as_object().erase("configRef");
  spec["infrastructureRef"] = {
      {"apiGroup", api::group::kInfrastructure}, {"kind", "GoneMachine"}, {"name", name}};
  const kube::Resource kind = kind_of("Gone");
  const json::object vm = {{"apiVersion", kind.api_version()},
                           {"kind", kind.kind},
                           {"metadata", {{"name", name}, {"namespace", kNamespace}}},
                           {"spec", {{"providerID", "gone:///" + name}}}};
  note(ClumsyAct::DeleteDefinition, fmt::format("makes Machine {} of kind GoneMachine", name));
  if (!create(kind, vm) || !write({kind, name}, kProvisioned, "status")) return true;
  if (!create(machines(), *copy)) return true;
  note_copy(ClumsyAct::DeleteDefinition, {machines(), name}, true, {{kind, name}});
  rest_up_to(30s, stop_);
  deps_.tell("clumsy user: deletes the definition of GoneMachine");
  const kube::ObjectKey key{.name = fmt::format("{}.{}", kind.plural, kind.group)};
  (void)deps_.client.remove(kube::resources::custom_resource_definitions(), key, {}, Deadline::never());
  return true;
}

// The core knows no version of it any more, and what is there of it is there.
bool ClumsyUser::unlabel_definition() {
  if (!draw_worker_with_vm()) return false;
  const kube::Resource kind = pool_kind();
  const kube::ObjectKey key{.name = fmt::format("{}.{}", kind.plural, kind.group)};
  const auto& definitions = kube::resources::custom_resource_definitions();
  const json::value plain = definition("DriverMachinePool", "PlainMachinePool");
  const json::value labels = {{"metadata", {{"labels", plain.at("metadata").at("labels")}}}};
  const bool there = deps_.client.get(definitions, key, Deadline::never()).has_value();
  const bool labelled_again =
      there ? deps_.client.patch(definitions, key, labels, {}, Deadline::never()).has_value()
            : deps_.client.create(definitions, key, plain, {}, Deadline::never()).has_value();
  if (!labelled_again) return false;
  deps_.auditor.objects_owned_again();
  const std::string name = new_name();
  note(ClumsyAct::UnlabelDefinition, fmt::format("makes a {} {}, and a pool of it", kind.kind, name));
  if (!create(kind, group_of(kind, name, "plain:///" + name))) return true;
  if (!write({kind, name}, kProvisionedGroup, "status")) return true;
  make_pool(ClumsyAct::UnlabelDefinition, name, reference_to(kind, name));
  for (int i = 0; i < kLooks && read({kind, name}) && !is_owned({kind, name}); ++i) rest(5s);
  if (!is_owned({kind, name})) return true;
  const bool named_twice = deps_.baton.draw(2) == 0;
  if (named_twice) make_pool(ClumsyAct::UnlabelDefinition, new_name(), reference_to(kind, name));
  deps_.tell("clumsy user: takes the labels off the definition of " + kind.kind);
  json::object none;
  for (const auto& [label, value] : plain.at("metadata").at("labels").as_object()) none[label] = nullptr;
  (void)deps_.client.patch(definitions, key, {{"metadata", {{"labels", none}}}}, {}, Deadline::never());
  if (!named_twice) disown_group({kind, name});
  return true;
}

// Its pool can't put itself back, and deletes nothing that it does not own: the user has to.
void ClumsyUser::disown_group(const Object& group) {
  const auto mistake = std::ranges::find_if(
      mistakes_, [&](const Mistake& each) { return each.what == "MachinePool " + group.name; });
  if (mistake == mistakes_.end()) return;
  deps_.tell(fmt::format("clumsy user: takes the owners off {} {}", group.kind.kind, group.name));
  if (!write(group, {{"metadata", {{"ownerReferences", nullptr}}}})) return;
  mistake->holds = true;
  deps_.auditor.object_disowned(group.name);
}

bool ClumsyUser::install_kind(std::string_view word) {
  const kube::Resource kind = kind_of(word);
  const kube::ObjectKey key{.name = fmt::format("{}.{}", kind.plural, kind.group)};
  const auto& definitions = kube::resources::custom_resource_definitions();
  const auto there = deps_.client.get(definitions, key, Deadline::never());
  if (there) return !there->at("metadata").as_object().contains("deletionTimestamp");
  return deps_.client.create(definitions, key, definition("DriverMachine", kind.kind), {}, Deadline::never())
      .has_value();
}

// --- edits ---

bool ClumsyUser::release_machine() {
  const auto worker = draw_worker();
  if (!worker) return false;
  const bool renamed = deps_.baton.draw(2) == 0;
  note(ClumsyAct::ReleaseMachine,
       fmt::format("takes Machine {} out of its MachineSet by a label", worker->name));
  deps_.auditor.excuse(LegalCase::MachineLost);
  deps_.auditor.machine_given(worker->name);
  const std::set<std::string> names = {worker->name, worker->infrastructure, worker->bootstrap};
  if (!write({machines(), worker->name},
             labelled(kPoolLabel, renamed ? json::value("other") : json::value(nullptr))))
    return true;
  released_.insert(names.begin(), names.end());
  mistakes_.push_back({.act = ClumsyAct::ReleaseMachine,
                       .what = "the label edit of Machine " + worker->name,
                       .mend =
                           [this, names, name = worker->name] {
                             for (const auto& each : names) released_.erase(each);
                             deps_.auditor.machine_taken();
                             if (deps_.baton.draw(2) == 0) return remove({machines(), name});
                             write({machines(), name}, labelled(kPoolLabel, json::value(kDeployment)));
                           },
                       .may_stay = true});
  return true;
}

bool ClumsyUser::relabel_object() {
  const auto worker = draw_worker();
  if (!worker) return false;
  const Object object = deps_.baton.draw(2) == 0
                            ? Object{kube::resource_of<api::DriverMachine>(), worker->infrastructure}
                            : Object{kube::resource_of<api::CloudConfig>(), worker->bootstrap};
  // Not kOtherLabel, which is as good as the right one.
  const json::value value = deps_.baton.draw(2) == 0 ? json::value("elsewhere") : json::value(nullptr);
  const auto label = deps_.baton.draw(2) == 0 ? api::label::kClusterName : kPoolLabel;
  note(ClumsyAct::RelabelObject,
       fmt::format("takes the label {} off {} {}", label, object.kind.kind, object.name));
  write(object, labelled(label, value));
  return true;
}

// One Machine is released without a question (docs/ownership.md), and those of a copy are not asked about.
bool ClumsyUser::change_selector() {
  const FleetFacts& facts = deps_.auditor.facts();
  const auto would_go = [&, uid = deployment_uid()](const MachineFacts& each) {
    const SetFacts* set = facts.set(each.set);
    return set != nullptr && set->deployment == uid && !each.going;
  };
  if (std::ranges::count_if(facts.machines, would_go) < 2 || acts_.contains("change-selector")) return false;
  const Object deployment{machine_deployments(), std::string(kDeployment)};
  const auto labels = [](std::string_view value) -> json::value {
    return {{"spec",
             {{"selector", {{"matchLabels", {{kPoolLabel, value}}}}},
              {"template", {{"metadata", {{"labels", {{kPoolLabel, value}}}}}}}}}};
  };
  note(ClumsyAct::ChangeSelector, "changes the selector of the MachineDeployment, and its template's labels");
  deps_.auditor.selector_changes(true);
  if (!write(deployment, labels(kOtherLabel))) {
    deps_.auditor.selector_changes(false);
    return false;
  }
  mistakes_.push_back({.act = ClumsyAct::ChangeSelector,
                       .what = "the selector of the MachineDeployment",
                       .mend =
                           [this, deployment, labels] {
                             deps_.auditor.selector_changes(false);
                             // What was made for it meanwhile would be released.
                             if (!has_set_labelled(kOtherLabel)) write(deployment, labels(kDeployment));
                           },
                       .may_stay = false});
  return true;
}

bool ClumsyUser::has_set_labelled(std::string_view value) const {
  return std::ranges::any_of(deps_.auditor.facts().sets, [&](const SetFacts& each) {
    if (is_copy(each.name)) return false;
    const auto set = read({machine_sets(), each.name});
    const auto* labels = set ? set->at("metadata").as_object().if_contains("labels") : nullptr;
    const auto* label = labels == nullptr ? nullptr : labels->as_object().if_contains(kPoolLabel);
    return label != nullptr && *label == json::value(value);
  });
}

bool ClumsyUser::insist_on_label() {
  const auto drawn = draw_object(false);
  const std::string kind = drawn ? drawn->kind.kind : std::string();
  if (kind != api::kind::kMachine && kind != "DriverMachine" && kind != "CloudConfig") return false;
  // Of a Machine one that its MachineSet does not select by.
  const auto label = kind == api::kind::kMachine ? api::label::kSetName : api::label::kClusterName;
  const auto before = read(*drawn)->at("metadata").as_object().at("labels").as_object();
  if (!before.contains(label)) return false;
  note(ClumsyAct::InsistOnLabel, fmt::format("has another manager label {} {} every second for two minutes",
                                             drawn->kind.kind, drawn->name));
  for (int i = 0; i < kInsists && !stop_.stop_requested(); ++i) {
    if (!write(*drawn, labelled(label, "another"))) return true;
    rest(1s, stop_);
  }
  return true;
}

bool ClumsyUser::drop_owners() {
  const auto drawn = draw_object(true);
  if (!drawn || drawn->kind.kind == api::kind::kCluster) return false;
  const bool selected = drawn->kind.kind == api::kind::kMachine || drawn->kind.kind == api::kind::kMachineSet;
  if (selected && has_rival_selectors()) return false;
  note(ClumsyAct::DropOwners, fmt::format("takes the owners off {} {}", drawn->kind.kind, drawn->name));
  if (drawn->kind.kind == api::kind::kMachine) deps_.auditor.machine_given(drawn->name);
  deps_.auditor.excuse(LegalCase::MachineLost);
  write(*drawn, {{"metadata", {{"ownerReferences", nullptr}}}});
  return true;
}

bool ClumsyUser::reset_managed_fields() {
  const Object deployment{machine_deployments(), std::string(kDeployment)};
  const json::value body = {{"spec", {{"template", {{"metadata", {{"labels", {{kClumsyLabel, "yes"}}}}}}}}}};
  if (!write(deployment, body)) return false;
  has_template_label_ = true;
  labelled_deployment_ = deployment_uid();
  note(ClumsyAct::ResetManagedFields, "puts a label into the template");
  rest_up_to(2min, stop_);
  deps_.tell("clumsy user: resets managedFields of everything");
  const json::value reset = {{"metadata", {{"managedFields", json::array{json::object()}}}}};
  for (const Object& each : objects(false)) write(each, reset);
  return true;
}

bool ClumsyUser::forget_replicas() {
  const bool of_set = deps_.baton.draw(4) == 0;
  const auto worker = draw_worker();
  const SetFacts* set = worker && of_set ? deps_.auditor.facts().set(worker->set) : nullptr;
  const Object object = set != nullptr ? Object{machine_sets(), set->name}
                                       : Object{machine_deployments(), std::string(kDeployment)};
  const auto document = read(object);
  if (!document) return false;
  // The number that is to stay is one that its controller has seen.
  const auto* status = document->if_contains("status");
  const auto* seen = status == nullptr ? nullptr : status->as_object().if_contains("observedGeneration");
  if (seen == nullptr || *seen != document->at("metadata").at("generation")) return false;
  // It stays in a MachineSet; without one, the autoscaler's smallest number counts.
  const auto of_deployment = [&](const SetFacts& each) {
    return each.deployment == deployment_uid() && !each.going;
  };
  if (std::ranges::none_of(deps_.auditor.facts().sets, of_deployment)) return false;
  note(ClumsyAct::ForgetReplicas, fmt::format("leaves {} {} to an autoscaler, and takes spec.replicas out",
                                              object.kind.kind, object.name));
  const json::value body = {
      {"metadata",
       {{"annotations",
         {{api::annotation::kAutoscalerMinSize, "0"}, {api::annotation::kAutoscalerMaxSize, "10"}}}}},
      {"spec", {{"replicas", nullptr}}}};
  write(object, body);
  return true;
}

// To another Cluster that is there, and that is deleted before or after he puts it right.
bool ClumsyUser::rename_cluster() {
  const auto worker = draw_worker();
  if (!worker) return false;
  const SetFacts* set = deps_.auditor.facts().set(worker->set);
  const std::string set_name = set == nullptr ? std::string() : set->name;
  const auto which = deps_.baton.draw(3);
  const Object object = which == 0 || set == nullptr ? Object{machines(), worker->name}
                        : which == 1                 ? Object{machine_sets(), set->name}
                                     : Object{machine_deployments(), std::string(kDeployment)};
  const auto name = make_cluster(ClumsyAct::RenameCluster);
  if (!name) return true;
  rest_up_to(30s, stop_);
  // What no Cluster owns yet belongs to the one that it names (docs/ownership.md), and goes with that one: a
  // MachineDeployment that was made again while the manager was away, and what it controls; a MachineSet that
  // its deletion left behind.
  if (!is_owned({machine_deployments(), std::string(kDeployment)})) return true;
  if (!set_name.empty() && !is_owned({machine_sets(), set_name})) return true;
  const auto body = [](std::string_view cluster) -> json::value {
    return {{"spec", {{"clusterName", cluster}}}};
  };
  deps_.tell(fmt::format("clumsy user: has {} {} belong to {}", object.kind.kind, object.name, *name));
  if (!write(object, body(*name))) return true;
  mistakes_.push_back({.act = ClumsyAct::RenameCluster,
                       .what = fmt::format("the Cluster of {} {}", object.kind.kind, object.name),
                       .mend = [this, object, body] { write(object, body(kCluster)); },
                       .may_stay = object.kind.kind == api::kind::kMachine});
  return true;
}

bool ClumsyUser::misplace_reference() {
  const auto worker = draw_worker();
  const auto other = draw_worker();
  if (!worker || !other || worker->name == other->name) return false;
  const Object object{machines(), worker->name};
  const auto body = [](const std::string& name) -> json::value {
    return {{"spec", {{"infrastructureRef", {{"name", name}}}}}};
  };
  note(ClumsyAct::MisplaceReference,
       fmt::format("points Machine {} at the infrastructure object of {}", worker->name, other->name));
  deps_.auditor.excuse(LegalCase::MachineLost);
  if (!write(object, body(other->infrastructure))) return true;
  mistakes_.push_back(
      {.act = ClumsyAct::MisplaceReference,
       .what = "the infrastructureRef of Machine " + worker->name,
       .mend = [this, object, body, own = worker->infrastructure] { write(object, body(own)); }});
  return true;
}

// --- deletions and finalizers ---

bool ClumsyUser::orphan_machines() {
  const auto worker = draw_worker();
  const SetFacts* set = worker ? deps_.auditor.facts().set(worker->set) : nullptr;
  if (set == nullptr || set->going || has_rival_selectors()) return false;
  // Where a MachineDeployment names no number, its MachineSets have it, and it goes with them.
  const auto owner = read({machine_deployments(), std::string(kDeployment)});
  if (!owner || owner->at("spec").as_object().if_contains("replicas") == nullptr) return false;
  note(ClumsyAct::OrphanMachines, fmt::format("deletes MachineSet {} with --cascade=orphan", set->name));
  for (const MachineFacts& each : deps_.auditor.facts().machines) {
    if (each.set == set->uid) deps_.auditor.machine_given(each.name);
  }
  (void)deps_.client.remove(machine_sets(), named(set->name), {.propagation = kube::Propagation::Orphan},
                            Deadline::never());
  return true;
}

bool ClumsyUser::strip_finalizers() {
  const auto drawn = draw_object(true);
  if (!drawn || !read(*drawn)) return false;
  note(ClumsyAct::StripFinalizers,
       fmt::format("strips the finalizers of {} {}", drawn->kind.kind, drawn->name));
  strip(*drawn);
  return true;
}

// Of all finalizers those stay that no controller of the fleet put there.
void ClumsyUser::strip(const Object& object) {
  const auto document = read(object);
  if (!document) return;
  json::array kept;
  if (const auto* list = document->at("metadata").as_object().if_contains("finalizers")) {
    for (const json::value& each : list->as_array())
      if (each.as_string() == kStranger || each.as_string() == kClumsy) kept.push_back(each);
  }
  write(object, {{"metadata", {{"finalizers", kept}}}});
}

bool ClumsyUser::hold_finalizer() {
  const auto worker = draw_worker();
  const SetFacts* set = worker ? deps_.auditor.facts().set(worker->set) : nullptr;
  if (set == nullptr) return false;
  const bool of_set = deps_.baton.draw(2) == 0;
  const Object object = of_set ? Object{machine_sets(), set->name} : Object{machines(), worker->name};
  const auto with = [this, object](bool held) {
    const auto document = read(object);
    if (!document) return;
    const auto& metadata = document->at("metadata").as_object();
    json::array list;
    if (const auto* present = metadata.if_contains("finalizers")) {
      for (const json::value& each : present->as_array())
        if (each.as_string() != kClumsy) list.push_back(each);
    }
    if (held && metadata.contains("deletionTimestamp")) return;
    if (held) list.emplace_back(kClumsy);
    write(object, {{"metadata", {{"finalizers", list}}}});
  };
  note(ClumsyAct::HoldFinalizer, fmt::format("holds a finalizer on {} {}", object.kind.kind, object.name));
  with(true);
  held_.insert(object.name);
  mistakes_.push_back({.act = ClumsyAct::HoldFinalizer,
                       .what = fmt::format("the finalizer on {} {}", object.kind.kind, object.name),
                       .mend =
                           [this, with, object] {
                             held_.erase(object.name);
                             with(false);
                           },
                       .may_stay = of_set,
                       .holds = true});
  return true;
}

}  // namespace capstan::simulation
