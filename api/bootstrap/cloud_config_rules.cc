#include "api/bootstrap/cloud_config_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "api/bootstrap/names.h"
#include "api/bootstrap/node_config_rules.h"
#include "api/schema/validate.h"

namespace capstan::api {
namespace {

constexpr std::string_view kKubeadmBootstrapKubeconfig = "/etc/kubernetes/bootstrap-kubelet.conf";
constexpr std::string_view kKubeadmAuthority = "/etc/kubernetes/pki/ca.crt";

// A path is written once, and some are the provider's to write.
void check_files(std::string_view at, const CloudConfigSpec& spec, Causes& causes) {
  const auto provided = provided_paths(spec);
  std::set<std::string_view> taken;
  for (std::size_t i = 0; i < spec.files.size(); ++i) {
    const std::string_view path = spec.files[i].path;
    const std::string field = fmt::format("{}.files[{}].path", at, i);
    if (std::ranges::find(provided, path) != provided.end())
      causes.push_back(field_forbidden(field, fmt::format("{} is written by the provider", path)));
    else if (!taken.insert(path).second)
      causes.push_back(field_duplicate(field, quoted(path)));
  }
}

// The provider's own files must not meet each other.
void check_join(std::string_view at, const CloudConfigSpec& spec, Causes& causes) {
  if (!spec.join && spec.node_config_ref)
    causes.push_back(field_required(fmt::format("{}.join", at), "nodeConfigRef is for machines that join"));
  if (!spec.join) return;
  const auto provided = provided_paths(spec);
  const auto check = [&](std::string_view field, std::string_view path) {
    if (std::ranges::count(provided, path) > 1)
      causes.push_back(field_duplicate(fmt::format("{}.join.{}", at, field), quoted(path)));
  };
  check("bootstrapKubeconfigPath", bootstrap_kubeconfig_path(*spec.join));
  check("certificateAuthorityPath", certificate_authority_path(*spec.join));
}

}  // namespace

std::string_view bootstrap_kubeconfig_path(const CloudConfigJoin& join) {
  const std::string_view wanted = join.bootstrap_kubeconfig_path;
  return wanted.empty() ? kKubeadmBootstrapKubeconfig : wanted;
}

std::string_view certificate_authority_path(const CloudConfigJoin& join) {
  const std::string_view wanted = join.certificate_authority_path;
  return wanted.empty() ? kKubeadmAuthority : wanted;
}

std::vector<std::string_view> provided_paths(const CloudConfigSpec& spec) {
  std::vector<std::string_view> paths = {kMachineFactsFile};
  if (spec.format == bootstrap_format::kIgnition) {
    paths.push_back(kIgnitionHostnameFile);
    paths.push_back(kIgnitionCommandsFile);
  }
  if (spec.join) {
    paths.push_back(certificate_authority_path(*spec.join));
    paths.push_back(bootstrap_kubeconfig_path(*spec.join));
  }
  if (spec.node_config_ref) {
    paths.push_back(bootstrap::kAgentFactsFile);
    paths.push_back(kAgentUnitFile);
  }
  return paths;
}

Causes validate(const CloudConfig& now, const CloudConfig* /*before*/, const Gates& /*gates*/) {
  Causes causes;
  check_files("spec", now.spec, causes);
  check_join("spec", now.spec, causes);
  return causes;
}

Causes validate(const CloudConfigTemplate& now, const CloudConfigTemplate* /*before*/,
                const Gates& /*gates*/) {
  Causes causes;
  check_files("spec.template.spec", now.spec.template_.spec, causes);
  check_join("spec.template.spec", now.spec.template_.spec, causes);
  rules::check_template_metadata(now.spec.template_.metadata, causes);
  return causes;
}

}  // namespace capstan::api
