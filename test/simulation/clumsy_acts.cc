// What the clumsy user of fleet_clumsy.h does, act by act.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

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

constexpr std::string_view kPoolLabel = "pool";  // what the MachineDeployment selects its Machines by
constexpr int kInsists = 120;

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

// A kind as DriverMachine is, that no provider of ours knows.
json::value definition(std::string_view word) {
  for (const json::value& each : fleet_kinds()) {
    if (each.at("spec").at("names").at("kind") != "DriverMachine") continue;
    std::string text = json::serialize(each);
    boost::replace_all(text, "DriverMachine", fmt::format("{}Machine", word));
    std::string lower(word);
    lower[0] = static_cast<char>(lower[0] + ('a' - 'A'));
    boost::replace_all(text, "drivermachine", lower + "machine");
    return json::parse(text);
  }
  return {};
}

kube::Resource kind_of(std::string_view word) {
  kube::Resource kind = kube::resource_of<api::DriverMachine>();
  std::string lower(word);
  lower[0] = static_cast<char>(lower[0] + ('a' - 'A'));
  kind.kind = fmt::format("{}Machine", word);
  kind.plural = lower + "machines";
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

bool ClumsyUser::copy_machine() {
  const bool of_workers = deps_.baton.draw(4) != 0;
  const MachineFacts* control_plane = deps_.auditor.facts().machine(kControlPlane);
  const auto original = of_workers                 ? draw_worker()
                        : control_plane == nullptr ? std::nullopt
                                                   : std::optional(*control_plane);
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

bool ClumsyUser::share_provider_id() {
  const auto original = draw_worker_with_vm();
  if (!original || !install_kind("Foreign")) return false;
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
  const auto machine = original ? read({machines(), original->name}) : std::nullopt;
  if (!machine || !machine->at("spec").at("bootstrap").as_object().contains("dataSecretName")) return false;
  const std::string name = new_name();
  note(ClumsyAct::PoolOfForeignIds,
       fmt::format("makes MachinePool {}, which lists the VM of Machine {}", name, original->name));
  const auto group = kube::resource_of<api::DriverMachinePool>();
  const auto pools = kube::resource_of<api::MachinePool>();
  const json::object instances = {
      {"apiVersion", group.api_version()},
      {"kind", group.kind},
      {"metadata",
       {{"name", name}, {"namespace", kNamespace}, {"annotations", {{api::annotation::kPaused, ""}}}}},
      {"spec", {{"providerIDList", json::array{original->provider_id}}}}};
  const json::object spec = {
      {"clusterName", kCluster},
      {"bootstrap", {{"dataSecretName", machine->at("spec").at("bootstrap").at("dataSecretName")}}},
      {"infrastructureRef",
       {{"apiGroup", api::group::kInfrastructure}, {"kind", group.kind}, {"name", name}}}};
  const json::object pool = {
      {"apiVersion", pools.api_version()},
      {"kind", pools.kind},
      {"metadata", {{"name", name}, {"namespace", kNamespace}}},
      {"spec", {{"clusterName", kCluster}, {"replicas", 1}, {"template", {{"spec", spec}}}}}};
  const json::value status = {
      {"status", {{"initialization", {{"provisioned", true}}}, {"ready", true}, {"replicas", 1}}}};
  if (!create(group, instances) || !write({group, name}, status, "status")) return true;
  if (create(pools, pool)) note_copy(ClumsyAct::PoolOfForeignIds, {pools, name}, true, {{group, name}});
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

// A Cluster of his own first, that is there and well; then the wrong line.
bool ClumsyUser::take_reference() {
  const std::string name = new_name();
  const auto infrastructure = kube::resource_of<api::DriverCluster>();
  const auto reference = [&](std::string_view object) -> json::value {
    return {{"apiGroup", infrastructure.group}, {"kind", infrastructure.kind}, {"name", object}};
  };
  const json::object own = {{"apiVersion", infrastructure.api_version()},
                            {"kind", infrastructure.kind},
                            {"metadata", {{"name", name}, {"namespace", kNamespace}}},
                            {"spec", json::object()}};
  const json::object cluster = {{"apiVersion", clusters().api_version()},
                                {"kind", clusters().kind},
                                {"metadata", {{"name", name}, {"namespace", kNamespace}}},
                                {"spec", {{"infrastructureRef", reference(name)}}}};
  note(ClumsyAct::TakeReference, fmt::format("makes Cluster {}", name));
  if (!create(infrastructure, own) || !create(clusters(), cluster)) return true;
  outliving_.insert(name);
  note_copy(ClumsyAct::TakeReference, {clusters(), name}, true, {{infrastructure, name}});
  rest_up_to(60s, stop_);
  const json::value body = {{"spec", {{"infrastructureRef", reference(kCluster)}}}};
  deps_.tell(fmt::format("clumsy user: points Cluster {} at DriverCluster {}", name, kCluster));
  if (!write({clusters(), name}, body)) deps_.tell("clumsy user: is refused");
  return true;
}

bool ClumsyUser::copy_deployment() {
  auto document = read({machine_deployments(), std::string(kDeployment)});
  if (!document) return false;
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
  if (!document) return false;
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
  if (create(kind, check)) note_copy(ClumsyAct::RemediateByTemplate, {kind, name}, true);
  return true;
}

bool ClumsyUser::mistype_kind() {
  const auto original = draw_worker();
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

bool ClumsyUser::install_kind(std::string_view word) {
  const kube::Resource kind = kind_of(word);
  const kube::ObjectKey key{.name = fmt::format("{}.{}", kind.plural, kind.group)};
  const auto& definitions = kube::resources::custom_resource_definitions();
  const auto there = deps_.client.get(definitions, key, Deadline::never());
  if (there) return !there->at("metadata").as_object().contains("deletionTimestamp");
  return deps_.client.create(definitions, key, definition(word), {}, Deadline::never()).has_value();
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
  const json::value value = deps_.baton.draw(2) == 0 ? json::value("another") : json::value(nullptr);
  note(ClumsyAct::RelabelObject,
       fmt::format("takes the label of its Cluster off {} {}", object.kind.kind, object.name));
  write(object, labelled(api::label::kClusterName, value));
  return true;
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
  note(ClumsyAct::DropOwners, fmt::format("takes the owners off {} {}", drawn->kind.kind, drawn->name));
  if (drawn->kind.kind == api::kind::kMachine) deps_.auditor.machine_given(drawn->name);
  deps_.auditor.excuse(LegalCase::MachineLost);
  write(*drawn, {{"metadata", {{"ownerReferences", nullptr}}}});
  return true;
}

bool ClumsyUser::reset_managed_fields() {
  const Object deployment{machine_deployments(), std::string(kDeployment)};
  const auto template_label = [](const json::value& value) -> json::value {
    return {{"spec", {{"template", {{"metadata", {{"labels", {{kClumsyLabel, value}}}}}}}}}};
  };
  if (!write(deployment, template_label("yes"))) return false;
  note(ClumsyAct::ResetManagedFields, "puts a label into the template");
  rest_up_to(2min, stop_);
  deps_.tell("clumsy user: resets managedFields of everything, and takes the label out again");
  const json::value reset = {{"metadata", {{"managedFields", json::array{json::object()}}}}};
  for (const Object& each : objects(false)) write(each, reset);
  rest_up_to(20s, stop_);
  write(deployment, template_label(nullptr));
  return true;
}

bool ClumsyUser::forget_replicas() {
  const bool of_set = deps_.baton.draw(4) == 0;
  const auto worker = draw_worker();
  const SetFacts* set = worker && of_set ? deps_.auditor.facts().set(worker->set) : nullptr;
  const Object object = set != nullptr ? Object{machine_sets(), set->name}
                                       : Object{machine_deployments(), std::string(kDeployment)};
  if (!read(object)) return false;
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

bool ClumsyUser::rename_cluster() {
  const auto worker = draw_worker();
  if (!worker) return false;
  const SetFacts* set = deps_.auditor.facts().set(worker->set);
  const auto which = deps_.baton.draw(3);
  const Object object = which == 0 || set == nullptr ? Object{machines(), worker->name}
                        : which == 1                 ? Object{machine_sets(), set->name}
                                     : Object{machine_deployments(), std::string(kDeployment)};
  const auto body = [](std::string_view name) -> json::value { return {{"spec", {{"clusterName", name}}}}; };
  note(ClumsyAct::RenameCluster,
       fmt::format("has {} {} belong to another Cluster", object.kind.kind, object.name));
  if (!write(object, body("another"))) return true;
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
  if (set == nullptr || set->going) return false;
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
  const auto document = drawn ? read(*drawn) : std::nullopt;
  if (!document) return false;
  json::array kept;
  if (const auto* list = document->at("metadata").as_object().if_contains("finalizers")) {
    for (const json::value& each : list->as_array())
      if (each.as_string() == kStranger || each.as_string() == kClumsy) kept.push_back(each);
  }
  note(ClumsyAct::StripFinalizers,
       fmt::format("strips the finalizers of {} {}", drawn->kind.kind, drawn->name));
  write(*drawn, {{"metadata", {{"finalizers", kept}}}});
  return true;
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
