#include "cmd/agent/serve.h"

#include <unistd.h>

#include <array>

#include "agent/loop.h"
#include "agent/places.h"
#include "base/try.h"
#include "kube/remote_client.h"
#include "net/io_pool.h"
#include "net/proxy.h"

namespace capstan::agent_program {
namespace {

// Of the machine, which is no pod.
std::string host_name() {
  std::array<char, 256> name = {};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// One connection beside the watch is enough: a round asks one thing after the other.
agent::Dial dial(net::IoPool& io, const program::Seams& seams) {
  const kube::RemoteClientOptions usual{.user_agent = "capstan-agent",
                                        .max_connections = 1,
                                        .max_body_bytes = 4U << 20,
                                        .proxies = net::proxy_rules(program::environment)};
  return [&io, &seams, usual](const kube::Connection& to) -> Result<std::unique_ptr<kube::Client>> {
    return TRY(kube::RemoteClient::make({io, seams.threads, seams.clock}, to, usual));
  };
}

Result<void> one_round(agent::Agent& agent, const std::stop_token& stop) {
  const agent::Round round = agent.round(stop);
  if (round.troubles.empty()) return {};
  return fail(Code::Internal, round.troubles.front());
}

}  // namespace

Result<void> serve(const Options& options, const program::Seams& seams, const Log& log,
                   const std::stop_token& stop) {
  const auto root = TRY(agent::Root::open(options.machine.root, seams.threads));
  const auto lock = TRY(root.lock(agent::kLockFile));
  net::IoPool io(1);
  agent::SystemctlProgram systemctl(options.machine.systemctl, seams.clock);
  const agent::Fetch fetch = agent::https_fetch(io, seams.threads, net::proxy_rules(program::environment));
  Signal changed("a change of the Secret or the Node");
  const agent::AgentDeps deps{.tools = {.root = root,
                                        .systemctl = systemctl,
                                        .fetch = fetch,
                                        .clock = seams.clock,
                                        .threads = seams.threads,
                                        .own = {.user = geteuid(), .group = getegid()},
                                        .log = log.component("agent")},
                              .randomness = seams.randomness,
                              .dial = dial(io, seams),
                              .changed = changed};
  agent::Agent agent(deps, {.facts_path = options.machine.facts, .host_name = host_name()});
  if (options.machine.once) return one_round(agent, stop);
  agent::run(agent, deps, stop);
  return {};
}

}  // namespace capstan::agent_program
