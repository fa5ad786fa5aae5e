// The roles of our packages, held against what all suites that run the product were seen to use: run last.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <fstream>
#include <iterator>

#include "api/schema/yaml.h"
#include "test/envtest/package_roles.h"
#include "test/envtest/role_usage.h"

namespace capstan::envtest {
namespace {

namespace json = boost::json;
using ::testing::IsEmpty;

const std::vector<std::string_view> kSuites = {
    "envtest_supervisor_test", "envtest_fleet_test",    "envtest_drain_test",        "envtest_pool_test",
    "envtest_health_test",     "envtest_webhooks_test", "envtest_certificates_test", "envtest_migration_test",
    "envtest_bootstrap_test",  "envtest_lifecycle_test"};

constexpr std::string_view kForAnAdmissionPlugin =
    "OwnerReferencesPermissionEnforcement asks for it, which kube-apiserver runs with only where it is told "
    "to";

constexpr std::string_view kForControlPlanes =
    "control plane providers run in test/interop, which installs the whole package";
constexpr std::string_view kForScrapes =
    "these suites run without diagnostics; the package's are scraped there";
constexpr std::string_view kForElection =
    "`capstan-dev provider`, which runs both providers here, elects nobody; `capstan-provider` does";
constexpr std::string_view kForTrouble = "Events of a provider tell of VMs that can't be had";
constexpr std::string_view kForPools = "only a pool with Machines that shrinks makes its provider do it";
constexpr std::string_view kForOrphans =
    "an orphan asks for its place after two lists of its account, which takes longer than these suites";
constexpr std::string_view kForUpgrades =
    "a CloudConfig of a manager before CloudConfig.status.bootstrapToken came has a finalizer, which is "
    "taken "
    "off";

struct Unseen {
  std::string_view permission;
  std::string_view why;
};
constexpr std::array kUnseen = {
    Unseen{"delete machinehealthchecks.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{"update clusters/finalizers.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{"update machinedeployments/finalizers.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{"update machinepools/finalizers.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{"update machines/finalizers.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{"update machinesets/finalizers.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{"update cloudconfigs/finalizers.bootstrap.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{"get *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{"list *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{"watch *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{"create *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{"patch *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{"delete *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{"create tokenreviews.authentication.k8s.io", kForScrapes},
    Unseen{"create subjectaccessreviews.authorization.k8s.io", kForScrapes},
    Unseen{"get leases.coordination.k8s.io", kForElection},
    Unseen{"list leases.coordination.k8s.io", kForElection},
    Unseen{"watch leases.coordination.k8s.io", kForElection},
    Unseen{"create leases.coordination.k8s.io", kForElection},
    Unseen{"update leases.coordination.k8s.io", kForElection},
    Unseen{"create events", kForTrouble},
    Unseen{"patch events", kForTrouble},
    Unseen{"delete drivermachines.infrastructure.cluster.x-k8s.io", kForPools},
    Unseen{"create drivermachines.infrastructure.cluster.x-k8s.io", kForPools},
    Unseen{"delete machines.cluster.x-k8s.io", kForPools},
    Unseen{"patch clusters.cluster.x-k8s.io", kForOrphans},
    Unseen{"patch cloudconfigs.bootstrap.cluster.x-k8s.io", kForUpgrades},
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Of all ClusterRoles and Roles of a file, one after the other.
json::value rules_in(const std::string& path) {
  json::array rules;
  const auto documents = api::parse_yaml_documents(text_of(path));
  EXPECT_TRUE(documents) << path;
  for (const json::value& document : documents.value_or(std::vector<json::value>())) {
    const auto* own = document.as_object().if_contains("rules");
    if (own != nullptr) rules.insert(rules.end(), own->as_array().begin(), own->as_array().end());
  }
  return rules;
}

// But for those that kUnseen explains.
std::vector<std::string> unused_rights_of(std::string_view user, const std::string& path) {
  auto entries = noted_requests(kSuites);
  EXPECT_TRUE(entries) << entries.error().describe();
  if (!entries) return {"nothing is known"};
  std::erase_if(*entries, [&](const AuditEntry& entry) { return entry.user != user; });
  auto unused = unused_permissions(rules_in(path), *entries);
  std::erase_if(unused, [](const std::string& permission) {
    return std::ranges::any_of(kUnseen, [&](const Unseen& one) { return one.permission == permission; });
  });
  return unused;
}

TEST(Roles, TheManagerHasNoRightThatNothingUses) {
  EXPECT_THAT(unused_rights_of(kManagerUser, "config/rbac/manager_role.yaml"), IsEmpty());
  EXPECT_THAT(unused_rights_of(kManagerUser, "config/rbac/leader_election_role.yaml"), IsEmpty());
}

TEST(Roles, SelfManagedCertificatesBringNoRightThatNothingUses) {
  EXPECT_THAT(unused_rights_of(kManagerUser, "config/self-managed/role.yaml"), IsEmpty());
}

TEST(Roles, TheProvidersHaveNoRightThatNothingUses) {
  EXPECT_THAT(unused_rights_of(kProvidersUser, "config/infrastructure/rbac.yaml"), IsEmpty());
  EXPECT_THAT(unused_rights_of(kProvidersUser, "config/bootstrap/rbac.yaml"), IsEmpty());
}

}  // namespace
}  // namespace capstan::envtest
