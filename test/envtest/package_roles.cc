#include "test/envtest/package_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>

#include "base/try.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;

constexpr int kNotAllowed = 403;
constexpr std::array kProviderParts = {"infrastructure", "bootstrap"};

Result<std::string> done(const Result<CommandOutcome>& outcome, std::string_view what) {
  if (!outcome) return fail(outcome.error().context(std::string(what)));
  if (outcome->exit_code == 0) return outcome->out;
  return fail(Code::Internal, fmt::format("{}: {}", what, outcome->err));
}

Result<void> apply(const RealServers& servers, std::string_view what, std::vector<std::string> words,
                   std::string input = {}) {
  words.insert(words.begin(), "apply");
  TRY(done(servers.run_kubectl(std::move(words), std::move(input)), what));
  return {};
}

Result<void> make_namespace(const RealServers& servers, std::string_view name) {
  return apply(servers, name, {"-f=-"},
               fmt::format("{{apiVersion: v1, kind: Namespace, metadata: {{name: {}}}}}", name));
}

Result<void> give_role(const RealServers& servers, std::string_view role, std::string_view user) {
  TRY(done(servers.run_kubectl({"create", "clusterrolebinding", fmt::format("{}-of-the-test", role),
                                fmt::format("--clusterrole={}", role), fmt::format("--user={}", user)}),
           role));
  return {};
}

bool is_installed(const AuditEntry& entry) {
  const bool of_a_package = entry.user.starts_with("system:serviceaccount:capi-system:") ||
                            entry.user.starts_with("system:serviceaccount:capstan-");
  return of_a_package && entry.agent.starts_with("capstan");
}
bool is_ours(const AuditEntry& entry) { return entry.user == kManagerUser || entry.user == kProvidersUser; }

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }
fs::path note_path(std::string_view name) {
  return program_folder() / "role-usage" / fmt::format("{}.txt", name);
}

}  // namespace

Result<fs::path> manager_kubeconfig(const RealServers& servers) {
  TRY(make_namespace(servers, "capi-system"));
  TRY(apply(servers, "install config/rbac", {"-k=config/rbac"}));
  TRY(give_role(servers, "capi-manager-role", kManagerUser));
  return servers.kubeconfig_for(kManagerUser, "");
}

Result<fs::path> providers_kubeconfig(const RealServers& servers) {
  for (const std::string_view part : kProviderParts) {
    TRY(make_namespace(servers, fmt::format("capstan-{}-system", part)));
    TRY(apply(servers, "install the roles of a provider", {fmt::format("-f=config/{}/rbac.yaml", part)}));
    TRY(give_role(servers, fmt::format("capstan-{}-manager-role", part), kProvidersUser));
  }
  return servers.kubeconfig_for(kProvidersUser, "");
}

std::vector<std::string> forbidden_requests(const std::vector<AuditEntry>& entries) {
  std::vector<std::string> refused;
  for (const AuditEntry& entry : entries)
    if (is_ours(entry) && entry.code == kNotAllowed) refused.push_back(entry.verb + " " + entry.uri);
  return refused;
}

std::vector<std::string> forbidden_to_installed(const std::vector<AuditEntry>& entries) {
  std::vector<std::string> refused;
  for (const AuditEntry& entry : entries)
    if (is_installed(entry) && entry.code == kNotAllowed)
      refused.push_back(fmt::format("{}: {} {}", entry.user, entry.verb, entry.uri));
  return refused;
}

// One line for each sort of request: user, verb, code, resource, group ("-" for the core one).
Result<void> note_requests(std::string_view name, const std::vector<AuditEntry>& entries) {
  std::set<std::string> lines;
  for (const AuditEntry& entry : entries)
    if (is_ours(entry) && entry.code != kNotAllowed)
      lines.insert(fmt::format("{} {} {} {} {}\n", entry.user, entry.verb, entry.code, entry.resource,
                               entry.group.empty() ? "-" : entry.group));
  const fs::path path = note_path(name);
  fs::create_directories(path.parent_path());
  std::ofstream note(path);
  for (const std::string& line : lines) note << line;
  return note.good() ? Result<void>() : fail(Code::Internal, "can't write " + path.string());
}

Result<std::vector<AuditEntry>> noted_requests(const std::vector<std::string_view>& names) {
  std::vector<AuditEntry> entries;
  for (const std::string_view name : names) {
    const fs::path path = note_path(name);
    if (!fs::exists(path) || fs::last_write_time(path) < fs::last_write_time(program_folder() / "capstan"))
      return fail(Code::NotFound,
                  fmt::format("{} has not run with these programs: run scripts/envtest whole", name));
    std::ifstream note(path);
    for (std::string line; std::getline(note, line);) {
      AuditEntry entry;
      std::istringstream(line) >> entry.user >> entry.verb >> entry.code >> entry.resource >> entry.group;
      if (entry.group == "-") entry.group.clear();
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

}  // namespace capstan::envtest
