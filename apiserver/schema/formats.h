// The string formats schemas name. Formats we do not know accept everything, as the real server does. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace capstan::apiserver {

bool has_format(std::string_view format, std::string_view text);

bool is_date_time(std::string_view text);  // RFC 3339
bool is_base64(std::string_view text);
std::size_t first_bad_base64(std::string_view text);

}  // namespace capstan::apiserver
