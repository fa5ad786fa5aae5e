#include "controllers/machineset/wanted.h"

#include <algorithm>

#include "api/contract/template_clone.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_rules.h"
#include "api/v1beta2/naming.h"
#include "api/v1beta2/syntax.h"
#include "base/name_limits.h"
#include "base/try.h"
#include "controllers/safety/template_annotations.h"
#include "kube/kinds.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machineset {
namespace {

using api::Machine;
using api::MachineSet;

bool is_owned_by_kind(const MachineSet& set, std::string_view kind) {
  return std::ranges::any_of(*set.metadata.owner_references, [&](const api::OwnerReference& owner) {
    return owner.kind == kind && owner.group() == api::group::kCluster;
  });
}

bool stands_alone(const MachineSet& set) {
  return !set.metadata.labels.contains(api::label::kDeploymentName) &&
         !is_owned_by_kind(set, api::kind::kMachineDeployment);
}

void set_metadata(const MachineSet& set, Machine& machine) {
  machine.metadata.namespace_ = set.metadata.namespace_;
  machine.metadata.labels = machine_labels(set);
  machine.metadata.annotations = safety::annotations_from(set.spec.machine_template.metadata.annotations);
}

api::Finalizers with_our_finalizer(const api::ObjectMeta& metadata) {
  if (metadata.has_finalizer(api::finalizer::kMachine)) return metadata.finalizers;
  auto finalizers = *metadata.finalizers;
  finalizers.emplace_back(api::finalizer::kMachine);
  return api::Finalizers(std::move(finalizers));
}

// The one default of a Machine that both a new and an updated one must name, or it would come and go.
void default_timeout(Machine& machine) {
  Machine defaulted = machine;
  if (api::apply_defaults(defaulted, nullptr)) machine.spec.deletion = defaulted.spec.deletion;
}

}  // namespace

MachineSet adjusted(const MachineSet& set, const api::ObjectMeta* cluster) {
  MachineSet after = set;
  const Text name = set.spec.cluster_name;
  auto& labels = after.spec.machine_template.metadata.labels;
  if (after.spec.selector.empty()) {
    const Text set_name(api::label_value(set.metadata.name));
    after.spec.selector.match_labels.set(Text(api::label::kSetName), set_name);
    labels.set(Text(api::label::kSetName), set_name);
  }
  after.metadata.labels.set(Text(api::label::kClusterName), name);
  after.spec.selector.match_labels.set(Text(api::label::kClusterName), name);
  labels.set(Text(api::label::kClusterName), name);
  if (cluster != nullptr && stands_alone(set)) {
    after.metadata.owner_references = runtime::with_owner(
        set.metadata.owner_references, runtime::owner_reference(kube::resource_of<api::Cluster>(), *cluster));
  }
  return after;
}

api::Labels machine_labels(const MachineSet& set) {
  api::Labels labels = set.spec.machine_template.metadata.labels;
  labels.set(Text(api::label::kSetName), Text(api::label_value(set.metadata.name)));
  if (const Text* deployment = set.metadata.labels.find(api::label::kDeploymentName)) {
    labels.set(Text(api::label::kDeploymentName), *deployment);
  }
  return labels;
}

Result<std::string> machine_name(const MachineSet& set, std::string_view random, std::string_view fresh) {
  const Text& naming = set.spec.machine_naming.name_template;
  return api::fitting_name(
      TRY(api::render_name(
          naming.empty() ? api::kDefaultMachineNaming : naming.view(),
          {.cluster = set.spec.cluster_name, .machine_set = set.metadata.name, .random = random})),
      fresh);
}

bool could_have_named(const MachineSet& set, std::string_view name) {
  constexpr std::string_view kAnyLetters("\0\0\0\0\0", kNameSuffixLength);
  const auto pattern = machine_name(set, kAnyLetters, kAnyLetters);
  return pattern && std::ranges::equal(*pattern, name, [](char wanted, char found) {
           return wanted == '\0' ? kNameAlphabet.contains(found) : wanted == found;
         });
}

api::ContractRef clone_ref(const api::ContractRef& source, std::string_view machine) {
  return {.api_group = source.api_group,
          .kind = Text(api::contract::cloned_kind(source.kind.view())),
          .name = Text(machine)};
}

Result<Machine> new_machine(const MachineSet& set, std::string_view name) {
  const api::MachineSpec& wanted = set.spec.machine_template.spec;
  Machine machine;
  set_metadata(set, machine);
  machine.metadata.name = Text(name);
  machine.metadata.finalizers = api::Finalizers(std::vector<Text>{Text(api::finalizer::kMachine)});
  machine.metadata.owner_references = api::OwnerReferences(std::vector<api::OwnerReference>{
      runtime::controller_reference(kube::resource_of<MachineSet>(), set.metadata)});
  machine.spec = wanted;
  machine.spec.cluster_name = set.spec.cluster_name;
  machine.spec.infrastructure_ref = clone_ref(wanted.infrastructure_ref, name);
  if (wanted.bootstrap.config_ref) {
    machine.spec.bootstrap.config_ref = clone_ref(*wanted.bootstrap.config_ref, name);
  }
  TRY(api::apply_defaults(machine, nullptr));
  return machine;
}

Machine updated_machine(const MachineSet& set, const Machine& machine) {
  const api::MachineSpec& wanted = set.spec.machine_template.spec;
  Machine intent;
  set_metadata(set, intent);
  intent.metadata.name = machine.metadata.name;
  intent.metadata.resource_version = machine.metadata.resource_version;
  intent.metadata.finalizers = with_our_finalizer(machine.metadata);
  intent.metadata.owner_references = api::OwnerReferences(std::vector<api::OwnerReference>{
      runtime::controller_reference(kube::resource_of<MachineSet>(), set.metadata)});
  intent.spec = wanted;
  intent.spec.cluster_name = set.spec.cluster_name;
  intent.spec.version = machine.spec.version;
  intent.spec.failure_domain = machine.spec.failure_domain;
  intent.spec.infrastructure_ref = machine.spec.infrastructure_ref;
  intent.spec.bootstrap.config_ref = machine.spec.bootstrap.config_ref;
  intent.spec.provider_id = {};
  default_timeout(intent);
  return intent;
}

Machine updated_deleting_machine(const MachineSet& set, const Machine& machine) {
  const api::MachineSpec& wanted = set.spec.machine_template.spec;
  Machine after = machine;
  after.spec.readiness_gates = wanted.readiness_gates;
  after.spec.min_ready_seconds = wanted.min_ready_seconds;
  after.spec.taints = wanted.taints;
  auto& deletion = after.spec.deletion;
  deletion.node_drain_timeout_seconds = wanted.deletion.node_drain_timeout_seconds;
  deletion.node_volume_detach_timeout_seconds = wanted.deletion.node_volume_detach_timeout_seconds;
  deletion.node_deletion_timeout_seconds = wanted.deletion.node_deletion_timeout_seconds;
  default_timeout(after);
  return after;
}

}  // namespace capstan::controllers::machineset
