#include "bootstrap/cloud_config.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <set>

#include "api/names.h"
#include "api/schema/yaml.h"
#include "base/try.h"
#include "bootstrap/data_secret.h"

namespace capstan::bootstrap {
namespace {

namespace json = boost::json;

constexpr std::string_view kFirstLine = "#cloud-config\n";

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

json::object file(std::string_view path, std::string_view content, std::string_view permissions,
                  std::string_view owner) {
  return {{"path", path}, {"content", content}, {"permissions", permissions}, {"owner", owner}};
}

Result<json::array> files(const api::CloudConfigSpec& spec, const MachineFacts& facts) {
  json::array list{file(kFactsFile, facts_text(facts), "0644", "root:root")};
  std::set<std::string_view> taken = {kFactsFile};
  for (std::size_t i = 0; i < spec.files.size(); ++i) {
    const auto& wanted = spec.files[i];
    if (!taken.insert(wanted.path.view()).second)
      return fail(Code::Invalid,
                  fmt::format("spec.files[{}].path: {} is written already", i, wanted.path.view()));
    list.push_back(file(wanted.path, wanted.content,
                        wanted.permissions.empty() ? "0644" : wanted.permissions.view(),
                        wanted.owner.empty() ? "root:root" : wanted.owner.view()));
  }
  return list;
}

}  // namespace

Result<std::string> render(const api::CloudConfigSpec& spec, const MachineFacts& facts) {
  json::array commands;
  for (const auto& command : spec.commands) commands.emplace_back(command.view());
  commands.emplace_back(fmt::format("mkdir -p /run/cluster-api && touch {}", kSuccessFile));
  json::object document = {{"write_files", TRY(files(spec, facts))}, {"runcmd", std::move(commands)}};
  if (!facts.machine.empty()) document["hostname"] = facts.machine;
  return std::string(kFirstLine) + api::write_yaml(document);
}

}  // namespace capstan::bootstrap
