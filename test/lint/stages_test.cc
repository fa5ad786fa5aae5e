#include <gmock/gmock.h>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A repository with one suite of this label.
Findings checked(const std::string& label, const std::string& left_out, const std::string& ci) {
  Tree tree;
  tree.files.push_back(SourceFile::of(".ci/run", ci));
  tree.files.push_back(
      SourceFile::of("net/CMakeLists.txt", "capstan_test(a\n  LABELS " + label + " LINK b)\n"));
  tree.files.push_back(SourceFile::of("scripts/test", "ctest -LE '^(" + left_out + ")$' \"$@\"\n"));
  return check_stages(tree);
}

std::vector<std::string> described(const Findings& findings) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings) lines.push_back(finding.describe());
  return lines;
}

TEST(Stages, ASuiteThatNeedsForeignServersAndRunsWithoutThemIsReported) {
  EXPECT_THAT(described(checked("interop", "envtest|seeds", "ctest -L '^interop$'")),
              ElementsAre(HasSubstr("net/CMakeLists.txt:2: stages: scripts/test runs suites of interop")));
  EXPECT_THAT(described(checked("image", "images|old-image", "ctest -L '^image$'")),
              ElementsAre(HasSubstr("scripts/test runs suites of image")));
}

TEST(Stages, ASuiteThatNoStageRunsIsReported) {
  EXPECT_THAT(
      described(checked("interop", "interop", "ctest -L '^seeds$'")),
      ElementsAre(HasSubstr("none of .ci/run, scripts/envtest and scripts/kind runs the suites of interop")));
}

TEST(Stages, ASuiteWithAStageOfItsOwnOrOneThatRunsAnywhereIsNot) {
  EXPECT_THAT(checked("interop", "envtest|interop", "ctest -L '^interop$'"), IsEmpty());
  EXPECT_THAT(checked("sanitize-address", "envtest", ""), IsEmpty());
}

}  // namespace
}  // namespace capstan::lint
