// Certificates in PEM texts that hold several: taken apart, put together again. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"

namespace capstan::webhooks::certificates {

// One text each, ending in a line break; what stands around them is left out.
std::vector<std::string> certificates_in(std::string_view text);
// Those of them that can be read and have not expired.
std::vector<std::string> usable_certificates_in(std::string_view text, WallTime now);

std::string one_text(const std::vector<std::string>& certificates);
// Appends those that are not there yet.
void add_missing(std::vector<std::string>& certificates, const std::vector<std::string>& more);

}  // namespace capstan::webhooks::certificates
