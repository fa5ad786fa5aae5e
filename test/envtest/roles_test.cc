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
    "the admission plugin OwnerReferencesPermissionEnforcement asks for it, which these servers run without";

constexpr std::string_view kForTopologies =
    "a health check of a topology goes with its MachineDeployment, which test/interop shows beside "
    "upstream's core";
constexpr std::string_view kForControlPlanes =
    "control plane providers run in test/interop, which installs the whole package";
constexpr std::string_view kForScrapes =
    "these suites run without diagnostics; the package's are scraped there";
constexpr std::string_view kForElection =
    "`capstan-dev provider`, which runs both providers here, elects nobody; `capstan-provider` does";
constexpr std::string_view kForTrouble = "Events of a provider are about VMs that can't be had";
constexpr std::string_view kForPools =
    "an instance of a shrinking pool goes by the deletion of its Machine, and by this one where there is "
    "none yet";
constexpr std::string_view kForOrphans =
    "an orphan asks for its place after two lists of its account, which takes longer than these suites";
constexpr std::string_view kForUpgrades =
    "a CloudConfig of a manager before CloudConfig.status.bootstrapToken came has a finalizer, which is "
    "taken off";

constexpr const char* kManager = "config/rbac/manager_role.yaml";
constexpr const char* kElection = "config/rbac/leader_election_role.yaml";
constexpr const char* kSelfManaged = "config/self-managed/role.yaml";
constexpr const char* kInfrastructure = "config/infrastructure/rbac.yaml";
constexpr const char* kBootstrap = "config/bootstrap/rbac.yaml";

// A right of one role that these suites do not use. The same right of another role needs a row of its own.
struct Unseen {
  const char* role;
  std::string_view permission;
  std::string_view why;
};
constexpr std::array kUnseen = {
    Unseen{kManager, "delete machinehealthchecks.cluster.x-k8s.io", kForTopologies},
    Unseen{kManager, "update clusters/finalizers.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{kManager, "update machinedeployments/finalizers.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{kManager, "update machinepools/finalizers.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{kManager, "update machines/finalizers.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{kManager, "update machinesets/finalizers.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{kManager, "get *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{kManager, "list *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{kManager, "watch *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{kManager, "create *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{kManager, "patch *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{kManager, "delete *.controlplane.cluster.x-k8s.io", kForControlPlanes},
    Unseen{kManager, "create tokenreviews.authentication.k8s.io", kForScrapes},
    Unseen{kManager, "create subjectaccessreviews.authorization.k8s.io", kForScrapes},
    Unseen{kInfrastructure, "create tokenreviews.authentication.k8s.io", kForScrapes},
    Unseen{kInfrastructure, "create subjectaccessreviews.authorization.k8s.io", kForScrapes},
    Unseen{kInfrastructure, "get leases.coordination.k8s.io", kForElection},
    Unseen{kInfrastructure, "list leases.coordination.k8s.io", kForElection},
    Unseen{kInfrastructure, "watch leases.coordination.k8s.io", kForElection},
    Unseen{kInfrastructure, "create leases.coordination.k8s.io", kForElection},
    Unseen{kInfrastructure, "update leases.coordination.k8s.io", kForElection},
    Unseen{kInfrastructure, "create events", kForTrouble},
    Unseen{kInfrastructure, "patch events", kForTrouble},
    Unseen{kInfrastructure, "delete drivermachines.infrastructure.cluster.x-k8s.io", kForPools},
    Unseen{kInfrastructure, "patch clusters.cluster.x-k8s.io", kForOrphans},
    Unseen{kBootstrap, "create tokenreviews.authentication.k8s.io", kForScrapes},
    Unseen{kBootstrap, "create subjectaccessreviews.authorization.k8s.io", kForScrapes},
    Unseen{kBootstrap, "get leases.coordination.k8s.io", kForElection},
    Unseen{kBootstrap, "list leases.coordination.k8s.io", kForElection},
    Unseen{kBootstrap, "watch leases.coordination.k8s.io", kForElection},
    Unseen{kBootstrap, "create leases.coordination.k8s.io", kForElection},
    Unseen{kBootstrap, "update leases.coordination.k8s.io", kForElection},
    Unseen{kBootstrap, "create events", kForTrouble},
    Unseen{kBootstrap, "patch events", kForTrouble},
    Unseen{kBootstrap, "update cloudconfigs/finalizers.bootstrap.cluster.x-k8s.io", kForAnAdmissionPlugin},
    Unseen{kBootstrap, "patch cloudconfigs.bootstrap.cluster.x-k8s.io", kForUpgrades},
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

std::vector<std::string> rows_of(std::string_view role) {
  std::vector<std::string> permissions;
  for (const Unseen& one : kUnseen)
    if (one.role == role) permissions.emplace_back(one.permission);
  return permissions;
}

// What of the role is used and what kUnseen says of it, held against each other.
void expect_used(std::string_view user, const char* role) {
  auto entries = noted_requests(kSuites);
  ASSERT_TRUE(entries) << entries.error().describe();
  std::erase_if(*entries, [&](const AuditEntry& entry) { return entry.user != user; });
  const auto unused = unused_permissions(rules_in(role), *entries);

  EXPECT_THAT(without(unused, rows_of(role)), IsEmpty()) << role << ": nothing uses these";
  EXPECT_THAT(without(rows_of(role), unused), IsEmpty())
      << role << ": kUnseen has rows of what is used or gone";
}

TEST(Roles, TheManagerHasNoRightThatNothingUses) {
  expect_used(kManagerUser, kManager);
  expect_used(kManagerUser, kElection);
}

TEST(Roles, SelfManagedCertificatesBringNoRightThatNothingUses) { expect_used(kManagerUser, kSelfManaged); }

TEST(Roles, TheProvidersHaveNoRightThatNothingUses) {
  expect_used(kProvidersUser, kInfrastructure);
  expect_used(kProvidersUser, kBootstrap);
}

}  // namespace
}  // namespace capstan::envtest
