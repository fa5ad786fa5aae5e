#include <gmock/gmock.h>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kTwoSafeguards = R"(
enum class Safeguard {
  Gate,  // Safeguard::Gate waits
  // Of pools.
  GateOfPools,
};
)";

Findings checked(const std::string& path, const std::string& text) {
  Tree tree;
  tree.files.push_back(SourceFile::of("base/safeguards.h", std::string(kTwoSafeguards)));
  tree.files.push_back(SourceFile::of(path, text));
  return check_mutants(tree);
}

std::vector<std::string> messages(const Findings& findings) {
  std::vector<std::string> described;
  for (const Finding& finding : findings) described.push_back(finding.describe());
  return described;
}

TEST(Mutants, ASafeguardThatNoTestTakesAwayIsReported) {
  EXPECT_THAT(messages(checked("net/a_test.cc", "switch_off(Safeguard::Gate);\n")),
              ElementsAre(HasSubstr("base/safeguards.h:5: mutants: no test takes GateOfPools away")));
}

TEST(Mutants, ALongerNameIsAnotherSafeguard) {
  EXPECT_THAT(messages(checked("net/a_test.cc", "switch_off(Safeguard::GateOfPools);\n")),
              ElementsAre(HasSubstr("base/safeguards.h:3: mutants: no test takes Gate away")));
}

TEST(Mutants, OnlyTestsCount) {
  constexpr auto* kBoth = "f(Safeguard::Gate, Safeguard::GateOfPools);\n";
  EXPECT_THAT(checked("test/simulation/known.h", kBoth), IsEmpty());
  EXPECT_EQ(checked("net/a.cc", kBoth).size(), 2U);
}

}  // namespace
}  // namespace capstan::lint
