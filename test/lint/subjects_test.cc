#include <gmock/gmock.h>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> unnamed(const std::string& path, const std::string& text) {
  Tree tree;
  tree.files.push_back(SourceFile::of(path, text));
  std::vector<std::string> lines;
  for (const Finding& finding : check_subjects(tree)) lines.push_back(finding.describe());
  return lines;
}

TEST(Subjects, OfCommentsThatAreNotNamedAreReported) {
  EXPECT_THAT(
      unnamed("base/x.h", "// One.\n// Whoever waits is\n// told by nobody.\n"),
      ElementsAre("base/x.h:2: subjects: \"Whoever\": name the thing of the code that does it, or is it",
                  HasSubstr("base/x.h:3: subjects: \"nobody\"")));
  EXPECT_THAT(unnamed("base/x.cc", "int a;  // somebody's business\n/* Everyone\n * else's */\n"),
              ElementsAre(HasSubstr("base/x.cc:1: "), HasSubstr("base/x.cc:2: ")));
}

TEST(Subjects, AreCheckedInCommentsOnly) {
  EXPECT_THAT(unnamed("base/x.cc", "auto nobody() { return \"// somebody\"; }\n"), IsEmpty());
  EXPECT_THAT(unnamed("docs/x.md", "nobody\n"), IsEmpty());
}

}  // namespace
}  // namespace capstan::lint
