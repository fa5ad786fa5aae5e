// The files of a machine's user data, as the image would write them. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace capstan::joining {

// Contents by path. `format` is "cloud-config", "ignition" or "script"; a text that is none throws.
std::map<std::string, std::string> files_in(std::string_view format, std::string_view text);

}  // namespace capstan::joining
