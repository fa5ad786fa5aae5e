// The content of a CloudConfig's data Secret, and the actions that store it. Pure.
#pragma once

#include <optional>

#include "bootstrap/controller/observation.h"
#include "bootstrap/controller/plan.h"

namespace capstan::bootstrap::controller {

// Of an observation with owner and Cluster. `token`: nothing: no spec.join; an empty one: a control plane's.
// Nothing when it can't be rendered or is too large; then the plan waits for the user and says why.
std::optional<Rendered> rendered(const Observation& seen, const std::optional<Token>& token, Plan& plan);

// Creates the data Secret, if it can be rendered.
void create_secret(const Observation& seen, const std::optional<Token>& token, Plan& plan);
void create_secret(const Observation& seen, Rendered content, Plan& plan);

}  // namespace capstan::bootstrap::controller
