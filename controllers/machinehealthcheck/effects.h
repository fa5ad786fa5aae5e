// What became of a plan. A plain value.
#pragma once

#include <optional>
#include <vector>

#include "api/v1beta2/machine_health_check.h"
#include "base/result.h"

namespace capstan::controllers::machinehealthcheck {

struct Effects {
  api::MachineHealthCheck check = {};  // as the server has it after our patch of its metadata
  std::vector<Error> errors = {};
  std::optional<Nanoseconds> recheck = {};
  // Nothing: no template was read, no request was made in this turn.
  std::optional<bool> template_found = {};
  std::optional<bool> request_made = {};
  std::string template_problem = {};
};

}  // namespace capstan::controllers::machinehealthcheck
