#include "bootstrap/user_data.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <set>

#include "api/bootstrap/cloud_config_rules.h"
#include "api/bootstrap/placeholders.h"
#include "api/names.h"
#include "base/try.h"
#include "bootstrap/agent_files.h"
#include "bootstrap/cloud_config.h"
#include "bootstrap/data_secret.h"
#include "bootstrap/ignition.h"
#include "bootstrap/join_files.h"
#include "bootstrap/script.h"

namespace capstan::bootstrap {
namespace {

namespace json = boost::json;

constexpr std::string_view kUsualMode = "0644";
constexpr std::string_view kUsualOwner = "root:root";

std::string facts_text(const MachineFacts& facts) {
  json::object document = {{"cluster", facts.cluster},
                           {"namespace", facts.namespace_},
                           {"machine", facts.machine},
                           {"kubernetesVersion", facts.kubernetes_version},
                           {"endpoint", facts.endpoint},
                           {"controlPlane", facts.control_plane},
                           {"registerWithTaints", json::array{fmt::format("{}:{}", api::taint::kUninitialized,
                                                                          api::taint::kNoSchedule)}}};
  if (!facts.machine_pool.empty()) document["machinePool"] = facts.machine_pool;
  return json::serialize(document) + "\n";
}

std::string or_usual(std::string_view wanted, std::string_view usual) {
  return std::string(wanted.empty() ? usual : wanted);
}

Result<std::vector<UserDataFile>> provided_files(const api::CloudConfigSpec& spec,
                                                 const MachineFacts& facts) {
  std::vector<UserDataFile> files = {{.path = std::string(kFactsFile),
                                      .content = facts_text(facts),
                                      .permissions = std::string(kUsualMode),
                                      .owner = std::string(kUsualOwner)}};
  if (!spec.join || !facts.join) return files;
  for (UserDataFile& file : TRY(join_files(*spec.join, facts))) files.push_back(std::move(file));
  return files;
}

// `text` of `field` with token and name in it. An instance of a pool gets its name from the infrastructure
// provider.
Result<std::string> filled(std::string_view field, std::string text, const MachineFacts& facts) {
  const std::string token = facts.join ? facts.join->token : std::string();
  if (token.empty() && api::bootstrap::has(text, api::bootstrap::kTokenPlaceholder))
    return fail(Code::Invalid, fmt::format("{}: <<BOOTSTRAP_TOKEN>> is for workers, with spec.join", field));
  api::bootstrap::fill(text, api::bootstrap::kTokenPlaceholder, token);
  if (!facts.machine.empty()) api::bootstrap::fill(text, api::bootstrap::kMachinePlaceholder, facts.machine);
  return text;
}

Result<std::vector<UserDataFile>> all_files(const api::CloudConfigSpec& spec, const MachineFacts& facts) {
  auto files = TRY(provided_files(spec, facts));
  const auto provided = api::provided_paths(spec);
  std::set<std::string_view> taken(provided.begin(), provided.end());
  for (std::size_t i = 0; i < spec.files.size(); ++i) {
    const auto& wanted = spec.files[i];
    if (!taken.insert(wanted.path.view()).second)
      return fail(Code::Invalid,
                  fmt::format("spec.files[{}].path: {} is written already", i, wanted.path.view()));
    files.push_back({.path = wanted.path.str(),
                     .content = TRY(filled(fmt::format("spec.files[{}].content", i),
                                           std::string(wanted.content.view()), facts)),
                     .permissions = or_usual(wanted.permissions, kUsualMode),
                     .owner = or_usual(wanted.owner, kUsualOwner)});
  }
  return files;
}

}  // namespace

Result<UserData> user_data(const api::CloudConfigSpec& spec, const MachineFacts& facts) {
  if (spec.node_config_ref && !spec.join)
    return fail(Code::Invalid, "spec.nodeConfigRef: it is for machines that join, with spec.join");
  UserData data{.hostname = facts.machine, .files = TRY(all_files(spec, facts))};
  for (const auto& command : spec.commands)
    data.commands.push_back(TRY(filled("spec.commands", command.str(), facts)));
  if (facts.node_config) data.commands.push_back(agent_command(*facts.node_config));
  data.commands.push_back(fmt::format("mkdir -p /run/cluster-api && touch {}", kSuccessFile));
  return data;
}

Result<std::string> render(const api::CloudConfigSpec& spec, const MachineFacts& facts) {
  const UserData data = TRY(user_data(spec, facts));
  if (spec.format == api::bootstrap_format::kIgnition) return ignition_text(data);
  if (spec.format == api::bootstrap_format::kScript) return script_text(data);
  return cloud_config_text(data);
}

std::string_view format_of(const api::CloudConfigSpec& spec) {
  return spec.format.empty() ? api::bootstrap_format::kCloudConfig : spec.format.view();
}

}  // namespace capstan::bootstrap
