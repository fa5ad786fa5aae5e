#include "controllers/machine/ready_summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "api/conditions/conditions.h"
#include "api/conditions/merge.h"
#include "api/v1beta2/rules.h"
#include "base/version.h"
#include "controllers/rollout/new_set.h"
#include "controllers/rollout/template_diff.h"

namespace capstan::controllers::machine {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace reason = api::reason;
namespace status = api::status;

constexpr Seconds kLongDeletion = std::chrono::minutes(15);
constexpr Seconds kLongDrain = std::chrono::minutes(5);

conditions::SummaryRules rules_for(const api::Machine& machine, Time now);
std::string deletion_stage(const api::Machine& machine, const api::ConditionView& deleting, Time now);
conditions::Priority while_deleting(const api::ConditionView& each, conditions::Priority by_polarity);
void join_control_plane_lines(std::vector<std::string>& lines);
std::vector<std::string> outdated_because(const Observation& seen);
bool kubelet_differs(const api::Machine& machine);

}  // namespace

api::Condition ready(const api::Machine& machine, Time now) {
  auto summed = conditions::summary(machine.status.conditions, condition::kReady, rules_for(machine, now));
  if (summed) return *summed;
  return conditions::make(condition::kReady, status::kUnknown, reason::kInternalError,
                          summed.error().message);
}

Availability available(const api::Machine& machine, Time now) {
  const auto ready_now = conditions::find(machine.status.conditions, condition::kReady);
  if (ready_now == nullptr) {
    return {.condition = conditions::make(condition::kAvailable, status::kUnknown, reason::kInternalError)};
  }
  if (ready_now->status != status::kTrue) {
    return {.condition = conditions::make(condition::kAvailable, status::kFalse, reason::kNotReady)};
  }
  const Seconds left =
      Seconds(machine.spec.min_ready_seconds.value_or(0)) - (now - ready_now->last_transition_time);
  if (left <= Seconds(0)) {
    return {.condition = conditions::make(condition::kAvailable, status::kTrue, reason::kAvailable)};
  }
  return {.condition =
              conditions::make(condition::kAvailable, status::kFalse, reason::kWaitingForMinReadySeconds),
          .recheck = left};
}

std::optional<api::Condition> up_to_date(const Observation& seen, const api::Machine& machine) {
  if (!seen.machine_set || !seen.deployment) return std::nullopt;
  const auto reasons = outdated_because(seen);
  if (!reasons.empty()) {
    std::string message;
    for (const auto& each : reasons) message += (message.empty() ? "* " : "\n* ") + each;
    return conditions::make(condition::kUpToDate, status::kFalse, reason::kNotUpToDate, message);
  }
  const auto updating = conditions::find(machine.status.conditions, condition::kUpdating);
  if (updating != nullptr && updating->status == status::kTrue) {
    return conditions::make(condition::kUpToDate, status::kFalse, reason::kUpdating,
                            "* " + updating->message.str());
  }
  if (kubelet_differs(machine)) {
    return conditions::make(
        condition::kUpToDate, status::kFalse, reason::kUpdating,
        fmt::format("* Node.status.nodeInfo.kubeletVersion {}, {} required",
                    machine.status.node_info->kubelet_version.view(), machine.spec.version.view()));
  }
  return conditions::make(condition::kUpToDate, status::kTrue, reason::kUpToDate);
}

bool has_lost_its_template(const Observation& seen) {
  const auto& metadata = seen.machine->metadata;
  if (seen.machine_set) return !seen.deployment && seen.machine_set->metadata.controller() == nullptr;
  const bool of_a_set = std::ranges::any_of(*metadata.owner_references, [](const api::OwnerReference& owner) {
    return owner.kind == api::kind::kMachineSet && owner.group() == api::group::kCluster;
  });
  // A set that is not in the cache says nothing; a control plane judges its Machines itself.
  return !of_a_set && metadata.controller() == nullptr && !seen.is_control_plane();
}

