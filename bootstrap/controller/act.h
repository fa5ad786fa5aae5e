// Creates the data Secret. Its name is fixed, so a repeated try finds the first one's work. Blocks as the
// client does.
#pragma once

#include <optional>
#include <string>

#include "bootstrap/controller/decide.h"
#include "kube/client.h"
#include "runtime/reconcile.h"

namespace capstan::bootstrap::controller {

struct Effects {
  bool has_secret = false;
  std::string taken = {};  // a Secret of another owner stands in the way: for the condition
  std::optional<Error> error = {};
};

Effects act(kube::Client& client, const runtime::Context& context, const Observation& seen, const Plan& plan);

}  // namespace capstan::bootstrap::controller
