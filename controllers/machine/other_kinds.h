// Looks for a Machine's infrastructure object under another kind or name than its reference has, when what
// that names is not there: the reference may hold a typo, or was edited when the instance was running
// already. Asks the API server; used once before a deletion passes for which no DELETE of the object was
// sent, and every half a minute while such an object is waited for.
#pragma once

#include <string>

#include "api/core/custom_resource_definition.h"
#include "api/v1beta2/machine.h"
#include "base/deadline.h"
#include "kube/client.h"
#include "runtime/store.h"

namespace capstan::controllers::machine {

// "DockerMachine default/m1"; empty: there is none. It is an object that the Machine controls, or that
// nothing controls and that names the Machine's instance (spec.providerID).
Result<std::string> other_infrastructure(kube::Client& client,
                                         const runtime::Store<api::CustomResourceDefinition>& crds,
                                         const api::Machine& machine, const Deadline& deadline);

}  // namespace capstan::controllers::machine
