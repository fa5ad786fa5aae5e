#include "webhooks/admission_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "api/bootstrap/cloud_config_rules.h"
#include "api/bootstrap/node_config_rules.h"
#include "api/driver/driver_rules.h"
#include "api/policy/fleet_policy_rules.h"
#include "api/policy/machine_lifecycle_policy_rules.h"
#include "api/schema/decode.h"
#include "api/schema/validate.h"
#include "api/v1beta2/cluster_rules.h"
#include "api/v1beta2/ip_address_rules.h"
#include "api/v1beta2/machine_deployment_rules.h"
#include "api/v1beta2/machine_drain_rule_rules.h"
#include "api/v1beta2/machine_health_check_rules.h"
#include "api/v1beta2/machine_pool_rules.h"
#include "api/v1beta2/machine_rules.h"
#include "api/v1beta2/machine_set_rules.h"
#include "base/try.h"
#include "webhooks/defaults_patch.h"

namespace capstan::webhooks {
namespace {

// What a review is about, read.
template <typename T>
struct Objects {
  T now = {};
  std::optional<T> before = {};
  // Finalizers come off an object on its way out whatever the rules of today say about its spec.
  bool only_leaves() const { return before && now.metadata.deleting() && now.spec == before->spec; }
  // Of our own kinds: what was stored before there was a rule goes on being labelled and owned.
  bool asks_nothing_new() const {
    return api::resource<T>.group != api::group::kCluster && before && now.spec == before->spec &&
           now.metadata.annotations == before->metadata.annotations;
  }
  const T* stored() const { return before ? &*before : nullptr; }
};

template <typename T>
Result<T> read_object(const api::RawJson& sent, std::string_view member) {
  if (sent.empty()) return fail(Code::Invalid, fmt::format("request.{} is missing", member));
  auto object = api::decode<T>(sent.text());
  if (!object) return fail(object.error().context(fmt::format("request.{}", member)));
  return object;
}

template <typename T>
Result<Objects<T>> read_objects(const AdmissionRequest& request) {
  Objects<T> seen{.now = TRY(read_object<T>(request.object, "object"))};
  if (request.operation == operation::kUpdate)
    seen.before = TRY(read_object<T>(request.old_object, "oldObject"));
  return seen;
}

bool stores_an_object(const AdmissionRequest& request) {
  return request.operation == operation::kCreate || request.operation == operation::kUpdate;
}

bool is_known(const AdmissionRequest& request) {
  return stores_an_object(request) || request.operation == operation::kDelete ||
         request.operation == operation::kConnect;
}

template <typename T>
Result<Verdict> defaulted(const AdmissionRequest& request, const AdmissionContext& /*context*/) {
  if (!stores_an_object(request)) return allowed();
  const auto seen = TRY(read_objects<T>(request));
  if (seen.only_leaves()) return allowed();
  T now = seen.now;
  if (const auto filled = apply_defaults(now, seen.stored()); !filled)
    return forbidden(filled.error().message);
  Verdict verdict = allowed();
  verdict.patch = defaults_patch(request.object, seen.now, now);
  return verdict;
}

template <typename T>
std::vector<std::string> warnings_about(const T& /*now*/, const Lookups& /*lookups*/) {
  return {};
}

std::vector<std::string> warnings_about(const api::MachineLifecyclePolicy& now, const Lookups& lookups) {
  constexpr std::size_t kMost = 3;  // more than a user reads; API servers cut the rest
  std::vector<std::string> warnings;
  for (const auto& contested : lookups.contested_by(now)) {
    warnings.push_back(
        fmt::format("{} is also selected by MachineLifecyclePolicy {}: no policy applies there; narrow "
                    "spec.selector until each object is selected once",
                    contested.object, fmt::join(contested.policies, ", ")));
    if (warnings.size() == kMost) break;
  }
  return warnings;
}

std::vector<std::string> warnings_about(const api::FleetPolicy& now, const Lookups& /*lookups*/) {
  if (api::is_the_fleet_policy(now)) return {};
  return {fmt::format("only the FleetPolicy that is called {} counts: this one is ignored",
                      api::policy::kFleetPolicyName)};
}

// What only another object can say about a new one.
template <typename T>
void check_others(const Objects<T>& /*seen*/, const Lookups& /*lookups*/, api::Causes& /*causes*/) {}

void check_others(const Objects<api::IpAddress>& seen, const Lookups& lookups, api::Causes& causes) {
  if (seen.before) return;
  const auto& metadata = seen.now.metadata;
  const auto pool = lookups.pool_asked_by(
      {.namespace_ = metadata.namespace_.str(), .name = seen.now.spec.claim_ref.name.str()});
  if (!pool)
    causes.push_back(
        api::field_internal_error("spec.claimRef", pool.error().context("read the claim").message));
  else if (*pool)
    api::rules::check_pool_of_claim(seen.now, **pool, causes);
}

// As upstream does it: 403 for the kinds of IPAM and for a kind whose gate is off as a whole, else 422.
template <typename T>
Verdict refused(const Objects<T>& seen, std::vector<Cause> causes, const AdmissionContext& context) {
  if (api::resource<T>.group == api::group::kIpam) return forbidden(sentence(causes));
  if constexpr (std::is_same_v<T, api::MachinePool>) {
    if (!context.gates.machine_pool)
      return forbidden(fmt::format("{}: {}", causes.front().field, causes.front().message));
  }
  return invalid(api::resource<T>, seen.now.metadata.name, std::move(causes));
}

template <typename T>
Result<Verdict> validated(const AdmissionRequest& request, const AdmissionContext& context) {
  if (!stores_an_object(request)) return allowed();
  const auto seen = TRY(read_objects<T>(request));
  if (seen.only_leaves() || seen.asks_nothing_new()) return allowed();
  auto causes = api::validate(seen.now, seen.stored(), context.gates);
  if (context.lookups != nullptr) check_others(seen, *context.lookups, causes);
  if (!causes.empty()) return refused(seen, std::move(causes), context);
  Verdict verdict = allowed();
  if (context.lookups != nullptr) verdict.warnings = warnings_about(seen.now, *context.lookups);
  return verdict;
}

// "/validate-cluster-x-k8s-io-v1beta2-machine"
std::string hook_path(std::string_view verb, const api::ResourceInfo& kind) {
  std::string path = fmt::format("/{}-{}-{}-{}", verb, kind.group, kind.version, kind.kind);
  std::ranges::transform(path, path.begin(), [](char c) {
    if (c == '.') return '-';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  return path;
}

template <typename T>
void add_defaulting(std::vector<AdmissionHook>& hooks) {
  const auto& kind = api::resource<T>;
  hooks.push_back({.path = hook_path("mutate", kind), .kind = &kind, .judge = defaulted<T>});
}

template <typename T>
void add_validation(std::vector<AdmissionHook>& hooks) {
  const auto& kind = api::resource<T>;
  hooks.push_back({.path = hook_path("validate", kind), .kind = &kind, .judge = validated<T>});
}

template <typename T>
void add_both(std::vector<AdmissionHook>& hooks) {
  add_defaulting<T>(hooks);
  add_validation<T>(hooks);
}

bool is_of(const ReviewedKind& asked, const api::ResourceInfo& kind) {
  return asked.group == kind.group && asked.version == kind.version && asked.kind == kind.kind;
}

Verdict judge(const AdmissionHook& hook, const AdmissionRequest& request, const AdmissionContext& context) {
  const auto& asked = request.kind;
  if (!is_known(request))
    return errored(verdict_code::kBadRequest,
                   fmt::format("unknown operation \"{}\"", request.operation.view()));
  if (!is_of(asked, *hook.kind)) {
    return errored(verdict_code::kBadRequest,
                   fmt::format("{} is for {}/{}, Kind={}, not for {}/{}, Kind={}", hook.path,
                               hook.kind->group, hook.kind->version, hook.kind->kind, asked.group.view(),
                               asked.version.view(), asked.kind.view()));
  }
  auto verdict = hook.judge(request, context);
  return verdict ? *std::move(verdict) : errored(verdict_code::kBadRequest, verdict.error().message);
}

}  // namespace

std::vector<AdmissionHook> admission_hooks() {
  std::vector<AdmissionHook> hooks;
  add_both<api::Cluster>(hooks);
  add_both<api::Machine>(hooks);
  add_both<api::MachineSet>(hooks);
  add_both<api::MachineDeployment>(hooks);
  add_both<api::MachinePool>(hooks);
  add_both<api::MachineHealthCheck>(hooks);
  add_validation<api::MachineDrainRule>(hooks);
  add_validation<api::IpAddress>(hooks);
  add_validation<api::IpAddressClaim>(hooks);
  add_validation<api::MachineLifecyclePolicy>(hooks);
  add_validation<api::FleetPolicy>(hooks);
  add_validation<api::DriverCluster>(hooks);
  add_validation<api::DriverMachine>(hooks);
  add_validation<api::DriverMachineTemplate>(hooks);
  add_validation<api::DriverMachinePool>(hooks);
  add_validation<api::CloudConfig>(hooks);
  add_validation<api::CloudConfigTemplate>(hooks);
  add_validation<api::NodeConfig>(hooks);
  return hooks;
}

std::string answer_review(const AdmissionHook& hook, std::string_view body, const AdmissionContext& context) {
  const auto request = read_review(body);
  if (!request) return review_text(uid_in(body), errored(verdict_code::kBadRequest, request.error().message));
  return review_text(request->uid, judge(hook, *request, context));
}

}  // namespace capstan::webhooks
