#include "agent/identity.h"

#include <algorithm>

#include "api/bootstrap/names.h"

namespace capstan::agent {
namespace {

constexpr std::string_view kNodePrefix = "system:node:";

char small_letter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

// A kubelet names its Node after its host, in small letters.
std::string machine_name(const api::AgentFacts& facts, std::string_view host_name) {
  if (!facts.pool.value_or(false)) return facts.machine.str();
  std::string name(host_name);
  std::ranges::transform(name, name.begin(), small_letter);
  return name;
}

net::Subject subject_of(const api::AgentFacts& facts, std::string_view host_name) {
  using api::bootstrap::kAgentGroupPrefix;
  using api::bootstrap::kAgentUserPrefix;
  const std::string space = facts.namespace_.str() + ":";
  return {.common_name = std::string(kAgentUserPrefix) + space + machine_name(facts, host_name),
          .organizations = {std::string(kAgentGroupPrefix) + space + facts.node_config.str()}};
}

std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::Missing: return "missing";
    case Standing::Good: return "good";
    case Standing::Due: return "due";
    case Standing::Past: return "past";
  }
  return "";
}

Standing standing(const Validity& certificate, WallTime now) {
  const auto lifetime = certificate.not_after - certificate.not_before;
  const bool known = certificate.received != WallTime() && certificate.received <= now;
  const auto age = now - (known ? certificate.received : certificate.not_before);
  if (age >= lifetime) return Standing::Past;
  return age >= lifetime / 5 * 4 ? Standing::Due : Standing::Good;
}

std::string_view to_string(Credential credential) {
  switch (credential) {
    case Credential::Token: return "bootstrap token";
    case Credential::Own: return "own certificate";
    case Credential::Kubelet: return "kubelet's certificate";
  }
  return "";
}

std::vector<Credential> askers(Standing certificate, bool has_token, bool has_joined) {
  std::vector<Credential> asking;
  if (certificate == Standing::Good) return asking;
  if (certificate == Standing::Due) asking.push_back(Credential::Own);
  if (has_joined) asking.push_back(Credential::Kubelet);
  if (has_token) asking.push_back(Credential::Token);
  return asking;
}

std::string node_name(std::string_view common_name) {
  if (!common_name.starts_with(kNodePrefix)) return {};
  return std::string(common_name.substr(kNodePrefix.size()));
}

}  // namespace capstan::agent
