#include "controllers/machineset/preflight.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/names.h"
#include "base/version.h"

namespace capstan::controllers::machineset {
namespace {

namespace check = api::preflight;

constexpr std::int64_t kOldestMinor = 3;  // so many minors a kubelet may be behind its API server

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> words(std::string_view list) {
  std::vector<std::string_view> found;
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (const auto word = trimmed(list.substr(0, comma)); !word.empty()) found.push_back(word);
    list.remove_prefix(comma == list.npos ? list.size() : comma + 1);
  }
  return found;
}

std::string_view without_v(std::string_view version) {
  return version.starts_with('v') ? version.substr(1) : version;
}

class Checker {
 public:
  explicit Checker(const PreflightQuestion& question)
      : question_(question), skipped_(words(question.skipped)) {}

  Preflight run() {
    if (nothing_to_check()) return {};
    const ControlPlaneSeen& control_plane = question_.control_plane;
    if (!control_plane.problem.empty())
      return {.error = control_plane.problem, .made_soon = control_plane.listed_soon};
    if (!question_.control_plane.version) return {};
    if (wanted(check::kControlPlaneIsStable)) check_stable();
    if (!question_.machine_version.empty()) check_versions();
    return std::move(result_);
  }

 private:
  bool nothing_to_check() const {
    return question_.enabled.empty() || std::ranges::find(skipped_, check::kAll) != skipped_.end() ||
           !question_.control_plane.referenced;
  }

  bool wanted(std::string_view name) const {
    const auto enabled = [&](std::string_view which) {
      return std::ranges::find(question_.enabled, which) != question_.enabled.end();
    };
    return (enabled(check::kAll) || enabled(name)) && std::ranges::find(skipped_, name) == skipped_.end();
  }

  void fail_check(std::string_view name, std::string_view why) {
    result_.failed.push_back(fmt::format("{} (\"{}\" preflight check failed)", why, name));
  }

  void check_stable() {
    const ControlPlaneSeen& control_plane = question_.control_plane;
    const auto unstable = [&](const std::string& why) {
      fail_check(check::kControlPlaneIsStable, control_plane.described + " " + why);
    };
    const auto& topology = question_.topology_version;
    if (topology && *topology != *control_plane.version && question_.upgrade_step != *control_plane.version) {
      return unstable("has a pending version upgrade to " + *topology);
    }
    if (control_plane.provisioning) return unstable("is provisioning");
    if (control_plane.upgrading) return unstable("is upgrading");
  }

  void check_versions() {
    const auto machines = Version::parse_tolerant(question_.machine_version);
    const auto control_plane = Version::parse_tolerant(*question_.control_plane.version);
    if (!machines) {
      result_.error = "spec.template.spec.version: " + machines.error().message;
      return;
    }
    if (!control_plane) {
      result_.error = question_.control_plane.described + ": spec.version: " + control_plane.error().message;
      return;
    }
    // Minors only, as upstream; a difference, so that a very old control plane can't wrap around.
    const auto ahead =
        static_cast<std::int64_t>(machines->minor) - static_cast<std::int64_t>(control_plane->minor);
    const std::string both =
        fmt::format("MachineSet version ({}) and ControlPlane version ({})",
                    without_v(question_.machine_version), without_v(*question_.control_plane.version));
    if (wanted(check::kKubernetesVersionSkew)) check_kubernetes_skew(ahead, both);
    if (wanted(check::kKubeadmVersionSkew) && question_.kubeadm && ahead != 0) {
      fail_check(check::kKubeadmVersionSkew,
                 both +
                     " do not conform to kubeadm version skew policy as kubeadm only supports joining "
                     "with the same major+minor version as the control plane");
    }
    if (wanted(check::kControlPlaneVersionSkew) && question_.topology_version) check_propagated();
  }

  void check_kubernetes_skew(std::int64_t ahead, const std::string& both) {
    const std::string policy = both + " do not conform to the kubernetes version skew policy as MachineSet ";
    if (ahead > 0) {
      fail_check(check::kKubernetesVersionSkew, policy + "version is higher than ControlPlane version");
    }
    if (ahead < -kOldestMinor) {
      fail_check(check::kKubernetesVersionSkew,
                 policy + "version is more than 3 minor versions older than the ControlPlane version");
    }
  }

  void check_propagated() {
    const std::string_view is = question_.machine_version;
    const std::string& wanted_version = *question_.control_plane.version;
    if (is == wanted_version) return;
    fail_check(check::kControlPlaneVersionSkew,
               fmt::format("MachineSet version ({}) is not yet the same as the ControlPlane version ({}), "
                           "waiting for version to be propagated to the MachineSet",
                           without_v(is), without_v(wanted_version)));
  }

  const PreflightQuestion& question_;
  const std::vector<std::string_view> skipped_;
  Preflight result_ = {};
};

}  // namespace

Preflight preflight(const PreflightQuestion& question) { return Checker(question).run(); }

}  // namespace capstan::controllers::machineset
