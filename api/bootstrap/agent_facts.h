// What user data give capstan-agent at birth, in a file. Rendered by bootstrap/, read by agent/.
#pragma once

#include "api/v1beta2/common.h"

namespace capstan::api {

struct AgentFacts {
  Text server = {};                     // https://host:port of the workload cluster
  FreeText certificate_authority = {};  // PEM
  FreeText token = {};                  // the bootstrap token, until the machine has joined
  Text namespace_ = {};                 // of Machine (or pool) and NodeConfig
  Text machine = {};                    // name of the Machine; the pool's for instances of a pool
  std::optional<bool> pool = {};  // an instance of a pool: identity and Node name come from the host name
  Text version = {};              // the Machine's spec.version
  Text node_config = {};          // name of the NodeConfig
  Text secret = {};               // name of its Secret in kube-system
  UnknownFields unknown = {};
  bool operator==(const AgentFacts&) const = default;
};
template <>
inline constexpr auto members<AgentFacts> = std::array{
    member<&AgentFacts::server>("server", {.required = true}),
    member<&AgentFacts::certificate_authority>("certificateAuthority", {.required = true}),
    member<&AgentFacts::token>("token", {}),
    member<&AgentFacts::namespace_>("namespace", {.required = true}),
    member<&AgentFacts::machine>("machine", {.required = true}),
    member<&AgentFacts::pool>("pool", {}),
    member<&AgentFacts::version>("version", {}),
    member<&AgentFacts::node_config>("nodeConfig", {.required = true}),
    member<&AgentFacts::secret>("secret", {.required = true}),
};

}  // namespace capstan::api
