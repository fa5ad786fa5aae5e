#include "bootstrap/agent_files.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/bootstrap/agent_facts.h"
#include "api/bootstrap/names.h"
#include "api/bootstrap/node_config_release.h"
#include "api/bootstrap/node_config_rules.h"
#include "api/schema/encode.h"
#include "bootstrap/shell_word.h"

namespace capstan::bootstrap {
namespace {

constexpr std::string_view kAgentsOwner = "root:root";

std::string facts_for_agent(const MachineFacts& facts) {
  const bool of_pool = facts.machine.empty();
  api::AgentFacts told{
      .server = Text("https://" + facts.endpoint),
      .certificate_authority = FreeText(facts.join->authority_pem),
      .token = FreeText(facts.join->token),
      .namespace_ = Text(facts.namespace_),
      .machine = Text(of_pool ? facts.machine_pool : facts.machine),
      .version = Text(facts.kubernetes_version),
      .node_config = Text(facts.node_config->name),
      .secret = Text(api::bootstrap::node_config_secret_name(facts.namespace_, facts.node_config->name))};
  if (of_pool) told.pool = true;
  return boost::json::serialize(api::to_json(told)) + "\n";
}

std::string agent_unit() {
  return fmt::format(
      "[Unit]\n"
      "Description=Applies the NodeConfig of this machine\n"
      "Wants=network-online.target\n"
      "After=network-online.target\n"
      "\n"
      "[Service]\n"
      "ExecStart={} --facts {}\n"
      "Restart=always\n"
      "RestartSec=5\n"
      "\n"
      "[Install]\n"
      "WantedBy=multi-user.target\n",
      api::kAgentProgram, api::bootstrap::kAgentFactsFile);
}

// What was fetched runs only when its checksum is right.
std::string fetch_command(const api::NodeConfigAgent& agent) {
  return fmt::format(
      "curl -fsSL --retry 10 --retry-connrefused -o {0}.new {1} && echo {2} | sha256sum -c - && "
      "chmod 0755 {0}.new && mv {0}.new {0} && ",
      api::kAgentProgram, shell_word(agent.url),
      shell_word(fmt::format("{}  {}.new", agent.sha256.view(), api::kAgentProgram)));
}

}  // namespace

std::vector<UserDataFile> agent_files(const MachineFacts& facts) {
  return {{.path = std::string(api::bootstrap::kAgentFactsFile),
           .content = facts_for_agent(facts),
           .permissions = "0600",
           .owner = std::string(kAgentsOwner)},
          {.path = std::string(api::kAgentUnitFile),
           .content = agent_unit(),
           .permissions = "0644",
           .owner = std::string(kAgentsOwner)}};
}

std::string agent_command(const NodeConfigFacts& node_config) {
  return fmt::format("{}systemctl daemon-reload && systemctl enable --now {}",
                     node_config.agent ? fetch_command(*node_config.agent) : "", api::kAgentUnit);
}

}  // namespace capstan::bootstrap
