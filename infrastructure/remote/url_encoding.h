// Percent-encoding, as forms and query strings have it. A pure function.
#pragma once

#include <string>
#include <string_view>

namespace capstan::infrastructure::remote {

// Everything but letters, digits and "-._~".
std::string url_encoded(std::string_view text);

}  // namespace capstan::infrastructure::remote
