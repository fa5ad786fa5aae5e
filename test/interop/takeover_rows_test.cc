// What is written at a take-over is written because the two cores differ, or because the fleet goes on. So
// each row of the tables of docs/takeover.md has one in docs/deviations.md, or says here why there is no
// difference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <span>

#include "test/interop/takeover_page.h"

namespace capstan::envtest {
namespace {

using ::testing::IsEmpty;

using Lines = std::vector<std::string>;

constexpr std::string_view kSection = "## What a take-over shows";  // of docs/deviations.md

struct Row {
  std::string_view begins;          // in docs/takeover.md
  std::string_view deviation = {};  // how the row of docs/deviations.md begins
  std::string_view none = {};       // or why there is no difference
};

constexpr std::string_view kNoControlPlane =
    "A Cluster without `controlPlaneRef` gets ControlPlaneAvailable Unknown/InternalError";
constexpr std::string_view kCounterLeftOut =
    "`upToDateReplicas` of a Cluster without `controlPlaneRef` is left out";
constexpr std::string_view kOnItsWayOut =
    "MachinesReady of MachineSet and MachineDeployment names a Machine on its way out";
constexpr std::string_view kReadyOfADeployment =
    "v1beta1 `Ready` of a MachineDeployment sums up Available alone";
constexpr std::string_view kBootstrapReady = "v1beta1 `BootstrapReady` of a Machine has no reason";
constexpr std::string_view kDefaultLeftOut = "An apply of a Machine leaves out `nodeDeletionTimeoutSeconds`";
constexpr std::string_view kVersionsOfAPool = "`versions` of a MachinePool go";
constexpr std::string_view kNotConnected = "either says so until it is connected to the workload cluster";
constexpr std::string_view kPackages = "either notes which generation it has looked at";

constexpr Row kOver[] = {
    {.begins = "`patch clusters/status` `conditions.ControlPlaneAvailable`", .deviation = kNoControlPlane},
    {.begins = "`patch clusters/status` `controlPlane`", .deviation = kCounterLeftOut},
    {.begins = "`patch clusters/status` `workers`", .none = "the pool goes on growing"},
    {.begins = "`patch customresourcedefinitions`", .none = kPackages},
    {.begins = "`patch machinedeployments/status` `conditions.MachinesReady`", .deviation = kOnItsWayOut},
    {.begins = "`patch machinesets/status` `conditions.MachinesReady`", .deviation = kOnItsWayOut},
    {.begins = "`patch machinedeployments/status` `v1beta1.conditions.Ready`",
     .deviation = kReadyOfADeployment},
    {.begins = "`patch machines` `nothing`", .deviation = kDefaultLeftOut},
    {.begins = "`patch machines/status` `v1beta1.conditions.BootstrapReady`", .deviation = kBootstrapReady},
    {.begins = "`patch machines/status` `observedGeneration`",
     .deviation = "A template changed while `spec.paused` writes an empty `revision` annotation"},
    {.begins = "`patch machines/status` `conditions.Deleting`", .none = kNotConnected},
    {.begins = "`patch machinesets/status` `v1beta1.conditions.MachinesReady`", .none = kNotConnected},
    {.begins = "`patch machinedeployments/status` `v1beta1.conditions.MachineSetReady`",
     .none = kNotConnected},
    {.begins = "`patch machinepools/status` `conditions.Available`",
     .deviation = "Of the newer conditions there is only `Paused`"},
    {.begins = "`patch machinepools/status` `availableReplicas`",
     .deviation = "An instance of a growing pool counts as ready before it has a Node"},
    {.begins = "`patch machinepools/status` `nodeRefs`", .none = "the pool goes on growing"},
    {.begins = "`patch nodes`", .none = "the pool goes on growing"}};

constexpr Row kBack[] = {
    {.begins = "`patch clusters/status` `conditions.ControlPlaneAvailable`", .deviation = kNoControlPlane},
    {.begins = "`patch clusters/status` `workers`", .deviation = kVersionsOfAPool},
    {.begins = "`patch customresourcedefinitions`", .none = kPackages},
    {.begins = "`patch machinedeployments/status` `conditions.MachinesReady`", .deviation = kOnItsWayOut},
    {.begins = "`patch machinesets/status` `conditions.MachinesReady`", .deviation = kOnItsWayOut},
    {.begins = "`patch machinedeployments/status` `v1beta1.conditions.Ready`",
     .deviation = kReadyOfADeployment},
    {.begins = "`patch machinepools/status` `versions`", .deviation = kVersionsOfAPool},
    {.begins = "`patch machines/status` `v1beta1.conditions.BootstrapReady`", .deviation = kBootstrapReady},
    {.begins = "`patch machines` `spec.deletion.nodeDeletionTimeoutSeconds`", .deviation = kDefaultLeftOut},
    {.begins = "`patch machines/status` `observedGeneration`", .deviation = kDefaultLeftOut},
    {.begins = "`patch machines/status` `v1beta1.conditions.DrainingSucceeded`", .none = kNotConnected},
    {.begins = "`patch machinesets/status` `v1beta1.conditions.MachinesReady`", .none = kNotConnected},
    {.begins = "`patch machinedeployments/status` `v1beta1.conditions.MachineSetReady`",
     .none = kNotConnected}};

constexpr std::span<const Row> kTables[] = {kOver, kBack};

// Those of the page without a row of ours, and ours without one of the page.
Lines unpaired(const Lines& cells, std::span<const Row> rows) {
  Lines alone;
  for (const std::string& cell : cells)
    if (std::ranges::none_of(rows, [&](const Row& row) { return cell.starts_with(row.begins); }))
      alone.push_back(cell);
  for (const Row& row : rows)
    if (std::ranges::none_of(cells, [&](const std::string& cell) { return cell.starts_with(row.begins); }))
      alone.emplace_back(row.begins);
  return alone;
}

// First cells of docs/deviations.md; of one section, where it is named.
Lines deviations(std::string_view section = {}) {
  Lines cells;
  bool here = section.empty();
  std::ifstream page("docs/deviations.md");
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) here = section.empty() || line == section;
    const bool is_row = line.starts_with("| ") && !line.starts_with("| Upstream |");
    if (here && is_row) cells.push_back(line.substr(2, line.find(" |", 1) - 2));
  }
  return cells;
}

bool begins_one_of(const Lines& cells, std::string_view text) {
  return std::ranges::any_of(cells, [&](const std::string& cell) { return cell.starts_with(text); });
}

TEST(TakeOverRows, AreAllOfThePageAndNoOthers) {
  EXPECT_THAT(unpaired(first_cells_below("What Capstan writes"), kOver), IsEmpty());
  EXPECT_THAT(unpaired(first_cells_below("What upstream writes on the way back"), kBack), IsEmpty());
}

TEST(TakeOverRows, StandInThePageOfDeviationsOrSayWhyNot) {
  const Lines cells = deviations();
  for (const auto& table : kTables)
    for (const Row& row : table) {
      EXPECT_NE(row.deviation.empty(), row.none.empty()) << row.begins;
      EXPECT_TRUE(row.deviation.empty() || begins_one_of(cells, row.deviation)) << row.deviation;
    }
}

TEST(TakeOverRows, AreBehindEachDeviationThatATakeOverShows) {
  Lines shown = deviations(kSection);
  EXPECT_FALSE(shown.empty());
  for (const auto& table : kTables)
    for (const Row& row : table)
      std::erase_if(shown, [&](const std::string& cell) {
        return !row.deviation.empty() && cell.starts_with(row.deviation);
      });
  EXPECT_THAT(shown, IsEmpty());
}

}  // namespace
}  // namespace capstan::envtest
