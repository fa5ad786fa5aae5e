// What user data leaves open until its VM has a name. A pure function.
#pragma once

#include <string>
#include <string_view>

#include "base/secret.h"
#include "infrastructure/codes.h"

namespace capstan::infrastructure {

// With `name` in place of each <<MACHINE_NAME>>, plain or URL-encoded. InvalidArgument when it still asks for
// <<BOOTSTRAP_TOKEN>>: the bootstrap provider has the tokens, and a VM without one would never join.
DriverResult<Secret<std::string>> user_data_of(std::string_view name, const Secret<std::string>& user_data);

}  // namespace capstan::infrastructure
