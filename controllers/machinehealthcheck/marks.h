// What a verdict writes onto a Machine: HealthCheckSucceeded in both forms, and the mark that hands it to its
// owner or to a remediation provider. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "controllers/machinehealthcheck/checks.h"

namespace capstan::controllers::machinehealthcheck {

// The conditions of a Machine that a check writes, in both forms; absent where it has none of that type.
struct Marks {
  std::optional<api::Condition> health = {};
  std::optional<api::V1Beta1Condition> old_health = {};
  std::optional<api::Condition> owner = {};  // OwnerRemediated
  std::optional<api::V1Beta1Condition> old_owner = {};
  std::optional<api::Condition> external = {};  // ExternallyRemediated
  bool operator==(const Marks&) const = default;
};
Marks marks_of(const api::Machine& machine);
// `to` as marks_of() read it from a later state of the same Machine.
api::Machine with_marks(api::Machine machine, const Marks& to);

// Pending and undecided ones keep what they have.
void mark_health(const Verdict& verdict, api::Machine& machine, Time now);
// OwnerRemediated is False already where the owner is at work: it is left alone then.
void mark_for_owner(api::Machine& machine, Time now);

// Takes that back, where the owner has not begun.
void unmark_for_owner(api::Machine& machine);

// How far an external remediation has come.
enum class External { Waiting, NoTemplate, CreationFailed };
inline constexpr std::string_view kSeeLogs = "Please check controller logs for errors";
void mark_external(External how, std::string_view message, api::Machine& machine, Time now);

bool is_marked_unhealthy(const api::Machine& machine);
// Nothing of that would change: the usual case of thousands, which shall cost nothing.
bool is_marked_healthy(const api::Machine& machine);

std::span<const std::string_view> owned_machine_conditions();
std::span<const std::string_view> owned_v1beta1_machine_conditions();

}  // namespace capstan::controllers::machinehealthcheck
