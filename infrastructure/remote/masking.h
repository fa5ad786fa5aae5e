// What a driver says is shown to people on objects, in Events and logs: credential values and user data that
// it repeats are replaced, and what is no plain short text is made one. No state; safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "infrastructure/driver.h"

namespace capstan::infrastructure::remote {

inline constexpr std::string_view kMask = "***";
inline constexpr std::size_t kMostMessageBytes = 1024;

// Without any value of the credentials, nor one of its lines, as it is, in base64 or URL-encoded; without the
// user data in the same way; on one line and no longer than kMostMessageBytes.
std::string presentable(std::string_view message, const Credentials& credentials,
                        std::string_view user_data = {});
DriverError presentable(DriverError error, const Credentials& credentials, std::string_view user_data = {});

}  // namespace capstan::infrastructure::remote
