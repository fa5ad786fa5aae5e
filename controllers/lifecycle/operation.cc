#include "controllers/lifecycle/operation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "base/duration.h"

namespace capstan::controllers::lifecycle {
namespace {

constexpr std::string_view kSince = "; since ";

std::string head_of(const Operation& operation) {
  return fmt::format("{} {}{}{}{}{}", to_string(operation.type), to_string(operation.state),
                     operation.code.empty() ? "" : " ", operation.code, operation.text.empty() ? "" : ": ",
                     operation.text);
}

// Providers give reasons to their conditions as they like. Most of those that tell of a creation in vain end
// like this; others tell what is being waited for.
bool tells_of_failure(std::string_view reason) {
  namespace driver = api::driver::reason;
  constexpr std::array kOurs = {driver::kResourceExhausted, driver::kInstanceKeyTaken,
                                driver::kCredentialsUnreadable, driver::kBootstrapDataUnreadable};
  return reason.ends_with("Failed") || reason.ends_with("Error") || reason.ends_with("Exhausted") ||
         std::ranges::find(kOurs, reason) != kOurs.end();
}

}  // namespace

std::string_view to_string(OperationType type) {
  switch (type) {
    case OperationType::Create: return "Create";
    case OperationType::Update: return "Update";
    case OperationType::HealthCheck: return "HealthCheck";
    case OperationType::Delete: return "Delete";
  }
  return {};
}

std::string_view to_string(OperationState state) {
  switch (state) {
    case OperationState::Processing: return "Processing";
    case OperationState::Failed: return "Failed";
    case OperationState::Successful: return "Successful";
  }
  return {};
}

std::string describe(const Operation& operation, Time now, std::string_view before,
                     std::span<const std::string> ignored) {
  std::string message = head_of(operation) + std::string(kSince);
  const std::string at = now.to_string();
  message += is_said_by(before, operation) ? std::string(before.substr(message.size(), at.size())) : at;
  for (const std::string& line : ignored) message += "\n* " + line;
  return message;
}

bool is_said_by(std::string_view message, const Operation& operation) {
  return message.starts_with(head_of(operation) + std::string(kSince));
}

bool is_about(std::string_view message, OperationType type) {
  const std::string_view name = to_string(type);
  return message.starts_with(name) && message.substr(name.size()).starts_with(' ');
}

// "HealthCheck Processing NodeDeleted: Node n1 ...": the third word, if the first two end without a colon.
std::string_view code_in(std::string_view message) {
  std::string_view head = message.substr(0, message.find_first_of(":;"));
  for (int word = 0; word < 2; ++word) {
    const auto space = head.find(' ');
    if (space == head.npos) return {};
    head.remove_prefix(space + 1);
  }
  return head;
}

Operation waiting_for_vm(const api::Machine& machine) {
  return {.type = OperationType::Create,
          .text = fmt::format("waiting for {} {}", machine.spec.infrastructure_ref.kind.view(),
                              machine.spec.infrastructure_ref.name.view())};
}

std::optional<Operation> creation_trouble(const api::Machine& machine) {
  const auto ready = api::conditions::find(machine.status.conditions, api::condition::kInfrastructureReady);
  if (ready == nullptr || ready->status != api::status::kFalse || !tells_of_failure(ready->reason.view()))
    return std::nullopt;
  return Operation{.type = OperationType::Create,
                   .state = OperationState::Failed,
                   .code = ready->reason.str(),
                   .text = fmt::format("{} {} is tried again, see InfrastructureReady",
                                       machine.spec.infrastructure_ref.kind.view(),
                                       machine.spec.infrastructure_ref.name.view())};
}

Operation waiting_for_node(const api::Machine& machine) {
  return {.type = OperationType::Create,
          .text = fmt::format("waiting for a Node with providerID {}", machine.spec.provider_id.view())};
}

Operation creation_too_long(Seconds timeout) {
  return {.type = OperationType::Create,
          .state = OperationState::Failed,
          .code = "CreationTimeout",
          .text = fmt::format("not Running within {} of its creation", format_duration(timeout))};
}

Operation creation_done() { return {.type = OperationType::Create, .state = OperationState::Successful}; }

Operation not_well(OperationType type, const Wellness& wellness) {
  const bool by_taint = wellness.well();
  return {
      .type = type,
      .code = std::string(by_taint ? "TaintsLeft" : wellness.code),
      .text = fmt::format("{}", fmt::join(by_taint ? wellness.blocking_taints : wellness.troubles, ", "))};
}

Operation replace_requested(std::string_view by) {
  return {
      .type = OperationType::HealthCheck, .code = std::string(kReplaceRequested), .text = std::string(by)};
}

Operation node_deleted(std::string_view node) {
  return {.type = OperationType::HealthCheck,
          .code = std::string(kNodeDeleted),
          .text = fmt::format("Node {} is gone, the API server says", node)};
}

Operation well_again() { return {.type = OperationType::HealthCheck, .state = OperationState::Successful}; }

Operation updating() { return {.type = OperationType::Update}; }

Operation update_failed(std::string_view why) {
  return {.type = OperationType::Update, .state = OperationState::Failed, .text = std::string(why)};
}

Operation deleting() { return {.type = OperationType::Delete}; }

}  // namespace capstan::controllers::lifecycle
