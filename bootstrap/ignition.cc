#include "bootstrap/ignition.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>

#include "base/base64.h"

namespace capstan::bootstrap {
namespace {

namespace json = boost::json;

constexpr std::string_view kRootOnly = "0700";
constexpr std::string_view kReadable = "0644";
constexpr std::string_view kRoot = "root:root";

// The unit stays enabled, and the machine may boot again: the mark says that the commands have had their
// turn.
constexpr std::string_view kMark = "/var/lib/capstan/commands-started";

std::string commands_unit() {
  return fmt::format(
      "[Unit]\n"
      "Description=Commands of the bootstrap data\n"
      "Wants=network-online.target\n"
      "After=network-online.target\n"
      "ConditionPathExists=!{0}\n"
      "\n"
      "[Service]\n"
      "Type=oneshot\n"
      "ExecStartPre=/usr/bin/mkdir -p /var/lib/capstan\n"
      "ExecStartPre=/usr/bin/touch {0}\n"
      "ExecStart={1}\n"
      "\n"
      "[Install]\n"
      "WantedBy=multi-user.target\n",
      kMark, api::kIgnitionCommandsFile);
}

std::string commands_script(const UserData& data) {
  std::string script = "#!/bin/sh\n";
  for (const std::string& command : data.commands) script += command + "\n";
  return script;
}

// Ignition wants a number where people write octal digits.
int mode_of(const std::string& permissions) {
  constexpr int kOctal = 8;
  int mode = 0;
  std::from_chars(permissions.data(), permissions.data() + permissions.size(), mode, kOctal);
  return mode;
}

json::object ignition_file(const UserDataFile& file) {
  const auto colon = file.owner.find(':');
  json::object entry = {
      {"path", file.path},
      {"overwrite", true},
      {"mode", mode_of(file.permissions)},
      {"user", json::object{{"name", file.owner.substr(0, colon)}}},
      {"contents", json::object{{"source", "data:;base64," + base64_encode(file.content)}}}};
  if (colon != std::string::npos) entry["group"] = json::object{{"name", file.owner.substr(colon + 1)}};
  return entry;
}

UserDataFile owned_by_root(std::string_view path, std::string content, std::string_view permissions) {
  return {.path = std::string(path),
          .content = std::move(content),
          .permissions = std::string(permissions),
          .owner = std::string(kRoot)};
}

}  // namespace

std::string ignition_text(const UserData& data) {
  json::array files;
  for (const UserDataFile& file : data.files) files.push_back(ignition_file(file));
  if (!data.hostname.empty())
    files.push_back(
        ignition_file(owned_by_root(api::kIgnitionHostnameFile, data.hostname + "\n", kReadable)));
  files.push_back(ignition_file(owned_by_root(api::kIgnitionCommandsFile, commands_script(data), kRootOnly)));
  const json::object unit = {
      {"name", "capstan-commands.service"}, {"enabled", true}, {"contents", commands_unit()}};
  return json::serialize(json::object{{"ignition", json::object{{"version", "3.0.0"}}},
                                      {"storage", json::object{{"files", std::move(files)}}},
                                      {"systemd", json::object{{"units", json::array{unit}}}}});
}

}  // namespace capstan::bootstrap
