#include "cmd/agent/options.h"

#include <gmock/gmock.h>

#include "api/bootstrap/names.h"

namespace capstan::agent_program {
namespace {

using ::testing::HasSubstr;

Result<CommandLine> read(const std::vector<const char*>& words) { return read_options(words); }

TEST(AgentOptions, AreThoseOfAMachineWhenNothingIsSaid) {
  const auto line = read({});

  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(line->options.machine.facts, api::bootstrap::kAgentFactsFile);
  EXPECT_EQ(line->options.machine.root, "/");
  EXPECT_FALSE(line->options.machine.once);
}

TEST(AgentOptions, RefuseFactsThatAreNotNamedFromTheRoot) {
  EXPECT_THAT(read({"--facts=agent.json"}).error().message, HasSubstr("--facts takes an absolute path"));
  EXPECT_THAT(read({"--root="}).error().message, HasSubstr("--root"));
  EXPECT_FALSE(read({"--kubeconfig=f"}));
}

TEST(AgentOptions, PrintTheVersionInsteadOfStarting) {
  const auto line = read({"--version"});

  ASSERT_TRUE(line);
  EXPECT_THAT(line->print_and_exit, testing::MatchesRegex("capstan-agent [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace capstan::agent_program
