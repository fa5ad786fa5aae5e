// What is to become of a CloudConfig: the text of its data Secret, or why there is none yet. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/secret.h"
#include "bootstrap/controller/observe.h"
#include "runtime/paused.h"

namespace capstan::bootstrap::controller {

enum class Step {
  Rest,
  Wait,     // for `reason`
  Create,   // the data Secret
  Restore,  // the status: the Machine has its data already
};

struct Plan {
  Step step = Step::Rest;
  runtime::Paused paused = {};
  Secret<std::string> value = {};  // Create
  std::string secret_name = {};    // Create, Restore
  std::string_view reason = {};
  std::string message = {};
  bool report_wait = false;  // it takes so long, or is so wrong, that people should know
  std::optional<Seconds> recheck = {};
};

Plan decide(const Observation& seen);

}  // namespace capstan::bootstrap::controller
