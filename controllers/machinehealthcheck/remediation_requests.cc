#include "controllers/machinehealthcheck/remediation_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/conditions/conditions.h"
#include "api/contract/template_clone.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/claims/removal.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

constexpr Seconds kTemplateRecheck{30};
constexpr Seconds kUntilGone{30};
constexpr Seconds kCacheRecheck{1};

void look_again(Effects& effects, Nanoseconds span) {
  effects.recheck = std::min(effects.recheck.value_or(span), span);
}

// Made for an earlier Machine of the same name; the garbage collector takes it.
bool is_left_over(const api::ObjectMeta& request, const api::Machine& machine) {
  return std::ranges::any_of(*request.owner_references, [&](const api::OwnerReference& owner) {
    return owner.kind == api::kind::kMachine && owner.group() == api::group::kCluster &&
           owner.name == machine.metadata.name && owner.uid != machine.metadata.uid;
  });
}

// Nothing was told of it, or that it could not be made.
bool says_it_is_missing(const api::Machine& machine) {
  const auto told = api::conditions::find(machine.status.conditions, api::condition::kExternallyRemediated);
  return told == nullptr || told->reason == api::reason::kRemediationTemplateNotFound ||
         told->reason == api::reason::kRemediationRequestCreationFailed;
}

bool names(const api::ContractRef& reference, const kube::Resource& kind, const api::ObjectMeta& object) {
  return reference.kind == kind.kind && reference.api_group == kind.group && reference.name == object.name;
}

bool is_controlled_by_a_machine(const api::ObjectMeta& object) {
  const auto* controller = object.controller();
  return controller != nullptr && controller->kind == api::kind::kMachine &&
         controller->group() == api::group::kCluster;
}

}  // namespace

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

RemediationRequests::RemediationRequests(const Deps& deps, const Host& host, const runtime::Context& context,
                                         const api::MachineHealthCheck& check)
    : deps_(deps),
      host_(host),
      context_(context),
      check_(check),
      check_key_(kube::key_of(check)),
      template_(kube::resource_for(check.spec.remediation.template_ref->api_version,
                                   check.spec.remediation.template_ref->kind)),
      request_(
          kube::resource_for(check.spec.remediation.template_ref->api_version,
                             api::contract::cloned_kind(check.spec.remediation.template_ref->kind.view()))),
      template_problem_(fmt::format("Error retrieving remediation template {} {}/{}", template_.kind,
                                    check_key_.namespace_,
                                    check.spec.remediation.template_ref->name.view())) {}

kube::ObjectKey RemediationRequests::key_of(const api::Machine& machine) const {
  return {.namespace_ = check_key_.namespace_, .name = machine.metadata.name.str()};
}

bool RemediationRequests::made_for(const api::Machine& machine, const Found& found) const {
  return is_request_for(machine, request_, found.metadata, template_.kind + "." + template_.group,
                        check_.spec.remediation.template_ref->name);
}

// From the cache, where the kind keeps the contract; otherwise by a request, if that is worth one.
Result<RemediationRequests::Found> RemediationRequests::find(const api::Machine& machine, bool may_ask) {
  const api::ContractRef reference{
      .api_group = Text(request_.group), .kind = Text(request_.kind), .name = machine.metadata.name};
  if (host_.externals.resolve(request_.group, request_.kind)) {
    const auto cached = TRY(host_.externals.get(reference, check_key_.namespace_));
    Found found{.exists = cached.object != nullptr, .cache = cached.cache};
    if (cached.object) found.metadata = cached.object->metadata;
    return found;
  }
  if (!may_ask) return Found{};
  const auto answer = deps_.client.get(request_, key_of(machine), context_.deadline);
  if (!answer && answer.error().code == Code::NotFound) return Found{};
  if (!answer) return fail(answer.error());
  return Found{.exists = true, .metadata = TRY(api::from_json<api::ObjectMeta>(answer->at("metadata")))};
}

Result<void> RemediationRequests::create(const api::Machine& machine, const boost::json::value& source,
                                         const Found& found) {
  const auto request = TRY(api::contract::clone_from_template(
      source, {.namespace_ = check_key_.namespace_,
               .name = machine.metadata.name.str(),
               .cluster_name = check_.spec.cluster_name.str(),
               .owner = runtime::owner_reference(kube::resource_of<api::Machine>(), machine.metadata)}));
  const kube::ObjectKey key = key_of(machine);
  const kube::WriteOptions options{.field_manager = std::string(api::field_manager::kManager)};
  if (found.cache != nullptr) {
    TRY(host_.consistency.create(deps_.client, check_key_,
                                 {.cache = *found.cache, .resource = request_, .key = key},
                                 machine.metadata.uid, request, options, context_.deadline));
    return {};
  }
  const auto created = deps_.client.create(request_, key, request, options, context_.deadline);
  if (created || created.error().code == Code::AlreadyExists) return {};
  return fail(created.error());
}

std::optional<External> RemediationRequests::ask_for(const api::Machine& machine, Effects& effects) {
  const auto found = find(machine, true);
  if (!found) {  // never on a guess
    look_again(effects, kCacheRecheck);
    return std::nullopt;
  }
  if (found->exists) return judge_present(machine, *found, effects);
  const auto source =
      deps_.client.get(template_, {check_key_.namespace_, check_.spec.remediation.template_ref->name.str()},
                       context_.deadline);
  effects.template_found = source.has_value() && effects.template_found.value_or(true);
  if (!source) {
    look_again(effects, kTemplateRecheck);
    return External::NoTemplate;
  }
  const auto created = create(machine, *source, *found);
  effects.request_made = created.has_value() && effects.request_made.value_or(true);
  if (created) return External::Waiting;
  effects.errors.push_back(
      created.error().context(fmt::format("create {} {}", request_.kind, key_of(machine).describe())));
  return External::CreationFailed;
}

// One that is on its way out is nobody's answer to this Machine: another one is made when it is gone. Ours
// may be there although we died before we told of it.
std::optional<External> RemediationRequests::judge_present(const api::Machine& machine, const Found& found,
                                                           Effects& effects) const {
  if (found.metadata.deleting() || is_left_over(found.metadata, machine)) {
    look_again(effects, kUntilGone);
    return std::nullopt;
  }
  return made_for(machine, found) && says_it_is_missing(machine) ? std::optional(External::Waiting)
                                                                 : std::nullopt;
}

bool RemediationRequests::withdraw(const api::Machine& machine, bool turned, Effects& effects) {
  const auto found = find(machine, turned);
  if (!found) {
    look_again(effects, kCacheRecheck);
    return false;
  }
  if (!found->exists || found->metadata.deleting()) return true;
  if (!made_for(machine, *found)) return true;
  const auto key = key_of(machine);
  Result<void> removed = {};
  const auto clearance = claims::Clearance::of_child(found->metadata, machine.metadata.uid);
  if (!clearance) {
    removed = fail(clearance.error());
  } else if (found->cache != nullptr) {
    removed = claims::remove({.client = deps_.client,
                              .consistency = host_.consistency,
                              .key = check_key_,
                              .deadline = context_.deadline},
                             {.cache = *found->cache, .resource = request_, .key = key}, *clearance);
  } else {
    const auto answer = claims::remove({.client = deps_.client, .resource = request_, .key = key}, *clearance,
                                       context_.deadline);
    if (!answer && answer.error().code != Code::NotFound) removed = fail(answer.error());
  }
  if (!removed)
    effects.errors.push_back(
        removed.error().context(fmt::format("delete {} {}", request_.kind, key.describe())));
  return removed.has_value();
}

}  // namespace capstan::controllers::machinehealthcheck
