// The file that a simulated cloud follows, as `capstan-dev fault` changes it.
#include "cmd/dev/fault_command.h"

#include <gmock/gmock.h>

#include "infrastructure/sim/script.h"

namespace capstan::dev {
namespace {

using infrastructure::sim::parse_script;
using testing::HasSubstr;

constexpr std::string_view kScript = R"(
seed: 7   # of a run
faults:
- vanish: 2m
)";

TEST(FaultCommand, AddsFaultsAndKeepsTheRest) {
  const std::vector<std::string> faults = {"{domain: a, for: 5m}"};

  const auto script = parse_script(*script_with(std::string(kScript), faults, false));

  EXPECT_EQ(script->seed, 7U);
  ASSERT_EQ(script->faults.size(), 2U);
  EXPECT_EQ(script->faults[1].domain, "a");
}

TEST(FaultCommand, ClearsWhatIsThere) {
  EXPECT_TRUE(parse_script(*script_with(std::string(kScript), {}, true))->faults.empty());
  EXPECT_TRUE(parse_script(*script_with("", {}, true))->faults.empty());
}

TEST(FaultCommand, BeginsTheSameFaultAgain) {
  const std::vector<std::string> faults = {"{api: z1, for: 50s}"};
  const std::string once = *script_with("", faults, false);
  const std::string twice = *script_with(once, faults, true);
  const std::string thrice = *script_with(twice, faults, false);

  const auto rules_of = [](const std::string& script) { return parse_script(script)->faults; };
  ASSERT_EQ(rules_of(twice).size(), 1U);
  EXPECT_NE(rules_of(once).front(), rules_of(twice).front());
  ASSERT_EQ(rules_of(thrice).size(), 2U);
  EXPECT_NE(rules_of(thrice).front(), rules_of(thrice).back());
}

TEST(FaultCommand, RefusesWhatIsNoFault) {
  const std::vector<std::string> faults = {"{domain: a, fro: 5m}"};

  EXPECT_THAT(script_with(std::string(kScript), faults, false).error().message,
              HasSubstr("faults[1].fro: no field is called that"));
}

TEST(FaultCommand, SaysWhatToDoAboutAFileThatIsNoScript) {
  EXPECT_THAT(script_with("{a: [", {}, true).error().message, HasSubstr("mend or remove the file"));
  EXPECT_THAT(script_with("words", {}, true).error().message, HasSubstr("mend or remove the file"));
}

}  // namespace
}  // namespace capstan::dev
