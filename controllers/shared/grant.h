// Notes on a Machine that it may be replaced for what it says of itself (controllers/lifecycle/judge.h): the
// one write with which the owner of the budget decides. Bound to the version that was seen, so that nothing
// is granted for what is over. Blocks as the client does.
#pragma once

#include <optional>

#include "api/v1beta2/machine.h"
#include "kube/client.h"

namespace capstan::controllers {

// Nothing when the Machine has gone meanwhile. When it has changed, that is an error, and fails the turn: the
// change may be one that wakes no owner.
Result<std::optional<api::ResourceVersion>> grant_replacement(kube::Client& client,
                                                              const api::Machine& machine,
                                                              const Deadline& deadline);

}  // namespace capstan::controllers
