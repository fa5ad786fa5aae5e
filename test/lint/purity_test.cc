#include <gmock/gmock.h>

#include <algorithm>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

struct Written {
  std::string path;
  std::string text;
};

std::vector<std::string> impure(const std::vector<Written>& files) {
  Tree tree;
  for (const Written& file : files) tree.files.push_back(SourceFile::of(file.path, file.text));
  std::ranges::sort(tree.files, {}, &SourceFile::path);
  std::vector<std::string> lines;
  for (const Finding& finding : check_purity(tree)) lines.push_back(finding.describe());
  return lines;
}

// A header with that first comment that includes the clock.
std::vector<std::string> with_a_clock(const std::string& comment) {
  return impure({{"kube/x.h", comment + "\n#pragma once\n#include \"base/clock.h\"\n"}});
}

TEST(Purity, AHeaderThatCallsItselfPureMayIncludeOthersThatAre) {
  EXPECT_THAT(impure({{"kube/x.h", "// A word. Pure.\n#pragma once\n#include \"kube/y.h\"\n"},
                      {"kube/y.h", "// A plain value.\n#pragma once\n#include \"base/instant.h\"\n"},
                      {"base/instant.h", "// Words for time.\n#pragma once\n#include <chrono>\n"}}),
              IsEmpty());
}

TEST(Purity, IsBrokenByWhatIncludesBringAlong) {
  EXPECT_THAT(impure({{"kube/x.h", "// A word. Pure.\n#pragma once\n\n#include \"kube/y.h\"\n"},
                      {"kube/y.h", "// Y.\n#pragma once\n#include \"kube/z.h\"\n"},
                      {"kube/z.h", "// Z.\n#pragma once\n#include \"base/guarded.h\"\n"}}),
              ElementsAre(StartsWith("kube/x.h:4: purity: a pure file includes base/guarded.h, by way of "
                                     "kube/y.h -> kube/z.h: ")));
}

TEST(Purity, NamesTheShortestWay) {
  EXPECT_THAT(
      impure({{"kube/decide.cc", "#include \"kube/a.h\"\n#include \"kube/b.h\"\n"},
              {"kube/a.h", "#include \"kube/b.h\"\n"},
              {"kube/b.h", "#include <mutex>\n"}}),
      ElementsAre(StartsWith("kube/decide.cc:2: purity: a pure file includes mutex, by way of kube/b.h: ")));
}

TEST(Purity, OfHeadersThatIncludeEachOtherIsDecided) {
  const Written x{"kube/x.h", "// Pure.\n#pragma once\n#include \"kube/y.h\"\n"};
  const Written harmless{"kube/y.h", "// Y.\n#pragma once\n#include \"kube/x.h\"\n"};
  const Written harmful{"kube/y.h", harmless.text + "#include \"base/log.h\"\n"};

  EXPECT_THAT(impure({x, harmless}), IsEmpty());
  EXPECT_THAT(impure({x, harmful}), ElementsAre(StartsWith("kube/x.h:3: purity: a pure file includes "
                                                           "base/log.h, by way of kube/y.h: ")));
}

TEST(Purity, HoldsForTheSourceBesideTheHeader) {
  EXPECT_THAT(impure({{"kube/x.h", "// Pure.\n#pragma once\n"},
                      {"kube/x.cc", "#include \"kube/x.h\"\n#include \"base/threads.h\"\n"},
                      {"kube/x_test.cc", "#include \"base/threads.h\"\n"}}),
              ElementsAre(StartsWith("kube/x.cc:2: purity: ")));
}

TEST(Purity, IsClaimedByTheFirstComment) {
  for (const auto* comment :
       {"// Pure.", "// A thing; pure.", "// Things of a kind. Pure functions;\n// used by all.",
        "// A plain\n// value.", "// Values: pure, and without a memory."}) {
    EXPECT_EQ(with_a_clock(comment).size(), 1U) << comment;
  }
}

TEST(Purity, IsNotClaimedByEveryCommentThatNamesIt) {
  for (const auto* comment : {"// A thing.", "// Pure but for the clock.", "// Pure, but for load().",
                              "// Keys. Pure apart from randomness.",
                              "// Reads caches; the verdict is a pure function.", "// Purely a client."}) {
    EXPECT_THAT(with_a_clock(comment), IsEmpty()) << comment;
  }
}

}  // namespace
}  // namespace capstan::lint
