// spec.machineNaming.template: how names of new Machines are put together. Of Go's template language this
// much is understood: text, and {{ .cluster.name }}, {{ .machineSet.name }}, {{ .random }} with any blanks.
// Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace capstan::api {

inline constexpr std::string_view kDefaultMachineNaming = "{{ .machineSet.name }}-{{ .random }}";
// Has to appear literally: the validation that users know looks for exactly these characters.
inline constexpr std::string_view kRandomPart = "{{ .random }}";

struct NameParts {
  std::string_view cluster = {};
  std::string_view machine_set = {};
  std::string_view random = {};
};

// Invalid for anything beyond what is understood.
Result<std::string> render_name(std::string_view naming, const NameParts& parts);

// At most 63 characters: what is longer loses its end to five fresh random ones.
std::string fitting_name(std::string name, std::string_view fresh_random);

}  // namespace capstan::api
