#include "api/bootstrap/cloud_config_rules.h"

#include <fmt/core.h>

#include <set>

#include "api/schema/validate.h"

namespace capstan::api {
namespace {

// A path is written once, and the machine's facts are the provider's to write.
void check_files(std::string_view at, const CloudConfigSpec& spec, Causes& causes) {
  std::set<std::string_view> taken;
  for (std::size_t i = 0; i < spec.files.size(); ++i) {
    const std::string_view path = spec.files[i].path;
    const std::string field = fmt::format("{}.files[{}].path", at, i);
    if (path == kMachineFactsFile)
      causes.push_back(field_forbidden(field, fmt::format("{} is written by the provider", path)));
    else if (!taken.insert(path).second)
      causes.push_back(field_duplicate(field, quoted(path)));
  }
}

}  // namespace

Causes validate(const CloudConfig& now, const CloudConfig* /*before*/, const Gates& /*gates*/) {
  Causes causes;
  check_files("spec", now.spec, causes);
  return causes;
}

Causes validate(const CloudConfigTemplate& now, const CloudConfigTemplate* /*before*/,
                const Gates& /*gates*/) {
  Causes causes;
  check_files("spec.template.spec", now.spec.template_.spec, causes);
  rules::check_template_metadata(now.spec.template_.metadata, causes);
  return causes;
}

}  // namespace capstan::api