std::optional<Seconds> rollout_due_in(const Observation& seen) {
  if (!seen.machine_set || !seen.deployment) return std::nullopt;
  const auto begin = rollout::begin_of_rollout_after(*seen.deployment);
  const bool is_old = !rollout::is_made_since(*seen.machine_set, seen.deployment->spec.rollout.after);
  return begin && *begin > seen.now && is_old ? std::optional(*begin - seen.now) : std::nullopt;
}

namespace {

// --- Ready ---

conditions::SummaryRules rules_for(const api::Machine& machine, Time now) {
  conditions::SummaryRules rules{
      .types = {condition::kDeleting, condition::kUpdating, condition::kBootstrapConfigReady,
                condition::kInfrastructureReady, condition::kNodeHealthy, condition::kHealthCheckSucceeded},
      .negative = {condition::kDeleting, condition::kUpdating},
      .ignore_if_missing = {condition::kHealthCheckSucceeded},
      .reasons = {.issue = reason::kNotReady, .unknown = reason::kReadyUnknown, .info = reason::kReady},
      .edit_lines = join_control_plane_lines};
  for (const auto& gate : machine.spec.readiness_gates) {
    if (std::ranges::find(rules.types, gate.condition_type.view()) != rules.types.end()) continue;
    rules.types.push_back(gate.condition_type);
    if (gate.negative()) rules.negative.push_back(gate.condition_type);
  }
  const auto deleting = conditions::find(machine.status.conditions, condition::kDeleting);
  if (!machine.metadata.deleting() || deleting == nullptr) return rules;
  rules.reprioritize = while_deleting;
  rules.overrides = {conditions::make(condition::kDeleting, deleting->status, deleting->reason,
                                      deletion_stage(machine, *deleting, now))};
  return rules;
}

// That the parts of a Machine go is no news while it goes.
conditions::Priority while_deleting(const api::ConditionView& each, conditions::Priority by_polarity) {
  constexpr std::array kExpected = {reason::kObjectDeleted, reason::kObjectDoesNotExist, reason::kNodeDeleted,
                                    reason::kNodeDoesNotExist};
  const bool expected = std::ranges::find(kExpected, each.reason.view()) != kExpected.end();
  return expected ? conditions::Priority::Info : by_polarity;
}

std::string likely_causes(std::string_view drain_message) {
  struct Cause {
    std::string_view word;
    std::string_view said;
  };
  constexpr std::array kCauses = {
      Cause{"PodDisruptionBudgets", "cannot evict pod as it would violate the pod's disruption budget."},
      Cause{"Pods not terminating", "deletionTimestamp set, but still not removed from the Node"},
      Cause{"Pod eviction errors", "failed to evict Pod"},
      Cause{"Pods not completed yet", "waiting for completion"}};
  std::string causes;
  for (const auto& cause : kCauses) {
    if (drain_message.find(cause.said) == std::string_view::npos) continue;
    causes += (causes.empty() ? "" : ", ") + std::string(cause.word);
  }
  return causes;
}

std::string deletion_stage(const api::Machine& machine, const api::ConditionView& deleting, Time now) {
  if (now - machine.metadata.deletion_timestamp <= kLongDeletion) {
    return fmt::format("Machine deletion in progress, stage: {}", deleting.reason.view());
  }
  std::string text =
      fmt::format("Machine deletion in progress since more than 15m, stage: {}", deleting.reason.view());
  const auto& marks = machine.status.deletion;
  if (deleting.reason != reason::kDrainingNode || !marks || !marks->node_drain_start_time.is_set())
    return text;
  if (now - marks->node_drain_start_time <= kLongDrain) return text;
  const std::string causes = likely_causes(deleting.message);
  return causes.empty() ? text : text + ", delay likely due to " + causes;
}

bool is_control_plane_line(std::string_view line) {
  return std::ranges::any_of(
      std::array{"* APIServer", "* ControllerManager", "* Scheduler", "* EtcdPodHealthy:"},
      [&](std::string_view start) { return line.starts_with(start); });
}

// Several components that say the same say it once.
void join_control_plane_lines(std::vector<std::string>& lines) {
  const auto text_of = [](std::string_view line) { return line.substr(line.find(':') + 1); };
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_control_plane_line(lines[i])) found.push_back(i);
  }
  const bool same = std::ranges::all_of(
      found, [&](std::size_t i) { return text_of(lines[i]) == text_of(lines[found.front()]); });
  if (found.size() < 2 || !same) return;
  lines[found.front()] = fmt::format("* Control plane components:{}", text_of(lines[found.front()]));
  for (std::size_t i = found.size(); i-- > 1;)
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(found[i]));
}

