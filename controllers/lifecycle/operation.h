// What is being done to a Machine or was done last, in the words of its condition capstan.dev/Lifecycle:
// "HealthCheck Processing NodeNotReady: Ready is False; since 2026-01-01T12:00:00Z". Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/v1beta2/machine.h"
#include "base/time.h"
#include "controllers/lifecycle/wellness.h"

namespace capstan::controllers::lifecycle {

enum class OperationType { Create, Update, HealthCheck, Delete };
enum class OperationState { Processing, Failed, Successful };
std::string_view to_string(OperationType type);
std::string_view to_string(OperationState state);

struct Operation {
  OperationType type = OperationType::Create;
  OperationState state = OperationState::Processing;
  std::string code = {};  // empty: none
  std::string text = {};  // empty: nothing more to say
};

// `before`: what was said of the same phase; while the operation is the same its time stays. `ignored`: lines
// that follow.
std::string describe(const Operation& operation, Time now, std::string_view before,
                     std::span<const std::string> ignored);
bool is_said_by(std::string_view message, const Operation& operation);
// Whether a message that describe() has made is about that.
bool is_about(std::string_view message, OperationType type);
// Its code, as describe() has put it into a message; empty: it has none.
std::string_view code_in(std::string_view message);

// --- the operations there are ---

Operation waiting_for_vm(const api::Machine& machine);
// The provider says that it could not make the VM; nothing: it does not.
std::optional<Operation> creation_trouble(const api::Machine& machine);
Operation waiting_for_node(const api::Machine& machine);
Operation creation_too_long(Seconds timeout);
Operation creation_done();
Operation not_well(OperationType type, const Wellness& wellness);
// With these the Machine is replaced without waiting for its health timeout.
inline constexpr std::string_view kReplaceRequested = "ReplaceRequested";
inline constexpr std::string_view kNodeDeleted = "NodeDeleted";
Operation replace_requested(std::string_view by);
Operation node_deleted(std::string_view node);
Operation well_again();
Operation updating();
Operation update_failed(std::string_view why);  // in place
Operation deleting();

}  // namespace capstan::controllers::lifecycle
