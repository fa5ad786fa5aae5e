// How much may be remediated at once: the short-circuits of a MachineHealthCheck. The one place where a
// further reason to hold still belongs (a brake, the shared cause of many failures). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "controllers/machinehealthcheck/observation.h"

namespace capstan::controllers::machinehealthcheck {

struct Counts {
  std::int32_t targets = 0;
  std::int32_t healthy = 0;
  std::int32_t unhealthy = 0;  // found sick, that is; others have no Node yet, or are about to be judged
  bool operator==(const Counts&) const = default;
};

// Reason of RemediationAllowed while a brake is shut.
inline constexpr std::string_view kHeld = "RemediationHeld";
// While spec.remediation.templateRef names a template that no request may be made from.
inline constexpr std::string_view kTemplateRefused = "RemediationTemplateRefused";

struct Allowance {
  enum class State {
    Allowed,
    Restricted,  // too many are not healthy
    Held,        // a brake is shut
    Refused,     // requests would be of a kind that Machines themselves are made of
    Invalid,     // the limits make no sense
  };
  State state = State::Allowed;
  std::int32_t remediations_allowed = 0;
  std::string message = {};  // of any but Allowed
  bool allowed() const { return state == State::Allowed; }
  bool operator==(const Allowance&) const = default;
};

Allowance allowance(const api::RemediationTrigger& limits, const Counts& counts,
                    const runtime::Verdict& brake);

}  // namespace capstan::controllers::machinehealthcheck
