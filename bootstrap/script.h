// User data as a shell script, for images that run their user data and know neither cloud-init's format nor
// Ignition. Needs a POSIX shell, coreutils and, for the host name, hostnamectl. Pure.
#pragma once

#include <string>

#include "bootstrap/user_data.h"

namespace capstan::bootstrap {

std::string script_text(const UserData& data);

}  // namespace capstan::bootstrap
