#include "api/v1beta2/naming.h"

#include <fmt/core.h>

#include "base/name_limits.h"
#include "base/try.h"

namespace capstan::api {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

Result<std::string_view> value_of(std::string_view action, const NameParts& parts) {
  const auto variable = trimmed(action);
  if (variable == ".cluster.name") return parts.cluster;
  if (variable == ".machineSet.name") return parts.machine_set;
  if (variable == ".random") return parts.random;
  return fail(Code::Invalid,
              fmt::format("{{{{{}}}}} is none of {{{{ .cluster.name }}}}, {{{{ .machineSet.name }}}}, "
                          "{{{{ .random }}}}",
                          action));
}

}  // namespace

Result<std::string> render_name(std::string_view naming, const NameParts& parts) {
  std::string name;
  for (;;) {
    const std::size_t open = naming.find("{{");
    name += naming.substr(0, open);
    if (open == std::string_view::npos) return name;
    naming.remove_prefix(open + 2);
    const std::size_t close = naming.find("}}");
    if (close == std::string_view::npos) return fail(Code::Invalid, "{{ without }}");
    name += TRY(value_of(naming.substr(0, close), parts));
    naming.remove_prefix(close + 2);
  }
}

std::string fitting_name(std::string name, std::string_view fresh_random) {
  if (name.size() <= kMaxNameLength) return name;
  name.resize(kMaxNameLength - fresh_random.size());
  return name + std::string(fresh_random);
}

}  // namespace capstan::api
