// User data as an Ignition config (spec 3.0, which every Ignition 2 reads). Ignition runs no commands: a unit
// runs them once, from a file. Pure.
#pragma once

#include <string>

#include "bootstrap/user_data.h"

namespace capstan::bootstrap {

std::string ignition_text(const UserData& data);

}  // namespace capstan::bootstrap
