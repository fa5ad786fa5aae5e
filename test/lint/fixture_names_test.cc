#include <gmock/gmock.h>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A tree of two files, which follow each other in its order.
Findings checked(const std::string& first, const std::string& second,
                 const std::string& second_path = "net/b_test.cc") {
  Tree tree;
  tree.files.push_back(SourceFile::of("net/a_fixture.h", first));
  tree.files.push_back(SourceFile::of(second_path, second));
  return check_fixture_names(tree);
}

std::vector<std::string> lines(const Findings& findings) {
  std::vector<std::string> described;
  for (const Finding& finding : findings) described.push_back(finding.describe());
  return described;
}

TEST(FixtureNames, TwoFixturesOfOneNameAreReportedWithThePlaceOfTheFirst) {
  EXPECT_THAT(
      lines(checked("class World {\n};\n", "\nstruct World : Base {\n};\n")),
      ElementsAre(HasSubstr("net/b_test.cc:2: fixture-names: World is in net/a_fixture.h:1 as well")));
  for (const auto* name : {"PoolStage", "PoolFixture", "PoolGround"}) {
    const std::string text = "struct " + std::string(name) + " {\n};\n";
    EXPECT_EQ(checked(text, text).size(), 1U) << name;
  }
}

TEST(FixtureNames, DifferentNamesAndOtherClassesAreNot) {
  EXPECT_THAT(checked("class PoolWorld {\n};\n", "class DrainWorld {\n};\n"), IsEmpty());
  EXPECT_THAT(checked("class Seen {\n};\n", "class Seen {\n};\n"), IsEmpty());
  EXPECT_THAT(checked("struct StageRow {\n};\n", "struct StageRow {\n};\n"), IsEmpty());
}

TEST(FixtureNames, DeclarationsCommentsAndSourcesOfProductsAreNot) {
  EXPECT_THAT(checked("class World {\n};\n", "class World;\n"), IsEmpty());
  EXPECT_THAT(checked("class World {\n};\n", "// class World {\n"), IsEmpty());
  EXPECT_THAT(checked("class World {\n};\n", "class World {\n};\n", "net/world.cc"), IsEmpty());
}

}  // namespace
}  // namespace capstan::lint
