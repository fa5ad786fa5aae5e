#include "agent/report.h"

#include <gmock/gmock.h>

#include "api/bootstrap/names.h"

namespace capstan::agent {
namespace {

using ::testing::IsEmpty;
const std::string kApplied(api::bootstrap::annotation::kApplied);
const std::string kError(api::bootstrap::annotation::kApplyError);

TEST(Report, SaysWhatIsAppliedAndWhatFailed) {
  EXPECT_EQ(report({}, "c1", {"a", "b"}), (AnnotationChanges{{kApplied, "c1"}, {kError, "a; b"}}));
}

TEST(Report, SaysNothingTwice) {
  EXPECT_THAT(report({{kApplied, "c1"}, {kError, "a"}}, "c1", {"a"}), IsEmpty());
}

TEST(Report, TakesTheErrorOffWhenItIsGone) {
  EXPECT_EQ(report({{kApplied, "c1"}, {kError, "a"}}, "c2", {}),
            (AnnotationChanges{{kApplied, "c2"}, {kError, std::nullopt}}));
}

TEST(Report, LeavesTheChecksumWhileNothingWasApplied) {
  EXPECT_THAT(report({{kApplied, "c1"}}, "", {}), IsEmpty());
}

TEST(Report, CutsALongErrorBetweenCharacters) {
  const std::string text = std::string(511, 'x') + "\xc3\xa4 and more";

  EXPECT_EQ(report({}, "", {text}).at(kError), std::string(511, 'x'));
}

}  // namespace
}  // namespace capstan::agent
