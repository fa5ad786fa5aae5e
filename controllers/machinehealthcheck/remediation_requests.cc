#include "controllers/machinehealthcheck/remediation_requests.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/contract/template_clone.h"
#include "api/names.h"
#include "base/try.h"
#include "controllers/claims/removal.h"
#include "controllers/machinehealthcheck/request_rules.h"
#include "controllers/shared/recheck.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

constexpr Seconds kTemplateRecheck{30};
constexpr Seconds kCacheRecheck{1};

}  // namespace

std::string RemediationRequests::message_of(External how) const {
  switch (how) {
    case External::Waiting: return {};
    case External::NoTemplate: return missing_template(check_);
    case External::CreationFailed: return std::string(kSeeLogs);
  }
  return {};
}

kube::ObjectKey RemediationRequests::key_of(const api::Machine& machine) const {
  return {.namespace_ = check_key_.namespace_, .name = machine.metadata.name.str()};
}

// From the cache, where the kind keeps the contract; otherwise by a request.
Result<RemediationRequests::Found> RemediationRequests::find(const api::Machine& machine) {
  const kube::Resource kind = request_kind(check_);
  const api::ContractRef reference{
      .api_group = Text(kind.group), .kind = Text(kind.kind), .name = machine.metadata.name};
  if (with_.host.externals.resolve(kind.group, kind.kind)) {
    const auto cached = TRY(with_.host.externals.get(reference, check_key_.namespace_));
    Found found{.exists = cached.object != nullptr, .cache = cached.cache};
    if (cached.object) found.metadata = cached.object->metadata;
    return found;
  }
  const auto answer = with_.deps.client.get(kind, key_of(machine), with_.context.deadline);
  if (!answer && answer.error().code == Code::NotFound) return Found{};
  if (!answer) return fail(answer.error());
  return Found{.exists = true, .metadata = TRY(api::from_json<api::ObjectMeta>(answer->at("metadata")))};
}

Result<void> RemediationRequests::create(const api::Machine& machine, const boost::json::value& source,
                                         const Found& found) {
  const kube::Resource kind = request_kind(check_);
  const auto request = TRY(api::contract::clone_from_template(
      source, {.namespace_ = check_key_.namespace_,
               .name = machine.metadata.name.str(),
               .cluster_name = check_.spec.cluster_name.str(),
               .owner = runtime::owner_reference(kube::resource_of<api::Machine>(), machine.metadata)}));
  const kube::ObjectKey key = key_of(machine);
  const kube::WriteOptions options{.field_manager = std::string(api::field_manager::kManager)};
  if (found.cache != nullptr) {
    TRY(with_.host.consistency.create(with_.deps.client, check_key_,
                                      {.cache = *found.cache, .resource = kind, .key = key},
                                      machine.metadata.uid, request, options, with_.context.deadline));
    return {};
  }
  const auto created = with_.deps.client.create(kind, key, request, options, with_.context.deadline);
  if (created || created.error().code == Code::AlreadyExists) return {};
  return fail(created.error());
}

std::optional<External> RemediationRequests::ask_for(const api::Machine& machine, Effects& effects) {
  const auto found = find(machine);
  if (!found) {  // never on a guess
    recheck_within(effects.recheck, kCacheRecheck);
    return std::nullopt;
  }
  if (found->exists) return shown_of_present(machine, *found, effects);
  const kube::ObjectKey source_key{.namespace_ = check_key_.namespace_,
                                   .name = check_.spec.remediation.template_ref->name.str()};
  const auto source = with_.deps.client.get(template_kind(check_), source_key, with_.context.deadline);
  effects.template_found = source.has_value() && effects.template_found.value_or(true);
  if (!source) {
    effects.template_problem = missing_template(check_);
    recheck_within(effects.recheck, kTemplateRecheck);
    return External::NoTemplate;
  }
  const auto created = create(machine, *source, *found);
  effects.request_made = created.has_value() && effects.request_made.value_or(true);
  if (created) return External::Waiting;
  effects.errors.push_back(created.error().context(
      fmt::format("create {} {}", request_kind(check_).kind, key_of(machine).describe())));
  return External::CreationFailed;
}

std::optional<External> RemediationRequests::shown_of_present(const api::Machine& machine, const Found& found,
                                                              Effects& effects) const {
  const Presence presence = judge_request(check_, machine, found.metadata);
  if (presence == Presence::Leaving) recheck_within(effects.recheck, kUntilRequestGone);
  return presence == Presence::Unsaid ? std::optional(External::Waiting) : std::nullopt;
}

bool RemediationRequests::withdraw(const api::Machine& machine, Effects& effects) {
  const auto found = find(machine);
  if (!found) {
    recheck_within(effects.recheck, kCacheRecheck);
    return false;
  }
  if (!found->exists || found->metadata.deleting()) return true;
  if (!is_request_of(check_, machine, found->metadata)) return true;
  const auto removed = remove(machine, *found);
  if (!removed)
    effects.errors.push_back(removed.error().context(
        fmt::format("delete {} {}", request_kind(check_).kind, key_of(machine).describe())));
  return removed.has_value();
}

Result<void> RemediationRequests::remove(const api::Machine& machine, const Found& found) {
  const auto clearance = TRY(claims::Clearance::of_child(found.metadata, machine.metadata.uid));
  const kube::Resource kind = request_kind(check_);
  const auto key = key_of(machine);
  if (found.cache != nullptr)
    return claims::remove({.client = with_.deps.client,
                           .consistency = with_.host.consistency,
                           .key = check_key_,
                           .deadline = with_.context.deadline},
                          {.cache = *found.cache, .resource = kind, .key = key}, clearance);
  const auto answer = claims::remove({.client = with_.deps.client, .resource = kind, .key = key}, clearance,
                                     with_.context.deadline);
  if (!answer && answer.error().code != Code::NotFound) return fail(answer.error());
  return {};
}

}  // namespace capstan::controllers::machinehealthcheck
