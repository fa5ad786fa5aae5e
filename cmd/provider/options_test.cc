#include "cmd/provider/options.h"

#include <gmock/gmock.h>

namespace capstan::provider {
namespace {

using ::testing::HasSubstr;

Result<CommandLine> read(const std::vector<const char*>& words) { return read_options(words); }

TEST(ProviderOptions, NeedADriverForTheInfrastructureAlone) {
  const auto without = read({});
  const auto bootstrap = read({"--providers=bootstrap"});
  const auto both = read({"--driver=simulated"});

  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().message, HasSubstr("either --drivers FILE or --driver=simulated"));
  ASSERT_TRUE(bootstrap) << bootstrap.error().message;
  EXPECT_FALSE(bootstrap->options.runs(kInfrastructure));
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_TRUE(both->options.runs(kBootstrap));
  EXPECT_TRUE(both->options.runs(kInfrastructure));
}

TEST(ProviderOptions, RefuseADriverOrProviderThatThereIsNot) {
  EXPECT_THAT(read({"--driver=aws"}).error().message, HasSubstr("--driver aws"));
  EXPECT_THAT(read({"--driver=simulated", "--drivers=f"}).error().message,
              HasSubstr("either --drivers FILE"));
  EXPECT_TRUE(read({"--drivers=f"}));
  EXPECT_THAT(read({"--providers=bootstrap,controlplane"}).error().message, HasSubstr("--providers"));
}

TEST(ProviderOptions, HaveTheFlagsOfCapstan) {
  const auto line = read({"--providers=bootstrap", "--leader-elect", "--diagnostics-address=:8443",
                          "--insecure-diagnostics=false", "--health-addr=:9440", "-v", "4"});

  ASSERT_TRUE(line) << line.error().message;
  EXPECT_TRUE(line->options.election.leader_elect);
  EXPECT_EQ(line->options.logging.verbosity, 4);
  EXPECT_FALSE(read({"--providers=bootstrap", "--health-addr=localhost"}));
  EXPECT_FALSE(read({"--providers=bootstrap", "--leader-elect-lease-duration=5s"}));
}

TEST(ProviderOptions, PrintTheVersionInsteadOfStarting) {
  const auto line = read({"--version"});

  ASSERT_TRUE(line);
  EXPECT_THAT(line->print_and_exit, testing::MatchesRegex("capstan-provider [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace capstan::provider
