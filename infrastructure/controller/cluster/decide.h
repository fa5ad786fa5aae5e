// What is to become of a DriverCluster and the control plane behind it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "infrastructure/controller/cluster/observe.h"
#include "runtime/paused.h"

namespace capstan::infrastructure::cluster {

enum class Step {
  Rest,
  Wait,    // for `reason`
  Ensure,  // a control plane, its endpoint, its authority's Secret
  Trust,   // the user gave an endpoint: take it as it is
  Remove,  // the control plane, then the finalizer
};

struct Plan {
  Step step = Step::Rest;
  runtime::Paused paused = {};
  std::string_view reason = {};
  std::string message = {};
  std::optional<Seconds> recheck = {};
};

Plan decide(const Observation& seen);

}  // namespace capstan::infrastructure::cluster
