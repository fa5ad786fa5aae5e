#include "controllers/machinehealthcheck/request_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/contract/template_clone.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "kube/resources.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

// Made for an earlier Machine of the same name; the garbage collector takes it.
bool is_left_over(const api::ObjectMeta& request, const api::Machine& machine) {
  return std::ranges::any_of(*request.owner_references, [&](const api::OwnerReference& owner) {
    return owner.kind == api::kind::kMachine && owner.group() == api::group::kCluster &&
           owner.name == machine.metadata.name && owner.uid != machine.metadata.uid;
  });
}

// The Machine says nothing of a request, or that it could not be made.
bool says_it_is_missing(const api::Machine& machine) {
  const auto shown = api::conditions::find(machine.status.conditions, api::condition::kExternallyRemediated);
  return shown == nullptr || shown->reason == api::reason::kRemediationTemplateNotFound ||
         shown->reason == api::reason::kRemediationRequestCreationFailed;
}

bool names(const api::ContractRef& reference, const kube::Resource& kind, const api::ObjectMeta& object) {
  return reference.kind == kind.kind && reference.api_group == kind.group && reference.name == object.name;
}

bool is_controlled_by_a_machine(const api::ObjectMeta& object) {
  const auto* controller = object.controller();
  return controller != nullptr && controller->kind == api::kind::kMachine &&
         controller->group() == api::group::kCluster;
}

const api::RemediationTemplateRef& reference_of(const api::MachineHealthCheck& check) {
  return *check.spec.remediation.template_ref;
}

}  // namespace

kube::Resource template_kind(const api::MachineHealthCheck& check) {
  return kube::resource_for(reference_of(check).api_version, reference_of(check).kind);
}

kube::Resource request_kind(const api::MachineHealthCheck& check) {
  return kube::resource_for(reference_of(check).api_version,
                            api::contract::cloned_kind(reference_of(check).kind.view()));
}

std::string missing_template(const api::MachineHealthCheck& check) {
  return fmt::format("Error retrieving remediation template {} {}/{}", template_kind(check).kind,
                     check.metadata.namespace_.view(), reference_of(check).name.view());
}

bool is_request_for(const api::Machine& machine, const kube::Resource& kind, const api::ObjectMeta& object,
                    std::string_view template_groupkind, std::string_view template_name) {
  if (!runtime::is_owned_by(object, machine.metadata.uid)) return false;  // a stranger of that name
  if (is_off(Safeguard::RemediationRequest)) return true;
  const auto& config = machine.spec.bootstrap.config_ref;
  if (names(machine.spec.infrastructure_ref, kind, object) || (config && names(*config, kind, object)))
    return false;
  return !is_controlled_by_a_machine(object) &&
         object.annotations.value_or_empty(api::annotation::kClonedFromName) == template_name &&
         object.annotations.value_or_empty(api::annotation::kClonedFromGroupKind) == template_groupkind;
}

bool is_request_of(const api::MachineHealthCheck& check, const api::Machine& machine,
                   const api::ObjectMeta& object) {
  const kube::Resource source = template_kind(check);
  return is_request_for(machine, request_kind(check), object, source.kind + "." + source.group,
                        reference_of(check).name);
}

// The check's own may be there although the process died before its Machine said so.
Presence judge_request(const api::MachineHealthCheck& check, const api::Machine& machine,
                       const api::ObjectMeta& request) {
  if (request.deleting() || is_left_over(request, machine)) return Presence::Leaving;
  return is_request_of(check, machine, request) && says_it_is_missing(machine) ? Presence::Unsaid
                                                                               : Presence::Said;
}

}  // namespace capstan::controllers::machinehealthcheck