// --- UpToDate ---

std::string without_template_suffix(std::string_view kind) {
  if (kind.ends_with(api::kind::kTemplateSuffix)) kind.remove_suffix(api::kind::kTemplateSuffix.size());
  return std::string(kind);
}

bool same_ref(const api::ContractRef& left, const api::ContractRef& right) {
  return left.api_group == right.api_group && left.kind == right.kind && left.name == right.name;
}

std::string_view or_nil(const std::optional<Text>& text) { return text ? text->view() : "nil"; }

void compare_bootstrap(const api::MachineBootstrap& is, const api::MachineBootstrap& wanted,
                       std::vector<std::string>& reasons) {
  if (wanted.config_ref) {
    if (is.config_ref && same_ref(*is.config_ref, *wanted.config_ref)) return;
    reasons.push_back(without_template_suffix(wanted.config_ref->kind) + " is not up-to-date");
    return;
  }
  if (is.data_secret_name == wanted.data_secret_name && !is.config_ref) return;
  reasons.push_back(fmt::format("spec.bootstrap.dataSecretName {}, {} required", or_nil(is.data_secret_name),
                                or_nil(wanted.data_secret_name)));
}

// What the set makes against what the deployment wants: the Machine's own spec has no say.
std::vector<std::string> outdated_because(const Observation& seen) {
  const api::MachineSpec& is = seen.machine_set->spec.machine_template.spec;
  const api::MachineSpec& wanted = seen.deployment->spec.machine_template.spec;
  Text version = wanted.version;
  api::rules::prefix_version(version);  // as the MachineDeployment controller reads it
  std::vector<std::string> reasons;
  if (is.version != version) {
    reasons.push_back(fmt::format("Version {}, {} required", is.version.view(), version.view()));
  }
  compare_bootstrap(is.bootstrap, wanted.bootstrap, reasons);
  if (!same_ref(is.infrastructure_ref, wanted.infrastructure_ref)) {
    reasons.push_back(without_template_suffix(wanted.infrastructure_ref.kind) + " is not up-to-date");
  }
  if (is.failure_domain != wanted.failure_domain) {
    reasons.push_back(fmt::format("Failure domain {}, {} required", is.failure_domain.view(),
                                  wanted.failure_domain.view()));
  }
  const auto forced = rollout::forced_difference(seen.machine_set->spec.machine_template,
                                                 seen.deployment->spec.machine_template);
  if (forced) reasons.push_back(*forced);
  const auto begin = rollout::begin_of_rollout_after(*seen.deployment);
  const bool is_old = !rollout::is_made_since(*seen.machine_set, seen.deployment->spec.rollout.after);
  if (begin && *begin <= seen.now && is_old) {
    reasons.emplace_back("MachineDeployment spec.rolloutAfter expired");
  }
  return reasons;
}

// Distributions add suffixes of their own (+k3s1, -eks-...): only the three numbers count.
bool kubelet_differs(const api::Machine& machine) {
  if (machine.status.node_info->kubelet_version.empty()) return false;
  if (machine.spec.version.empty()) return false;
  const auto runs = Version::parse_tolerant(machine.status.node_info->kubelet_version);
  const auto wanted = Version::parse_tolerant(machine.spec.version);
  if (!runs || !wanted) return machine.status.node_info->kubelet_version != machine.spec.version;
  return std::tuple{runs->major, runs->minor, runs->patch} !=
         std::tuple{wanted->major, wanted->minor, wanted->patch};
}

}  // namespace
}  // namespace capstan::controllers::machine
