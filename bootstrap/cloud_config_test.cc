#include "bootstrap/cloud_config.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/schema/yaml.h"

namespace capstan::bootstrap {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::StartsWith;

const MachineFacts kFacts = {.cluster = "c1",
                             .namespace_ = "default",
                             .machine = "m1",
                             .kubernetes_version = "v1.35.0",
                             .endpoint = "10.0.0.1:6443"};

json::value parsed(const api::CloudConfigSpec& spec) {
  const auto text = render(spec, kFacts);
  if (!text) return json::string(text.error().message);
  const auto document = api::parse_yaml(*text);
  return document ? *document : json::value(json::string(document.error().message));
}

TEST(CloudConfig, BeginsAsCloudInitWantsIt) {
  EXPECT_THAT(*render({}, kFacts), StartsWith("#cloud-config\n"));
}

TEST(CloudConfig, TellsTheMachineWhoItIs) {
  const auto document = parsed({});

  EXPECT_EQ(document.at("hostname"), "m1");
  const auto& file = document.at("write_files").as_array().at(0).as_object();
  EXPECT_EQ(file.at("path"), "/etc/capstan/machine.json");
  const auto facts = json::parse(std::string_view(file.at("content").as_string()));
  EXPECT_EQ(facts.at("kubernetesVersion"), "v1.35.0");
  EXPECT_EQ(facts.at("endpoint"), "10.0.0.1:6443");
  EXPECT_EQ(facts.at("registerWithTaints").as_array().at(0),
            "node.cluster.x-k8s.io/uninitialized:NoSchedule");
}

TEST(CloudConfig, WritesFilesAndRunsCommandsInTheirOrder) {
  api::CloudConfigSpec spec;
  spec.files.push_back({.path = "/etc/a"_text, .content = FreeText("a: \"b\"\n")});
  spec.files.push_back({.path = "/etc/b"_text, .permissions = "0600"_text, .owner = "x:y"_text});
  spec.commands.push_back("echo one"_text);
  spec.commands.push_back("echo 'two: three'"_text);

  const auto document = parsed(spec);

  const auto& files = document.at("write_files").as_array();
  EXPECT_EQ(files.at(1).at("content"), "a: \"b\"\n");
  EXPECT_EQ(files.at(1).at("permissions"), "0644");
  EXPECT_EQ(files.at(2).at("permissions"), "0600");
  EXPECT_EQ(files.at(2).at("owner"), "x:y");
  const auto& commands = document.at("runcmd").as_array();
  EXPECT_EQ(commands.at(0), "echo one");
  EXPECT_EQ(commands.at(1), "echo 'two: three'");
}

// A provider that waits for a Node to have booted well waits for this file.
TEST(CloudConfig, LeavesTheSignOfSuccessLast) {
  api::CloudConfigSpec spec;
  spec.commands.push_back("echo one"_text);

  const auto document = parsed(spec);

  EXPECT_THAT(std::string(document.at("runcmd").as_array().back().as_string()),
              HasSubstr("/run/cluster-api/bootstrap-success.complete"));
}

TEST(CloudConfig, RefusesToWriteAFileTwice) {
  api::CloudConfigSpec twice;
  twice.files.push_back({.path = "/a"_text});
  twice.files.push_back({.path = "/a"_text});
  api::CloudConfigSpec ours;
  ours.files.push_back({.path = "/etc/capstan/machine.json"_text});

  EXPECT_EQ(parsed(twice), "spec.files[1].path: /a is written already");
  EXPECT_EQ(parsed(ours), "spec.files[0].path: /etc/capstan/machine.json is written already");
}

TEST(CloudConfig, RendersTheSameFactsTheSameWay) { EXPECT_EQ(*render({}, kFacts), *render({}, kFacts)); }

}  // namespace
}  // namespace capstan::bootstrap
