#include "bootstrap/cloud_config.h"

#include <boost/json.hpp>

#include "api/schema/yaml.h"

namespace capstan::bootstrap {
namespace {

namespace json = boost::json;

constexpr std::string_view kFirstLine = "#cloud-config\n";

json::object cloud_config_file(const UserDataFile& file) {
  return {{"path", file.path},
          {"content", file.content},
          {"permissions", file.permissions},
          {"owner", file.owner}};
}

}  // namespace

std::string cloud_config_text(const UserData& data) {
  json::array files;
  for (const UserDataFile& file : data.files) files.push_back(cloud_config_file(file));
  json::array commands;
  for (const std::string& command : data.commands) commands.emplace_back(command);
  json::object document = {{"write_files", std::move(files)}, {"runcmd", std::move(commands)}};
  if (!data.hostname.empty()) document["hostname"] = data.hostname;
  return std::string(kFirstLine) + api::write_yaml(document);
}

}  // namespace capstan::bootstrap
