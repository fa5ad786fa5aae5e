#include "api/bootstrap/node_config_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "api/bootstrap/names.h"
#include "api/schema/validate.h"

namespace capstan::api {
namespace {

constexpr std::int32_t kUsualMaxFailed = 1;
constexpr std::string_view kServiceSuffix = ".service";
// What the fields of spec.kubelet mean when they are left out.
constexpr std::string_view kKubeconfig = "/etc/kubernetes/kubelet.conf";
constexpr std::string_view kBootstrapKubeconfig = "/etc/kubernetes/bootstrap-kubelet.conf";
constexpr std::string_view kConfiguration = "/var/lib/kubelet/config.yaml";
constexpr std::string_view kBinary = "/usr/local/bin/kubelet";

// Where capstan-agent keeps the facts of its birth and what it has done.
constexpr std::array<std::string_view, 2> kAgentFolders = {"/etc/capstan/", "/var/lib/capstan-agent/"};

bool has_step(std::string_view path, std::string_view step) {
  const std::string inside = fmt::format("/{}/", step);
  return path.contains(inside) || path.ends_with(inside.substr(0, inside.size() - 1));
}

// One way to spell a path, so that two of them are alike only when they are the same.
std::string_view fault_of(std::string_view path) {
  if (!path.starts_with('/')) return "must be an absolute path";
  if (path.ends_with('/')) return "must name a file";
  if (path.contains("//") || has_step(path, ".") || has_step(path, ".."))
    return "must be without //, /./ and /../";
  return {};
}

bool is_agents(std::string_view path) {
  return path == kAgentProgram || path == kAgentUnitFile ||
         std::ranges::any_of(kAgentFolders,
                             [&](std::string_view folder) { return path.starts_with(folder); });
}

// The paths of one NodeConfig: each is written by one field.
class Paths {
 public:
  explicit Paths(Causes& causes) : causes_(causes) {}

  void take(const std::string& field, std::string_view path) {
    if (!check(field, path)) return;
    if (is_agents(path))
      causes_.push_back(field_forbidden(field, fmt::format("{} belongs to capstan-agent", path)));
    else if (!taken_.insert(std::string(path)).second)
      causes_.push_back(field_duplicate(field, quoted(path)));
  }
  bool check(const std::string& field, std::string_view path) {
    const std::string_view fault = fault_of(path);
    if (!fault.empty()) causes_.push_back(field_invalid(field, quoted(path), fault));
    return fault.empty();
  }

 private:
  Causes& causes_;
  std::set<std::string, std::less<>> taken_;
};

std::string_view or_usual(std::string_view wanted, std::string_view usual) {
  return wanted.empty() ? usual : wanted;
}

bool is_service(std::string_view unit) {
  return unit.size() > kServiceSuffix.size() && unit.ends_with(kServiceSuffix) && !unit.contains('/');
}

// The files of the kubelet come first, so that a file that meets one is what is refused.
void check_kubelet(const NodeConfigKubelet& kubelet, Paths& paths, Causes& causes) {
  const std::string at = "spec.kubelet";
  paths.take(at + ".kubeconfigPath", or_usual(kubelet.kubeconfig_path, kKubeconfig));
  paths.take(at + ".bootstrapKubeconfigPath",
             or_usual(kubelet.bootstrap_kubeconfig_path, kBootstrapKubeconfig));
  if (!kubelet.configuration.empty())
    paths.take(at + ".configurationPath", or_usual(kubelet.configuration_path, kConfiguration));
  if (!kubelet.binaries.empty()) paths.take(at + ".binaryPath", or_usual(kubelet.binary_path, kBinary));
  if (!kubelet.unit.empty() && !is_service(kubelet.unit))
    causes.push_back(field_invalid(at + ".unit", quoted(kubelet.unit), "must be the name of a service"));
  std::set<std::string_view> versions;
  for (std::size_t i = 0; i < kubelet.binaries.size(); ++i)
    if (!versions.insert(kubelet.binaries[i].version).second)
      causes.push_back(field_duplicate(fmt::format("{}.binaries[{}].version", at, i),
                                       quoted(kubelet.binaries[i].version)));
}

void check_unit(const std::string& at, const NodeConfigUnit& unit, Paths& paths, Causes& causes) {
  if (unit.name == kAgentUnit)
    causes.push_back(field_forbidden(at + ".name", fmt::format("{} belongs to capstan-agent", kAgentUnit)));
  else if (!unit.content.empty())
    paths.take(at + ".name", fmt::format("{}{}", kUnitFolder, unit.name.view()));
  for (std::size_t i = 0; i < unit.file_paths.size(); ++i)
    paths.check(fmt::format("{}.filePaths[{}]", at, i), unit.file_paths[i]);
}

void check_units(const List<NodeConfigUnit>& units, Paths& paths, Causes& causes) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::string at = fmt::format("spec.units[{}]", i);
    if (names.insert(units[i].name).second)
      check_unit(at, units[i], paths, causes);
    else
      causes.push_back(field_duplicate(at + ".name", quoted(units[i].name)));
  }
}

}  // namespace

std::int32_t max_failed(const NodeConfigApply& apply) { return apply.max_failed.value_or(kUsualMaxFailed); }

Causes validate(const NodeConfig& now, const NodeConfig* before, const Gates& /*gates*/) {
  Causes causes;
  rules::check_cluster_name_unchanged(now.spec.cluster_name,
                                      before == nullptr ? nullptr : &before->spec.cluster_name, causes);
  Paths paths(causes);
  check_kubelet(now.spec.kubelet, paths, causes);
  check_units(now.spec.units, paths, causes);
  for (std::size_t i = 0; i < now.spec.files.size(); ++i)
    paths.take(fmt::format("spec.files[{}].path", i), now.spec.files[i].path);
  return causes;
}

}  // namespace capstan::api
