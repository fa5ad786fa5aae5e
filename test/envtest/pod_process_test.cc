#include "test/envtest/pod_process.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

namespace capstan::envtest {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;

const PodFacts kFacts = {.name = "pod-1", .namespace_ = "ns", .uid = "u-1"};

json::value deployment(std::string_view container) {
  return json::parse(R"({"spec": {"template": {"spec": {"containers": [)" + std::string(container) + "]}}}}");
}

TEST(PodProcess, RunsCommandAndArgumentsAsTheUserOfTheManifest) {
  const auto command =
      command_of(deployment(R"({"name": "manager", "command": ["/capstan"], "args": ["--a", "--b=c"],
                     "securityContext": {"runAsUser": 65532, "runAsGroup": 65533}})"),
                 "manager", kFacts);

  ASSERT_TRUE(command) << command.error().describe();
  EXPECT_THAT(command->argv, ElementsAre("/capstan", "--a", "--b=c"));
  EXPECT_EQ(command->user + ":" + command->group, "65532:65533");
}

TEST(PodProcess, TheDownwardApiIsAnsweredFromTheFacts) {
  const auto command = command_of(deployment(R"({"name": "manager", "env": [
          {"name": "PLAIN", "value": "x"},
          {"name": "NS", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
          {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
          {"name": "UID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}}]})"),
                                  "manager", kFacts);

  ASSERT_TRUE(command) << command.error().describe();
  EXPECT_THAT(command->environment, ElementsAre("PLAIN=x", "NS=ns", "NAME=pod-1", "UID=u-1"));
}

TEST(PodProcess, AVariableFromElsewhereIsRefused) {
  const auto command = command_of(
      deployment(
          R"({"name": "manager", "env": [{"name": "X", "valueFrom": {"secretKeyRef": {"name": "s"}}}]})"),
      "manager", kFacts);

  EXPECT_FALSE(command);
}

TEST(PodProcess, AContainerThatIsNotThereIsRefused) {
  EXPECT_FALSE(command_of(deployment(R"({"name": "sidecar"})"), "manager", kFacts));
}

}  // namespace
}  // namespace capstan::envtest
