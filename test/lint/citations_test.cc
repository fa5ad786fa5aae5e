#include <gmock/gmock.h>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> cited(const std::string& path, const std::string& text) {
  Tree tree;
  tree.files.push_back(SourceFile::of(path, text));
  std::vector<std::string> lines;
  for (const Finding& finding : check_citations(tree)) lines.push_back(finding.describe());
  return lines;
}

TEST(Citations, OfPapersThatAreNotInTheRepositoryAreReported) {
  EXPECT_THAT(cited("base/x.h", "// A.\n// As in capi-machine 3.10.\n"),
              ElementsAre("base/x.h:2: citations: \"capi-machine\" is not in this repository: say the fact, "
                          "or name a page that a reader can open"));
  EXPECT_THAT(cited("docs/x.md", "See DESIGN 2.10."), ElementsAre(HasSubstr("\"DESIGN\"")));
  EXPECT_THAT(cited("base/x.cc", "f(\"deadlock breaker, capi-machine 5.6 E\");"),
              ElementsAre(HasSubstr("base/x.cc:1:")));
}

TEST(Citations, OfANumberedReferenceOrIssueAreReported) {
  EXPECT_THAT(cited("base/x.h", "// A view (reference 6.2).\n"), ElementsAre(HasSubstr("\"reference\"")));
  EXPECT_THAT(cited("base/x.h", "// A view. Reference 3.9.\n"), ElementsAre(HasSubstr("\"Reference\"")));
  EXPECT_THAT(cited("base/x.h", "// as the formulas of reference\n// 5.6 say.\n"),
              ElementsAre(HasSubstr("base/x.h:1:")));
  EXPECT_THAT(cited("scripts/x", "# for issue 12\n"), ElementsAre(HasSubstr("\"issue\"")));
  EXPECT_THAT(cited("base/x.h", "// The Secret \"a\" (reference: the contract).\n"),
              ElementsAre(HasSubstr("(reference:")));
}

TEST(Citations, OfABareSectionAreReported) {
  EXPECT_THAT(cited("base/x.h", "int a;  // 5.6 B: one below on purpose\n"),
              ElementsAre("base/x.h:1: citations: 5.6 B is a section of nothing in this repository: say the "
                          "fact"));
  EXPECT_THAT(cited("base/x.h", "// 4.5 MB, 1.2 Billions\nconst char* a = \"5.6 B\";\n"), IsEmpty());
}

TEST(Citations, OfAReferenceThatSaysSomethingAreReported) {
  EXPECT_THAT(cited("base/x.cc", "// Where the reference lets a rollout leave its bounds.\n"),
              ElementsAre(HasSubstr("\"the reference lets\"")));
  EXPECT_THAT(cited("base/x_test.cc", "TEST(Owners, FormTheChainThatTheReferenceNames) {}\n"),
              ElementsAre(HasSubstr("\"TheReferenceNames\"")));
  EXPECT_THAT(cited("base/x_test.cc", "TEST(Fleet, ConditionsAreThoseOfTheReference) {}\n"),
              ElementsAre(HasSubstr("\"OfTheReference)\"")));
}

TEST(Citations, OfWhatAReaderCanOpenAreFine) {
  EXPECT_THAT(cited("base/x.h", "// docs/decisions/0012; RFC 9110 5.6.1; Kubernetes' API conventions.\n"),
              IsEmpty());
}

TEST(Citations, KubernetesReferencesBetweenObjectsAreNone) {
  EXPECT_THAT(cited("base/x.cc",
                    "// The object that the reference names; references 2 Secrets.\n"
                    "apply(\"capi-machineset\");\n"
                    "TEST(Garbage, TakesOffTheReferenceWhileAnotherOwnerLives) {}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace capstan::lint
