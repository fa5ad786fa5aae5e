#include <gmock/gmock.h>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Tree a_tree(const std::string& brake, const std::string& incident) {
  Tree tree;
  tree.files.push_back(SourceFile::of("base/safeguards.cc", "return \"freeze\";\n"));
  tree.files.push_back(
      SourceFile::of("config/prometheus/alerts.yaml", "  - alert: CapstanFrozen\n  - alert: CapstanMild\n"));
  tree.files.push_back(
      SourceFile::of("config/prometheus/alerts_test.yaml", "  - alertname: CapstanFrozen\n"));
  tree.files.push_back(SourceFile::of("controllers/safety/freeze_test.cc", "TEST(Freeze, Holds) {}\n"));
  tree.files.push_back(SourceFile::of("controllers/safety/probes.cc", "gauges(\"capstan_frozen\");\n"));
  tree.files.push_back(SourceFile::of(
      "docs/safety.md",
      "| Brake | Trips | State | Opens | Metric | Alert | Shown by |\n|---|---|---|---|---|---|---|\n" +
          brake + "\n\n| Incident | Stopped by | Shown by |\n|---|---|---|\n" + incident + "\n"));
  tree.files.push_back(SourceFile::of("test/scenarios/lifecycle/stories/labels-renamed.txt", "labels\n"));
  return tree;
}

std::vector<std::string> found(const Tree& tree) {
  std::vector<std::string> lines;
  for (const Finding& finding : check_safety_page(tree)) lines.push_back(finding.describe());
  return lines;
}

const std::string kBrake =
    "| Freeze | a | b | c | `capstan_frozen` | `CapstanFrozen` | `Freeze.*`; mutant `freeze` |";
const std::string kIncident = "| labels renamed | the ceiling | story `labels-renamed` |";

TEST(SafetyPage, NamesMetricsAlertsSuitesStoriesAndMutantsThatExist) {
  EXPECT_THAT(found(a_tree(kBrake, kIncident)), IsEmpty());
}

TEST(SafetyPage, MayNotNameAStoryOrSuiteThatIsGone) {
  EXPECT_THAT(
      found(a_tree("| Freeze | a | b | c | none | none | `Thaw.*` |", "| x | y | story `labels-kept` |")),
      ElementsAre(HasSubstr("docs/safety.md:3: safety-page: Thaw.* does not exist"),
                  HasSubstr("labels-kept does not exist")));
}

TEST(SafetyPage, MayNotNameAMetricOrAlertThatIsGone) {
  EXPECT_THAT(
      found(a_tree("| Freeze | a | b | c | `capstan_cold{kind}` | `CapstanCold` | `Freeze.*` |", kIncident)),
      ElementsAre(HasSubstr("no metric or alert is called capstan_cold{kind}"),
                  HasSubstr("no metric or alert is called CapstanCold")));
}

TEST(SafetyPage, MayNotNameAnAlertThatNoCaseMakesFire) {
  EXPECT_THAT(found(a_tree("| Freeze | a | b | c | none | `CapstanMild` | `Freeze.*` |", kIncident)),
              ElementsAre(HasSubstr("no case of config/prometheus/alerts_test.yaml makes CapstanMild fire")));
}

TEST(SafetyPage, SaysSoWhereABrakeLacksAColumnOrAnIncidentATest) {
  EXPECT_THAT(found(a_tree("| Freeze | a | b | | none | none | `Freeze.*` |", "| x | y | later |")),
              ElementsAre(HasSubstr("a brake has trigger, state, opening, metric, alert and test"),
                          HasSubstr("\"later\" names no test")));
  EXPECT_THAT(found(a_tree(kBrake, "| x | y | *not shown* |")), IsEmpty());
}

}  // namespace
}  // namespace capstan::lint
