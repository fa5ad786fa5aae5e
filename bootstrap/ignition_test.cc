#include "bootstrap/ignition.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "base/base64.h"

namespace capstan::bootstrap {
namespace {

namespace json = boost::json;
using testing::EndsWith;
using testing::HasSubstr;

const UserData kMachine = {
    .hostname = "m1",
    .files = {{.path = "/etc/a", .content = "one\n", .permissions = "0600", .owner = "x:y"},
              {.path = "/etc/b", .permissions = "0644", .owner = "root"}},
    .commands = {"echo 'one'", "touch /run/done"}};

// What stands in the file of that path, decoded.
std::string content(const json::value& config, std::string_view path) {
  for (const json::value& file : config.at("storage").at("files").as_array()) {
    if (file.at("path").as_string() != path) continue;
    const std::string source(file.at("contents").at("source").as_string());
    return *base64_decode(std::string_view(source).substr(std::string_view("data:;base64,").size()));
  }
  return "no file " + std::string(path);
}

TEST(Ignition, WritesFilesWithTheirModesAndOwners) {
  const json::value config = json::parse(ignition_text(kMachine));

  EXPECT_EQ(config.at("ignition").at("version"), "3.0.0");
  const auto& files = config.at("storage").at("files").as_array();
  EXPECT_EQ(files.at(0).at("path"), "/etc/a");
  EXPECT_EQ(files.at(0).at("mode"), 0600);
  EXPECT_EQ(files.at(0).at("user").at("name"), "x");
  EXPECT_EQ(files.at(0).at("group").at("name"), "y");
  EXPECT_EQ(content(config, "/etc/a"), "one\n");
  EXPECT_FALSE(files.at(1).as_object().contains("group"));
}

TEST(Ignition, RunsTheCommandsOnceByAUnit) {
  const json::value config = json::parse(ignition_text(kMachine));

  EXPECT_EQ(content(config, "/etc/capstan/commands.sh"), "#!/bin/sh\necho 'one'\ntouch /run/done\n");
  const auto& unit = config.at("systemd").at("units").at(0).as_object();
  EXPECT_EQ(unit.at("enabled"), true);
  const std::string text(unit.at("contents").as_string());
  EXPECT_THAT(text, HasSubstr("ExecStart=/etc/capstan/commands.sh\n"));
  EXPECT_THAT(text, HasSubstr("ConditionPathExists=!/var/lib/capstan/commands-started\n"));
  EXPECT_THAT(text, EndsWith("WantedBy=multi-user.target\n"));
}

TEST(Ignition, NamesTheHostOnlyWhenTheMachineHasAName) {
  UserData one_of_many = kMachine;
  one_of_many.hostname.clear();

  EXPECT_EQ(content(json::parse(ignition_text(kMachine)), "/etc/hostname"), "m1\n");
  EXPECT_EQ(content(json::parse(ignition_text(one_of_many)), "/etc/hostname"), "no file /etc/hostname");
}

}  // namespace
}  // namespace capstan::bootstrap
