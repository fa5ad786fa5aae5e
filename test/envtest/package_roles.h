// The roles of our packages on a server of a test: the programs of the product run with these and no other
// rights. What they used is kept for the suite that asks for the uses of all suites together (roles_test.cc).
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "test/envtest/audit.h"
#include "test/envtest/real_servers.h"

namespace capstan::envtest {

// As a server names the ServiceAccounts of the packages.
inline constexpr std::string_view kManagerUser = "system:serviceaccount:capi-system:capi-manager";
inline constexpr std::string_view kProvidersUser = "capstan-providers";

// A policy of an audit log: who asked for what, once each.
inline constexpr std::string_view kAuditRequests = R"(
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- {level: Metadata}
)";

// Installs config/rbac and gives a kubeconfig of the manager's account. Its ClusterRole is bound as it
// stands, for no controller sums up roles here.
Result<std::filesystem::path> manager_kubeconfig(const RealServers& servers);
// ... of one user with the ClusterRoles of both providers, as `capstan-dev provider` runs both.
Result<std::filesystem::path> providers_kubeconfig(const RealServers& servers);

// "patch /apis/...": what these users were refused for want of a right.
std::vector<std::string> forbidden_requests(const std::vector<AuditEntry>& entries);
// ... and these programs of ours were, under any of the accounts that our packages bring; upstream's under
// one of them are not.
std::vector<std::string> forbidden_to_installed(const std::vector<AuditEntry>& entries);

// Notes which requests the manager and the providers made, beside the programs; a later note of the same name
// takes its place.
Result<void> note_requests(std::string_view name, const std::vector<AuditEntry>& entries);
// Of all notes; an error when one that is named is missing or older than the programs.
Result<std::vector<AuditEntry>> noted_requests(const std::vector<std::string_view>& names);

}  // namespace capstan::envtest
