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
  std::string config = {};  // it was made for
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
    if (token->expires > now) live.push_back({.token = std::move(*token), .config = config->name});
  }
  return live;
}

std::vector<Token> of(const std::string& config, const std::vector<TokenSeen>& all) {
  std::vector<Token> its;
  for (const TokenSeen& seen : all)
    if (seen.config == config) its.push_back(seen.token);
  return its;
}

void check_number(JoiningStage& stage, SimMachine& machine, std::size_t live) {
  const SteadyTime now = stage.baton.steady_now();
  if (live <= 1) machine.two_tokens.reset();
  if (live > 1 && !machine.two_tokens) machine.two_tokens = now;
  if (machine.two_tokens) stage.broke(several_tokens(machine.name, live, now - *machine.two_tokens));
}

struct End {
  SteadyTime since = {};
  Time at = {};  // the same, by wall clock
};

// A token whose creation comes late, when its owner has settled, ends by its expiry: docs/bootstrap.md.
void check_end(JoiningStage& stage, const std::string& owner, const End& end,
               const std::vector<Token>& live) {
  const Nanoseconds since = stage.baton.steady_now() - std::max(end.since, stage.last_trouble);
  for (const Token& token : live)
    if (token.created < end.at) stage.broke(token_outlives(owner, token.id, since));
}

void check_use(JoiningStage& stage, const SimMachine& machine, const std::vector<Token>& live) {
  const std::string text = machine.vm->token();
  const bool is_live = std::ranges::any_of(live, [&](const Token& token) { return token.text() == text; });
  stage.broke(token_lost(machine.name, text.substr(0, text.find('.')), is_live));
}

void check_tokens(JoiningStage& stage) {
  const auto all = live_tokens(stage);
  for (auto& [name, machine] : stage.machines) {
    const auto live = of(machine.config(), all);
    if (machine.pool.empty()) check_number(stage, machine, live.size());
    if (machine.pool.empty() && machine.settled)
      check_end(stage, name, {.since = *machine.settled, .at = machine.settled_at}, live);
    if (!machine.settled && machine.vm) check_use(stage, machine, live);
  }
  for (const auto& [name, pool] : stage.pools)
    if (pool.doomed)
      check_end(stage, name, {.since = pool.doomed_since, .at = pool.doomed_at}, of(name, all));
}

std::string by_token(const JoiningStage& stage, const bootstrap::approval::Request& request) {
  const auto owner = stage.token_owners.find(token_id_of(request));
  const bool of_pool = owner != stage.token_owners.end() && stage.pools.contains(owner->second);
  return of_pool ? "certificate by a pool's token" : "certificate by token";
}

std::string asked_by(const JoiningStage& stage, const bootstrap::approval::Request& request) {
  if (!token_id_of(request).empty()) return by_token(stage, request);
  return node_of(request).empty() ? "certificate by the one before" : "certificate by the kubelet";
}

// By the name of its Node, which is the one of an instance's agent, too.
std::string machine_called(std::string_view name) {
  constexpr std::string_view kNodeOf = "node-of-";
  return std::string(name.starts_with(kNodeOf) ? name.substr(kNodeOf.size()) : name);
}

std::string machine_of(const JoiningStage& stage, const bootstrap::approval::Request& request) {
  if (const std::string token = token_id_of(request); !token.empty()) {
    const auto owner = stage.token_owners.find(token);
    return owner == stage.token_owners.end() ? "of token " + token : owner->second;
  }
  if (const std::string node = node_of(request); !node.empty()) return machine_called(node);
  return machine_called(request.requester.substr(request.requester.rfind(':') + 1));
}

// The token of a pool is for all of its instances.
std::string holder_of(const JoiningStage& stage, const std::string& machine, bool by_token) {
  const auto found = stage.machines.find(machine);
  return by_token && found != stage.machines.end() ? found->second.config() : machine;
}

void check_birth(JoiningStage& stage, const std::string& name, const Time& asked) {
  const auto found = stage.machines.find(name);
  if (found == stage.machines.end() || found->second.doomed) return;
  const SimMachine& machine = found->second;
  if (machine.settled) stage.broke(approved_after_join(name, asked - machine.settled_at));
  if (machine.pool.empty()) return;
  const auto [first, is_first] = stage.births.try_emplace(name, asked);
  if (!is_first) stage.broke(approved_again(name, asked - first->second));
  first->second = asked;
}

void check_request(JoiningStage& stage, const bootstrap::approval::Request& request, const Time& asked) {
  const bool by_token = !token_id_of(request).empty();
  const auto identity = identity_in(request);
  const std::string machine = identity ? machine_called(identity->machine) : "unknown";
  stage.broke(approved_for_another(machine_of(stage, request), holder_of(stage, machine, by_token)));
  if (by_token) check_birth(stage, machine, asked);
}

// Reading what it asks for takes longer.
bool has_answer(const json::value& request) {
  boost::system::error_code missing;
  return request.find_pointer("/status/conditions", missing) != nullptr;
}

void check_requests(JoiningStage& stage) {
  for (const auto& stored :
       stage.workload_api.stored_all("certificates.k8s.io", "certificatesigningrequests")) {
    const json::value object(*stored);
    if (stage.judged_requests.contains(std::string(object.at("metadata").at("name").as_string()))) continue;
    if (!has_answer(object)) continue;
    const auto request = bootstrap::approval::read_request(object);
    if (!request || !request->approved) continue;
    stage.judged_requests.insert(request->name);
    stage.act(asked_by(stage, *request));
    check_request(stage, *request, *Time::parse(object.at("metadata").at("creationTimestamp").as_string()));
  }
}

}  // namespace

void audit(JoiningStage& stage) {
  check_tokens(stage);
  check_requests(stage);
}

}  // namespace capstan::joining
