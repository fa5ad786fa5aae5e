// Who the agent is to the API server, how its certificate stands, and with which credentials it asks for the
// next one. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/bootstrap/agent_facts.h"
#include "base/instant.h"
#include "net/pki.h"

namespace capstan::agent {

// An instance of a pool is named by its host name, for the user data is the same for all.
std::string machine_name(const api::AgentFacts& facts, std::string_view host_name);
net::Subject subject_of(const api::AgentFacts& facts, std::string_view host_name);

enum class Standing { Missing, Good, Due, Past };
std::string_view to_string(Standing standing);

struct Validity {
  WallTime not_before = {};
  WallTime not_after = {};
  WallTime received = {};  // by this machine's clock; unset: not known
};
// Due after 80 % of its life. Its age counts from when it came, by one and the same clock: one that is an
// hour off neither renews at once nor too late. Whether it still counts is the API server's to say.
Standing standing(const Validity& certificate, WallTime now);

enum class Credential { Token, Own, Kubelet };
std::string_view to_string(Credential credential);
// In this order, until one is let in.
std::vector<Credential> askers(Standing certificate, bool has_token, bool has_joined);

// "node1" of "system:node:node1"; empty for other names.
std::string node_name(std::string_view common_name);

}  // namespace capstan::agent
