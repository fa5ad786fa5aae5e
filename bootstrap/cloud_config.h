// User data in cloud-init's format. Pure.
#pragma once

#include <string>

#include "bootstrap/user_data.h"

namespace capstan::bootstrap {

std::string cloud_config_text(const UserData& data);

}  // namespace capstan::bootstrap
