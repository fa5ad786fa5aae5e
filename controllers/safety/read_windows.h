// The windows of a policy as they are acted upon: cron expressions read, time zones looked up in the files of
// the system. Safe from any thread; blocks for a small file.
#pragma once

#include <span>
#include <string>

#include "api/policy/safety.h"
#include "controllers/safety/windows.h"

namespace capstan::controllers::safety {

// `of`: whose they are, "MachineLifecyclePolicy care". What can't be understood never opens, and says why.
Windows read_windows(std::span<const api::PolicyWindow> windows, std::string of);

}  // namespace capstan::controllers::safety
