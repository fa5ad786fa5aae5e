// A list of VMs in pages that each fit into an answer, for drivers of this process. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "infrastructure/remote/messages.h"
#include "infrastructure/vm.h"

namespace capstan::infrastructure::remote {

// The VMs behind the one whose provider ID is `after`, in the order of their provider IDs: a VM that comes or
// goes between two pages moves no other one out of them.
ListAnswer page_of(std::vector<Vm> vms, std::string_view after);

}  // namespace capstan::infrastructure::remote
