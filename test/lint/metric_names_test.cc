#include <gmock/gmock.h>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> of_page(const std::string& rows) {
  Tree tree;
  tree.files.push_back(
      SourceFile::of("docs/metrics.md", "| Name | Here | Why not |\n|---|---|---|\n" + rows));
  tree.files.push_back(SourceFile::of("runtime/x.cc", "counter(\"turns_total\", \"turns\");\n"));
  std::vector<std::string> lines;
  for (const Finding& finding : check_metric_names(tree)) lines.push_back(finding.describe());
  return lines;
}

TEST(MetricNames, ThatSourcesRegisterOrThatHaveAReasonAreFine) {
  EXPECT_THAT(of_page("| `turns_total` | yes | |\n| `go_*` | no | no Go |\n"), IsEmpty());
}

TEST(MetricNames, ThatAreOnlyPromisedOrLackAReasonAreFound) {
  EXPECT_THAT(of_page("| `lost_total` | yes | |\n| `go_*` | no | |\n| `turns_total` | no | not here |\n"),
              ElementsAre("docs/metrics.md:3: metric-names: no source registers lost_total",
                          "docs/metrics.md:4: metric-names: go_* has no reason",
                          "docs/metrics.md:5: metric-names: turns_total is here, says a source"));
}

}  // namespace
}  // namespace capstan::lint
