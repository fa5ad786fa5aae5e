// Looks at tokens and requests for certificates as the workload cluster has them.
#include <algorithm>

#include "test/joining/promises.h"
#include "test/joining/stage.h"

namespace capstan::joining {
namespace {

namespace json = boost::json;
using bootstrap::Token;

struct TokenSeen {
  Token token = {};
  std::string machine = {};  // of the CloudConfig it was made for
};

std::vector<TokenSeen> live_tokens(JoiningStage& stage) {
  std::vector<TokenSeen> live;
  const Time now = Time::from(stage.baton.now());
  for (const auto& stored : stage.workload_api.stored_all("", "secrets")) {
    const json::value secret(*stored);
    auto token = bootstrap::read_token(secret);
    const auto config = token ? bootstrap::config_in(secret) : std::nullopt;
    if (!config) continue;
    stage.token_owners[token->id] = config->name;
    if (token->expires > now) live.push_back({.token = std::move(*token), .machine = config->name});
  }
  return live;
}

std::vector<Token> of(const SimMachine& machine, const std::vector<TokenSeen>& all) {
  std::vector<Token> its;
  for (const TokenSeen& seen : all)
    if (seen.machine == machine.name) its.push_back(seen.token);
  return its;
}

void check_number(JoiningStage& stage, SimMachine& machine, std::size_t live) {
  const SteadyTime now = stage.baton.steady_now();
  if (live <= 1) machine.two_tokens.reset();
  if (live > 1 && !machine.two_tokens) machine.two_tokens = now;
  if (machine.two_tokens) stage.broke(several_tokens(machine.name, live, now - *machine.two_tokens));
}

// A token whose creation comes late, when its owner has settled, ends by its expiry: docs/bootstrap.md.
void check_end(JoiningStage& stage, const SimMachine& machine, const std::vector<Token>& live) {
  const Nanoseconds since = stage.baton.steady_now() - std::max(*machine.settled, stage.last_trouble);
  for (const Token& token : live)
    if (token.created < machine.settled_at) stage.broke(token_outlives(machine.name, token.id, since));
}

void check_use(JoiningStage& stage, const SimMachine& machine, const std::vector<Token>& live) {
  const std::string text = machine.vm->token();
  const bool is_live = std::ranges::any_of(live, [&](const Token& token) { return token.text() == text; });
  stage.broke(token_lost(machine.name, text.substr(0, text.find('.')), is_live));
}

void check_tokens(JoiningStage& stage) {
  const auto all = live_tokens(stage);
  for (auto& [name, machine] : stage.machines) {
    const auto live = of(machine, all);
    check_number(stage, machine, live.size());
    if (machine.settled)
      check_end(stage, machine, live);
    else if (machine.vm)
      check_use(stage, machine, live);
  }
}

std::string asked_by(const bootstrap::approval::Request& request) {
  if (!token_id_of(request).empty()) return "certificate by token";
  return node_of(request).empty() ? "certificate by the one before" : "certificate by the kubelet";
}

std::string machine_of(const JoiningStage& stage, const bootstrap::approval::Request& request) {
  constexpr std::string_view kNodeOf = "node-of-";
  if (const std::string token = token_id_of(request); !token.empty()) {
    const auto owner = stage.token_owners.find(token);
    return owner == stage.token_owners.end() ? "of token " + token : owner->second;
  }
  if (const std::string node = node_of(request); !node.empty()) return node.substr(kNodeOf.size());
  return request.requester.substr(request.requester.rfind(':') + 1);
}

void check_requests(JoiningStage& stage) {
  for (const auto& stored :
       stage.workload_api.stored_all("certificates.k8s.io", "certificatesigningrequests")) {
    const json::value object(*stored);
    if (stage.judged_requests.contains(std::string(object.at("metadata").at("name").as_string()))) continue;
    const auto request = bootstrap::approval::read_request(object);
    if (!request || !request->approved) continue;
    stage.judged_requests.insert(request->name);
    stage.act(asked_by(*request));
    const auto identity = identity_in(*request);
    stage.broke(approved_for_another(machine_of(stage, *request), identity ? identity->machine : "unknown"));
  }
}

}  // namespace

void audit(JoiningStage& stage) {
  check_tokens(stage);
  check_requests(stage);
}

}  // namespace capstan::joining
